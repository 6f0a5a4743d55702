# Verilated blocks. What Verilator writes is compiled without this project's warnings and
# sanitizers, and in unity builds a block's files at once.

# horae_verilated(<target> <prefix> <top> SOURCES <files...> ARGS <arguments of verilator...>)
#
# Adds the class <prefix> (header <prefix>.h) to the library <target>, which it makes when it is not
# there: waveforms as VCD, saving and restoring included.
function(horae_verilated target prefix top)
  cmake_parse_arguments(BLOCK "" "" "SOURCES;ARGS" ${ARGN})
  if(NOT TARGET ${target})
    add_library(${target} STATIC)
    set_target_properties(${target} PROPERTIES COMPILE_OPTIONS -w UNITY_BUILD_MODE GROUP)
  endif()
  verilate(${target} PREFIX ${prefix} TOP_MODULE ${top} SOURCES ${BLOCK_SOURCES} TRACE
           VERILATOR_ARGS --savable -Wall -Wno-fatal -O3 ${BLOCK_ARGS})
  get_target_property(files ${target} SOURCES)
  list(FILTER files INCLUDE REGEX "/${prefix}\\.dir/.*\\.cpp$")
  set_source_files_properties(${files} PROPERTIES UNITY_GROUP ${prefix})
  get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${includes}")
endfunction()
