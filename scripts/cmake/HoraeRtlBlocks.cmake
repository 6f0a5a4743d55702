# Hardware descriptions that lie outside the tree, each in a folder with a horae_rtl.toml (scripts/rtl).

# horae_rtl_block(<library> <folder> <declarations> <entries>)
#
# Verilates the block in <folder> into <library>_verilated and adds its wrapper to <library>; its lines of the
# catalogue are appended to the two variables. One that cannot be taken is named in one line, and in the
# catalogue with the reason; everything else is configured as if it were not there.
function(horae_rtl_block library folder declarations_name entries_name)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  string(SHA256 key "${folder}")
  string(SUBSTRING ${key} 0 12 key)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/blocks/${key})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/horae_rtl.toml)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -B ${HORAE_RTL_SCRIPT} generate ${folder} --out ${out} --verilator ${VERILATOR_BIN}
    RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
  if(NOT code EQUAL 0)
    string(REGEX REPLACE "\n.*" "" said "${said}")
    string(REGEX REPLACE "^scripts/rtl: " "" said "${said}")
    message(STATUS "Horae: RTL block left out: ${said}")
    get_filename_component(name ${folder} NAME)
    string(REPLACE "\\" "\\\\" said "${said}")
    string(REPLACE "\"" "\\\"" said "${said}")
    set(${entries_name} "${${entries_name}}      {.name = \"${name}\", .refused = \"${said}\", .model = \"\"},\n" PARENT_SCOPE)
    return()
  endif()
  include(${out}/block.cmake)
  horae_verilated(${library}_verilated VBlock_${block_name} ${block_top} SOURCES ${block_sources} ARGS ${block_args})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${block_sources})
  target_sources(${library} PRIVATE ${out}/block.cpp)
  set(${declarations_name}
    "${${declarations_name}}std::unique_ptr<OrderingTop> make_block_${block_name}(std::uint32_t seed);\n" PARENT_SCOPE)
  set(${entries_name} "${${entries_name}}${block_entry}" PARENT_SCOPE)
endfunction()
