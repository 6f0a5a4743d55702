// Files left by processes that were killed while they wrote: names, and a process that is over.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace horae::test {

/// The number of a process that is over.
inline pid_t dead_process() {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  ::waitpid(pid, nullptr, 0);
  return pid;
}

/// "NAME.KIND.HOST.PID": beside NAME, of that process of this host.
inline std::string left_name(const std::string& name, const std::string& kind, pid_t pid) {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  return name + "." + kind + "." + host + "." + std::to_string(pid);
}

}  // namespace horae::test
