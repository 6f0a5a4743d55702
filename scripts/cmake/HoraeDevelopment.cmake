# The parts of an installation for other projects: headers, the rooms of models/ as static libraries, and a CMake
# package (find_package(horae)). platforms/plugins/README.md is its page.
#
# Plug-ins link none of these libraries: the program exports what its rooms have, so that there is one of each
# registry. Shared libraries would do the same, but each call between rooms would go through a table, and
# rooms would be position-independent code that others may replace.

# Rooms of the program that make a platform file run in a program of a user's (horae::embed), with what they use.
# Plug-ins may include the headers of results, config and workload, for kinds of traffic.
set(programs_rooms results control config workload ranks elaboration views run embed)

foreach(room IN LISTS HORAE_INSTALLED_ROOMS)
  set_target_properties(horae_${room} PROPERTIES EXPORT_NAME ${room})
  list(APPEND targets horae_${room})
  get_property(folder GLOBAL PROPERTY HORAE_ROOM_${room})
  install(DIRECTORY ${folder}/include/horae DESTINATION include)
endforeach()
foreach(room IN LISTS programs_rooms)
  set_target_properties(horae_${room} PROPERTIES EXPORT_NAME ${room})
  list(APPEND targets horae_${room})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms/program/${room}/include/horae DESTINATION include)
endforeach()
set_target_properties(horae_rtl PROPERTIES EXPORT_NAME rtl)
list(APPEND targets horae_rtl)
get_property(folder GLOBAL PROPERTY HORAE_ROOM_rtl)
install(DIRECTORY ${folder}/include/horae DESTINATION include)
if(TARGET horae_rtl_verilated)
  # Only linked with: what Verilator wrote stays here.
  foreach(property INTERFACE_INCLUDE_DIRECTORIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES)
    get_target_property(value horae_rtl_verilated ${property})
    set_target_properties(horae_rtl_verilated PROPERTIES ${property} "$<BUILD_INTERFACE:${value}>")
  endforeach()
  set_target_properties(horae_rtl_verilated PROPERTIES EXPORT_NAME rtl_verilated)
  list(APPEND targets horae_rtl_verilated)
endif()

# The shipped files that rooms find by name, as libraries.
foreach(variable shipped_chips shipped_nics shipped_workloads shipped_p4 shipped_bfrt)
  add_library(horae_packed_${variable} STATIC $<TARGET_OBJECTS:horae_${variable}>)
  set_target_properties(horae_packed_${variable} PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME ${variable}
    OUTPUT_NAME horae_${variable})
  list(APPEND targets horae_packed_${variable})
endforeach()

set_target_properties(horae_systemc PROPERTIES EXPORT_NAME systemc)
install(TARGETS ${targets} horae_systemc EXPORT horaeTargets ARCHIVE DESTINATION lib
  INCLUDES DESTINATION include)
# Debug information is left out.
install(CODE "file(GLOB archives \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/libhorae_*.a\")
execute_process(COMMAND ${CMAKE_STRIP} --strip-debug \${archives} COMMAND_ERROR_IS_FATAL ANY)")
install(EXPORT horaeTargets NAMESPACE horae:: DESTINATION lib/cmake/horae)

include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/horaeConfigVersion.cmake
  COMPATIBILITY ExactVersion)
list(JOIN HORAE_INSTALLED_ROOMS " " rooms)
string(APPEND rooms " rtl ")
list(JOIN programs_rooms " " more_rooms)
string(APPEND rooms "${more_rooms}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/package/horaeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/horaeConfig.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/horaeConfig.cmake ${PROJECT_BINARY_DIR}/horaeConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/package/plugin_abi.cpp
  ${PROJECT_SOURCE_DIR}/platforms/program/config/src/plugin_abi.hpp
  ${PROJECT_BINARY_DIR}/platforms/program/config/generated/plugin_digest.hpp DESTINATION lib/cmake/horae)

# All that is packed; the program is built alone where nothing is.
get_property(more GLOBAL PROPERTY HORAE_PACKED)
add_custom_target(packed DEPENDS horae ${targets} ${more})
