# horae_room(<name> USES <rooms and libraries...> [COLD <sources...>] [SHARED_USE])
#
# One room of the architecture: a static library of src/*.cpp and src/*/*.cpp with include/ as its own
# include root. A room sees the headers of what it USES and of nothing else, so a wrong arrow does not compile
# (tb/arrows checks every pair). Its own sources include private headers of another folder by their path
# below src/. A room without sources is an interface library. COLD: sources, or
# patterns of them, that are never hot and long to compile: with HORAE_COLD, apart from the others.
# SHARED_USE: a shared library takes it in (scripts/python); calls inside it stay as direct as without.
function(horae_room name)
  cmake_parse_arguments(ROOM "SHARED_USE" "" "USES;COLD" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/src/*/*.cpp)
  # By name: which sources a unity build compiles together does not depend on their folders.
  list(SORT sources COMPARE FILE_BASENAME)
  set(parts horae_${name})
  if(ROOM_COLD)
    list(TRANSFORM ROOM_COLD PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    file(GLOB cold CONFIGURE_DEPENDS ${ROOM_COLD})
    list(REMOVE_ITEM sources ${cold})
    list(SORT cold COMPARE FILE_BASENAME)
    # Sources with options of their own are compiled one by one, those of a target at once.
    add_library(horae_${name}_cold OBJECT ${cold})
    target_compile_options(horae_${name}_cold PRIVATE ${HORAE_COLD})
    target_include_directories(horae_${name}_cold PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/src)
    target_link_libraries(horae_${name}_cold PRIVATE ${ROOM_USES})
    set_target_properties(horae_${name}_cold PROPERTIES POSITION_INDEPENDENT_CODE ON) # shared libraries take rooms
    list(APPEND sources $<TARGET_OBJECTS:horae_${name}_cold>)
    list(APPEND parts horae_${name}_cold)
  endif()
  if(sources)
    add_library(horae_${name} STATIC ${sources})
    target_include_directories(horae_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
    set(scope PUBLIC)
  else()
    add_library(horae_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(horae_${name} ${scope} $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)
  target_link_libraries(horae_${name} ${scope} ${ROOM_USES})
  if(ROOM_SHARED_USE)
    foreach(part IN LISTS parts)
      set_target_properties(${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      target_compile_options(${part} PRIVATE -fno-semantic-interposition)
    endforeach()
  endif()
  add_library(horae::${name} ALIAS horae_${name})
  set_property(GLOBAL APPEND PROPERTY HORAE_ROOMS ${name})
  set_property(GLOBAL PROPERTY HORAE_ROOM_${name} ${CMAKE_CURRENT_SOURCE_DIR})
endfunction()

# The rooms of models/ that an installation brings as libraries.
set(HORAE_INSTALLED_ROOMS core params capture policy dataplane p4 p4lang p4price p4prog programs p4chip traffic fabric tofino rnic)
