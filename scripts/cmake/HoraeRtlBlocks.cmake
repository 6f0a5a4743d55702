# Hardware descriptions that lie outside the tree, each in a folder with a horae_rtl.toml (scripts/rtl).

# horae_rtl_block(<library> <folder> <lists>)
#
# Verilates the block in <folder> into <library>_verilated and adds its wrapper to <library>; its lines of the
# catalogue are appended to <lists>_declarations and <lists>_<kind>. One that cannot be taken is named in one line,
# and in <lists>_refused with the reason; everything else is configured as if it were not there.
function(horae_rtl_block library folder lists)
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
    set(${lists}_refused "${${lists}_refused}      {.name = \"${name}\", .refused = \"${said}\"},\n" PARENT_SCOPE)
    return()
  endif()
  include(${out}/block.cmake)
  get_property(names GLOBAL PROPERTY HORAE_RTL_BLOCK_NAMES)
  if(block_name IN_LIST names)
    message(STATUS "Horae: RTL block left out: ${folder}: another block is called '${block_name}'")
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY HORAE_RTL_BLOCK_NAMES ${block_name})
  horae_verilated(${library}_verilated VBlock_${block_name} ${block_top} SOURCES ${block_sources} ARGS ${block_args})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${block_sources})
  target_sources(${library} PRIVATE ${out}/block.cpp)
  set(${lists}_declarations
    "${${lists}_declarations}std::unique_ptr<${block_pins}> make_block_${block_name}(std::uint32_t seed);\n" PARENT_SCOPE)
  set(${lists}_${block_kind} "${${lists}_${block_kind}}${block_entry}" PARENT_SCOPE)
endfunction()
