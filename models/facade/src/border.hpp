// Nothing that is thrown leaves the library.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/facade/facade.h"

namespace horae::facade {

/// Keeps `message` for horae_error; never throws.
void note_error(const char* message) noexcept;

/// Calls `work`; what it throws becomes a status and horae_error's line.
template <class Work>
int guarded(Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return HORAE_OK;
  } catch (const InputError& e) {
    note_error(e.what());
    return HORAE_REFUSED;
  } catch (const std::exception& e) {
    note_error(e.what());
    return HORAE_BROKEN;
  } catch (...) {
    note_error("unknown error");
    return HORAE_BROKEN;
  }
}

/// InputError where a pointer of the caller is null.
template <class T>
T& given(T* pointer, const char* name) {
  if (pointer == nullptr) throw InputError(std::string(name) + " is null; expected an object");
  return *pointer;
}

}  // namespace horae::facade
