# The Verilated variants of themis_d: QPS 4, WINDOW 16, PATHS 4, and the same with a wrong line.
if(HORAE_WITH_RTL)
  set(themis_d_sources window_bitmap path_psn_max themis_d)
  list(TRANSFORM themis_d_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/themis_d/)
  list(TRANSFORM themis_d_sources APPEND .sv)
  horae_verilated(horae_rtl_verilated VThemisD themis_d SOURCES ${themis_d_sources}
    ARGS -GQPS=4 -GWINDOW=16 -GPATHS=4)
  horae_verilated(horae_rtl_verilated VThemisDBroken themis_d SOURCES ${themis_d_sources}
    ARGS -GQPS=4 -GWINDOW=16 -GPATHS=4 -DTHEMIS_D_BREAK)
  if(VThemisD_BUILT AND VThemisDBroken_BUILT)
    target_sources(horae_rtl PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/themis_d/themis_d.cpp)
  endif()
endif()
