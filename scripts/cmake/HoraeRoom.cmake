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
