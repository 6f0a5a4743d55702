# Contents of an installation, and packages of it (scripts/package). The layout is that of a checkout, so
# that commands and links of the pages hold: bin/horae, include/, lib/, platforms/, scripts/, traces/, *.md.
# In the .deb it lies in /usr/lib/horae, and /usr/bin/horae leads to it.
# Left out: horae_mpi.so, since MPI belongs to the machine it runs on. Ranks over sockets work.

# The old kind of run path also holds for what the brought libraries need themselves.
target_link_options(horae PRIVATE LINKER:--disable-new-dtags)
# Built with the run path of an installation: CMake would fill its place with empty names, and each stands for the
# folder one happens to be in, where the loader would look first.
set_target_properties(horae PROPERTIES INSTALL_RPATH "$ORIGIN/../lib" BUILD_WITH_INSTALL_RPATH ON)
# Models for testbenches of others: library, headers, imports, example (models/facade).
target_link_options(horae_c PRIVATE LINKER:--disable-new-dtags)
set_target_properties(horae_c PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)

# Only built files are packed: building all again is not the business of an installation.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
install(TARGETS horae horae_c RUNTIME DESTINATION bin LIBRARY DESTINATION lib)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/facade/include ${PROJECT_SOURCE_DIR}/models/facade/sv
  ${PROJECT_SOURCE_DIR}/models/facade/example DESTINATION models/facade)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms ${PROJECT_SOURCE_DIR}/scripts
  ${PROJECT_SOURCE_DIR}/traces DESTINATION . USE_SOURCE_PERMISSIONS
  PATTERN CMakeLists.txt EXCLUDE
  PATTERN __pycache__ EXCLUDE
  PATTERN platforms/program EXCLUDE # what builds it is no part of it
  PATTERN platforms/plugins/build* EXCLUDE
  PATTERN platforms/embedding/build* EXCLUDE
  PATTERN scripts/python/src EXCLUDE
  PATTERN scripts/cmake EXCLUDE)
foreach(project plugins embedding)
  install(FILES ${PROJECT_SOURCE_DIR}/platforms/${project}/CMakeLists.txt DESTINATION platforms/${project})
endforeach()
# Pages that others link to.
file(GLOB_RECURSE pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/models/*.md ${PROJECT_SOURCE_DIR}/platforms/program/*.md ${PROJECT_SOURCE_DIR}/tb/*.md)
foreach(page IN LISTS pages)
  get_filename_component(folder ${page} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${page} DESTINATION ${folder})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION .)
# scripts/validate reads what to compare here.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tb/validate DESTINATION tb PATTERN *.cpp EXCLUDE)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/InstallLibraries.cmake)

set(CPACK_PACKAGE_NAME horae)
set(CPACK_PACKAGE_VENDOR "the Horae project")
set(CPACK_PACKAGE_CONTACT "the Horae project <horae@invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "SystemC models of a Tofino2 switch and of an RDMA NIC, with the price of their programs")
set(CPACK_PACKAGE_FILE_NAME horae-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_ARCHIVE_THREADS 0)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
# Dependencies of the program, by dpkg-shlibdeps; packages for scripts are only recommended.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "python3, python3-matplotlib, python3-scipy, python3-optuna, python3-jinja2, node-d3")
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/PackageOfKind.cmake)
include(CPack)
