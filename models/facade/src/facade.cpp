#include "horae/facade/facade.h"

#include <cstring>

#include "border.hpp"

namespace horae::facade {
namespace {

// The buffer has a fixed size: the error may be that there is no memory.
thread_local char last_error[512] = "";

}  // namespace

void note_error(const char* message) noexcept {
  std::strncpy(last_error, message, sizeof last_error - 1);
}

}  // namespace horae::facade

int horae_facade_version(void) { return HORAE_FACADE_VERSION; }

const char* horae_error(void) { return horae::facade::last_error; }
