#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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

/// How mpirun says that a signal ended a process.
constexpr int signal_base = 128;

/// As this process was started.
std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string word; std::getline(file, word, '\0');) arguments.push_back(word);
  return arguments;
}

/// Settings for Open MPI on one machine; settings of the user stay.
void choose_settings(unsigned ranks) {
  const auto choose = [](const char* name, const char* value) { ::setenv(name, value, 0); };
  choose("OMPI_MCA_orte_execute_quiet", "1");  // failures have our own line
  choose("OMPI_MCA_rmaps_base_oversubscribe", "1");
  // Shared memory is all that ranks of one machine need. Looking for networks takes 0.2 s.
  choose("OMPI_MCA_pml", "ob1");
  choose("OMPI_MCA_btl", "self,vader");
  // Two runs at the same time would be bound to the same cores.
  choose("OMPI_MCA_hwloc_base_binding_policy", "none");
  if (ranks > std::thread::hardware_concurrency()) choose("OMPI_MCA_mpi_yield_when_idle", "1");
  if (::geteuid() == 0) {  // as in containers; mpirun refuses otherwise
    choose("OMPI_ALLOW_RUN_AS_ROOT", "1");
    choose("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
}

}  // namespace

int launch(unsigned ranks) {
  require_mpi();
  choose_settings(ranks);
  std::vector<std::string> words = own_arguments();
  words.front() = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::vector<std::string> launcher = {"mpirun", "-n", std::to_string(ranks)};
  words.insert(words.begin(), launcher.begin(), launcher.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  constexpr int not_found = 127;
  const pid_t child = ::fork();
  if (child < 0) throw InputError(fmt::format("mpirun: {}", std::strerror(errno)));
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::execvp(argv.front(), argv.data());
    ::_exit(not_found);
  }
  ::signal(SIGINT, SIG_IGN);  // a terminal tells mpirun as well, which then ends with that
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = WIFSIGNALED(status) ? signal_base + WTERMSIG(status) : WEXITSTATUS(status);
  if (code == not_found) throw InputError("mpirun cannot be started; scripts/setup installs it");
  if (code > signal_base) {
    throw ModelError(fmt::format("a rank, or mpirun, was ended by a signal: {}",
                                 ::strsignal(code - signal_base)));
  }
  return code;
}

}  // namespace horae::ranks
