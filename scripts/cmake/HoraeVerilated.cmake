# Verilated blocks. What Verilator writes is compiled without this project's warnings and
# sanitizers, and in unity builds a block's files at once.

# Whether Verilator takes these sources; asked again only when they, or the arguments, have changed.
function(horae_verilator_takes out prefix top sources arguments)
  set(text "${top} ${arguments}")
  foreach(file IN LISTS sources)
    if(EXISTS ${file})
      file(SHA256 ${file} hash)
      string(APPEND text " ${hash}")
    endif()
  endforeach()
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${prefix}.taken)
  if(EXISTS ${stamp})
    file(READ ${stamp} before)
  endif()
  set(${out} ON PARENT_SCOPE)
  if(NOT "${before}" STREQUAL "${text}")
    execute_process(COMMAND ${VERILATOR_BIN} --lint-only -Wno-fatal --top-module ${top} ${arguments} ${sources}
      RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
    if(code EQUAL 0)
      file(WRITE ${stamp} "${text}")
    else()
      string(REGEX MATCH "%Error[^\n]*" said "${said}")
      message(STATUS "Horae: RTL ${top} (${prefix}) left out: ${said}")
      set(${out} OFF PARENT_SCOPE)
    endif()
  endif()
endfunction()

# horae_verilated(<target> <prefix> <top> SOURCES <files...> ARGS <arguments of verilator...>)
#
# Adds the class <prefix> (header <prefix>.h) to the library <target>, which it makes when it is not
# there: waveforms as VCD, saving and restoring included. <prefix>_BUILT says whether it did: a block that
# Verilator does not take is named in one line, and all the rest is configured.
function(horae_verilated target prefix top)
  cmake_parse_arguments(BLOCK "" "" "SOURCES;ARGS" ${ARGN})
  set(${prefix}_BUILT OFF PARENT_SCOPE)
  horae_verilator_takes(taken ${prefix} ${top} "${BLOCK_SOURCES}" "${BLOCK_ARGS}")
  if(NOT taken)
    return()
  endif()
  set(${prefix}_BUILT ON PARENT_SCOPE)
  if(NOT TARGET ${target})
    add_library(${target} STATIC)
    set_target_properties(${target} PROPERTIES COMPILE_OPTIONS -w UNITY_BUILD_MODE GROUP)
  endif()
  # Verilator 5.006 has no coverage of what can be saved. Variants that are wrong on purpose are not asked.
  set(saving --savable)
  set(coverage "")
  if(HORAE_RTL_COVERAGE)
    set(saving "")
    if(NOT "${BLOCK_ARGS}" MATCHES "_BREAK")
      set(coverage COVERAGE)
    endif()
  endif()
  verilate(${target} PREFIX ${prefix} TOP_MODULE ${top} SOURCES ${BLOCK_SOURCES} TRACE ${coverage}
           VERILATOR_ARGS ${saving} -Wall -Wno-fatal -O3 ${BLOCK_ARGS})
  get_target_property(files ${target} SOURCES)
  list(FILTER files INCLUDE REGEX "/${prefix}\\.dir/.*\\.cpp$")
  set_source_files_properties(${files} PROPERTIES UNITY_GROUP ${prefix})
  get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${includes}")
endfunction()
