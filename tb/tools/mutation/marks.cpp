// Which switches are passed, and which one is on: of a test binary and of programs that it starts.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "switch.hpp"

namespace horae_mutation {

int active = 0;
unsigned char* reached = nullptr;

void begin() {
  const char* file = std::getenv("HORAE_MUTATION_MARKS");
  const int fd = file == nullptr ? -1 : ::open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file != nullptr && (fd < 0 || ::ftruncate(fd, kSwitches) != 0)) std::abort();
  void* shared = ::mmap(nullptr, kSwitches, PROT_READ | PROT_WRITE,
                        MAP_SHARED | (file == nullptr ? MAP_ANONYMOUS : 0), fd, 0);
  if (shared == MAP_FAILED) std::abort();
  if (fd >= 0) ::close(fd);
  reached = static_cast<unsigned char*>(shared);
  const char* number = std::getenv("HORAE_MUTATION");
  active = number == nullptr ? 0 : std::atoi(number);
}

}  // namespace horae_mutation
