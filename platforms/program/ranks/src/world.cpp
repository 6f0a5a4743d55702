#include "horae/ranks/world.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "horae/core/error.hpp"
#include "mpi_module.hpp"

namespace horae::ranks {
namespace {

unsigned number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

/// Open MPI, then the two protocols by which other launchers count.
unsigned by_mpi() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const unsigned n = number_in(variable); n > 0) return n;
  }
  return std::getenv("PMIX_RANK") != nullptr ? number_in("SLURM_STEP_NUM_TASKS") : 0;
}

std::filesystem::path module_path() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / mpi_module_file;
}

}  // namespace

unsigned launched() {
  const unsigned by_slurm = number_in("SLURM_STEP_NUM_TASKS");
  return std::max({1u, by_mpi(), by_slurm});
}

void require_mpi() {
  if (HORAE_WITH_MPI) return;
  throw InputError(
      "several ranks need MPI, which this horae was built without: configure it with "
      "-DHORAE_MPI=ON (scripts/setup installs Open MPI)");
}

std::unique_ptr<fabric::rank_exchange> join() {
  const unsigned ranks = launched();
  if (ranks == 1) return nullptr;
  require_mpi();
  if (by_mpi() == 0) {
    throw InputError(fmt::format(
        "srun started {} tasks without MPI: expected srun --mpi=pmix, or one task", ranks));
  }
  void* module = ::dlopen(module_path().c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) throw InputError(fmt::format("MPI cannot be loaded: {}", ::dlerror()));
  auto* const join_mpi = reinterpret_cast<join_mpi_function*>(::dlsym(module, join_mpi_name));
  if (join_mpi == nullptr) throw InputError(fmt::format("MPI cannot be loaded: {}", ::dlerror()));
  return std::unique_ptr<fabric::rank_exchange>(join_mpi());
}

}  // namespace horae::ranks
