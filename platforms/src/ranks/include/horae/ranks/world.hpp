// The processes of one run: started together by mpirun or srun, or by ourselves.
#pragma once

#include <memory>

#include "horae/fabric/rank_exchange.hpp"

namespace horae::ranks {

/// How many processes a launcher (mpirun, srun) started as one run, by what it left in the
/// environment; 1: none did.
unsigned launched();

/// Joins the other processes; null when there are none. MPI is loaded here and nowhere else, so a
/// program alone does not pay for it. InputError when this program was built without MPI, or when
/// its launcher does not speak it.
std::unique_ptr<fabric::rank_exchange> join();

/// Becomes mpirun, which starts `ranks` processes of this program with this process' arguments.
/// Returns by an InputError only: built without MPI, or no mpirun.
[[noreturn]] void launch(unsigned ranks);

}  // namespace horae::ranks
