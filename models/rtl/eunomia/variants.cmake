# The Verilated variants of eunomia_top: parameters of hardware are fixed when it is built.
set(eunomia_sources
    eunomia_pkg master_array run_search memory_controller hd_bitmap packet_driver eunomia_top)
list(TRANSFORM eunomia_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/eunomia/)
list(TRANSFORM eunomia_sources APPEND .sv)

set(eunomia_declarations "")
set(eunomia_entries "")

# horae_eunomia(<name> [BROKEN] BLOCKS <n> BLOCK_BITS <n> ...): parameters of eunomia_top.
function(horae_eunomia NAME)
  set(parameters
      BLOCKS BLOCK_BITS CAP_BITS CONNECTIONS INDEX_ENTRIES SEARCH_WIDTH MEMORY PORT_WORDS)
  cmake_parse_arguments(P "BROKEN" "${parameters}" "" ${ARGN})
  set(shape "")
  set(arguments "")
  set(BROKEN false)
  foreach(parameter IN LISTS parameters)
    list(APPEND arguments -G${parameter}=${P_${parameter}})
    string(APPEND shape "${P_${parameter}}, ")
  endforeach()
  if(P_BROKEN)
    list(APPEND arguments -DEUNOMIA_BREAK)
    set(BROKEN true)
  endif()
  set(SHAPE "${shape}${BROKEN}")
  horae_verilated(horae_rtl_verilated VEunomia_${NAME} eunomia_top
    SOURCES ${eunomia_sources} ARGS ${arguments})
  if(NOT VEunomia_${NAME}_BUILT)
    return()
  endif()
  configure_file(eunomia/variant.cpp.in eunomia/${NAME}.cpp @ONLY)
  target_sources(horae_rtl PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/eunomia/${NAME}.cpp)
  string(APPEND eunomia_declarations "extern const EunomiaVariant eunomia_${NAME};\n")
  string(APPEND eunomia_entries "      &eunomia_${NAME},\n")
  set(eunomia_declarations "${eunomia_declarations}" PARENT_SCOPE)
  set(eunomia_entries "${eunomia_entries}" PARENT_SCOPE)
endfunction()

if(HORAE_WITH_RTL)
  # The first that has what a configuration asks for is taken; the first line is the paper's.
  horae_eunomia(paper BLOCKS 1024 BLOCK_BITS 16 CAP_BITS 256 CONNECTIONS 256 INDEX_ENTRIES 64
                SEARCH_WIDTH 64 MEMORY 0 PORT_WORDS 1)
  horae_eunomia(block_ram BLOCKS 1024 BLOCK_BITS 16 CAP_BITS 256 CONNECTIONS 256 INDEX_ENTRIES 64
                SEARCH_WIDTH 64 MEMORY 1 PORT_WORDS 1)
  # Small ones, which run out of everything.
  horae_eunomia(small BLOCKS 64 BLOCK_BITS 16 CAP_BITS 96 CONNECTIONS 16 INDEX_ENTRIES 5
                SEARCH_WIDTH 8 MEMORY 0 PORT_WORDS 1)
  horae_eunomia(small_ram BLOCKS 64 BLOCK_BITS 32 CAP_BITS 160 CONNECTIONS 16 INDEX_ENTRIES 3
                SEARCH_WIDTH 64 MEMORY 1 PORT_WORDS 1)
  horae_eunomia(small_wide BLOCKS 92 BLOCK_BITS 32 CAP_BITS 128 CONNECTIONS 16 INDEX_ENTRIES 5
                SEARCH_WIDTH 24 MEMORY 0 PORT_WORDS 4)
  # As small, with a line that is wrong: the tests' proof that a comparison would see it.
  horae_eunomia(broken BROKEN BLOCKS 64 BLOCK_BITS 16 CAP_BITS 96 CONNECTIONS 16 INDEX_ENTRIES 5
                SEARCH_WIDTH 8 MEMORY 0 PORT_WORDS 1)
endif()
configure_file(eunomia/catalogue.cpp.in eunomia/catalogue.cpp @ONLY)
target_sources(horae_rtl PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/eunomia/catalogue.cpp)
target_include_directories(horae_rtl PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
