# horae_room(<name> USES <rooms and libraries...>)
#
# One room of the architecture: a static library of src/*.cpp with include/ as its own include root.
# A room sees the headers of what it USES and of nothing else, so a wrong arrow does not compile
# (tb/arrows checks every pair). A room without sources is an interface library.
function(horae_room name)
  cmake_parse_arguments(ROOM "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/src/*/*.cpp)
  if(sources)
    add_library(horae_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(horae_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(horae_${name} ${scope} ${CMAKE_CURRENT_SOURCE_DIR}/include)
  target_link_libraries(horae_${name} ${scope} ${ROOM_USES})
  add_library(horae::${name} ALIAS horae_${name})
  set_property(GLOBAL APPEND PROPERTY HORAE_ROOMS ${name})
  set_property(GLOBAL PROPERTY HORAE_ROOM_${name} ${CMAKE_CURRENT_SOURCE_DIR})
endfunction()

# horae_ship(<room> <variable> <folder>)
#
# Makes the *.toml of a folder below platforms/ part of a room's library, so that a name is enough
# wherever the program runs. The room declares horae::<room>::<variable> in src/<variable>.hpp.
function(horae_ship name variable folder)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/platforms/${folder}/*.toml)
  list(JOIN files "|" list)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${variable}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/scripts/cmake/WriteShipped.cmake)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${list}" -DNAMESPACE=horae::${name} -DVARIABLE=${variable}
            -DOUTPUT=${output} -P ${script}
    DEPENDS ${files} ${script} VERBATIM)
  target_sources(horae_${name} PRIVATE ${output})
  target_include_directories(horae_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
endfunction()
