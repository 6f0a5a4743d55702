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

/// Has mpirun start `ranks` processes of this program with this process' arguments, and waits for
/// them; they end with this process. Returns the exit code. InputError when built without MPI, or
/// when there is no mpirun; ModelError when a signal ended a rank.
int launch(unsigned ranks);

}  // namespace horae::ranks
