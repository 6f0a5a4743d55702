# Debian 12's packages (names in scripts/setup) as imported targets.
find_package(PkgConfig REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

# Debian builds SystemC with autotools: pkg-config only, no CMake package.
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)

pkg_check_modules(IGRAPH REQUIRED IMPORTED_TARGET igraph>=0.10)
pkg_check_modules(PCAP REQUIRED IMPORTED_TARGET libpcap)
find_package(ZLIB REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)

# METIS has neither.
find_library(METIS_LIBRARY metis REQUIRED)
find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
add_library(horae::metis UNKNOWN IMPORTED)
set_target_properties(horae::metis PROPERTIES IMPORTED_LOCATION ${METIS_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${METIS_INCLUDE_DIR})

# Ranks: one run over several processes.
set(HORAE_WITH_MPI OFF)
if(NOT HORAE_MPI STREQUAL "OFF")
  if(HORAE_MPI STREQUAL "ON")
    set(required REQUIRED)
  endif()
  find_package(MPI COMPONENTS CXX ${required})
  find_package(Boost 1.74 ${required} OPTIONAL_COMPONENTS mpi)
  if(MPI_CXX_FOUND AND TARGET Boost::mpi)
    set(HORAE_WITH_MPI ON)
  elseif(HORAE_MPI STREQUAL "ON")
    message(FATAL_ERROR "HORAE_MPI=ON, but Boost.MPI is missing: see scripts/setup")
  else()
    message(STATUS "No MPI: ranks are refused at run time (scripts/setup installs it)")
  endif()
endif()

# The one target that carries SystemC. Debian's library exports the API tag of C++17; its headers
# accept C++20 when told to keep that tag. The same definitions must reach every SystemC user, or
# the link fails with an undefined sc_api_version symbol.
add_library(horae_systemc INTERFACE)
target_link_libraries(horae_systemc INTERFACE PkgConfig::SYSTEMC)
target_compile_definitions(horae_systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
add_library(horae::systemc ALIAS horae_systemc)

if(HORAE_TESTS)
  find_package(GTest 1.12 REQUIRED)
endif()
