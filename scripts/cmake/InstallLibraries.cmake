# At installation: the libraries that the program and libhorae_c.so need, unless a package manager brings them. Left out is
# what belongs to the machine: the C library and its loader.
set(program "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/horae")
set(facade "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/libhorae_c.so")
if(CMAKE_INSTALL_PREFIX MATCHES "/usr/lib/horae$")
  # The .deb: dependencies are packages, and a command is on everybody's path.
  file(MAKE_DIRECTORY "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/../../bin")
  file(CREATE_LINK ../lib/horae/bin/horae "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/../../bin/horae"
    SYMBOLIC)
  file(RPATH_REMOVE FILE "${program}")
  file(RPATH_REMOVE FILE "${facade}")
  return()
endif()
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "${program}" LIBRARIES "${facade}" RESOLVED_DEPENDENCIES_VAR libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv)[.]so")
foreach(library IN LISTS libraries)
  file(REAL_PATH "${library}" real)
  get_filename_component(name "${library}" NAME)
  # Each by the name that the program asks for.
  file(INSTALL "${real}" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib" TYPE FILE RENAME "${name}")
  list(APPEND files "${library}" "${real}")
endforeach()
# Their licences, where Debian's packages say them.
execute_process(COMMAND dpkg-query -S ${files} OUTPUT_VARIABLE owners ERROR_QUIET)
string(REGEX MATCHALL "(^|\n)[^:\n]+" owners "${owners}")
list(TRANSFORM owners STRIP)
list(REMOVE_DUPLICATES owners)
foreach(package IN LISTS owners)
  if(EXISTS "/usr/share/doc/${package}/copyright")
    file(REAL_PATH "/usr/share/doc/${package}/copyright" text)
    file(INSTALL "${text}" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/licences" TYPE FILE RENAME "${package}")
  endif()
endforeach()
