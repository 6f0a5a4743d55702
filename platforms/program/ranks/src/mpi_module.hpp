// Interface between the program and its MPI module, which is loaded when it is needed.
#pragma once

#include "horae/fabric/rank_exchange.hpp"

namespace horae::ranks {

/// Beside the program.
inline constexpr const char* mpi_module_file = "horae_mpi.so";
/// Starts MPI; it ends with the object. The caller owns it.
using join_mpi_function = fabric::rank_exchange*();
inline constexpr const char* join_mpi_name = "horae_join_mpi";

/// InputError when the program was built without MPI.
void require_mpi();

}  // namespace horae::ranks
