#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/ranks/world.hpp"
#include "mpi_module.hpp"

namespace horae::ranks {
namespace {

/// As this process was started.
std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string word; std::getline(file, word, '\0');) arguments.push_back(word);
  return arguments;
}

/// What Open MPI is to do differently on one machine; what the user has set stays.
void choose_settings(unsigned ranks) {
  const auto choose = [](const char* name, const char* value) { ::setenv(name, value, 0); };
  choose("OMPI_MCA_orte_execute_quiet", "1");  // failures have our own line
  choose("OMPI_MCA_rmaps_base_oversubscribe", "1");
  // Two runs at the same time would be bound to the same cores.
  choose("OMPI_MCA_hwloc_base_binding_policy", "none");
  if (ranks > std::thread::hardware_concurrency()) choose("OMPI_MCA_mpi_yield_when_idle", "1");
  if (::geteuid() == 0) {  // as in containers; mpirun refuses otherwise
    choose("OMPI_ALLOW_RUN_AS_ROOT", "1");
    choose("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
}

}  // namespace

void launch(unsigned ranks) {
  require_mpi();
  choose_settings(ranks);
  std::vector<std::string> words = own_arguments();
  words.front() = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::vector<std::string> launcher = {"mpirun", "-n", std::to_string(ranks)};
  words.insert(words.begin(), launcher.begin(), launcher.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv.front(), argv.data());
  throw InputError(fmt::format("mpirun: {}; scripts/setup installs it", std::strerror(errno)));
}

}  // namespace horae::ranks
