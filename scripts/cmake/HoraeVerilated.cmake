# Verilated blocks. What Verilator writes is compiled without this project's warnings and
# sanitizers.

# horae_verilated(<target> <prefix> <top> SOURCES <files...> ARGS <arguments of verilator...>)
#
# Adds the class <prefix> (header <prefix>.h) to the library <target>, which it makes when it is not
# there: waveforms as VCD, saving and restoring included.
function(horae_verilated target prefix top)
  cmake_parse_arguments(BLOCK "" "" "SOURCES;ARGS" ${ARGN})
  if(NOT TARGET ${target})
    add_library(${target} STATIC)
    set_target_properties(${target} PROPERTIES COMPILE_OPTIONS -w)
  endif()
  verilate(${target} PREFIX ${prefix} TOP_MODULE ${top} SOURCES ${BLOCK_SOURCES} TRACE
           OPT_SLOW -O0 OPT_FAST -O2
           VERILATOR_ARGS --savable -Wall -Wno-fatal -O3 ${BLOCK_ARGS})
  get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${includes}")
endfunction()
