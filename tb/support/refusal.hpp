// Message with which bad input is refused.
#pragma once

#include <string>

#include "horae/core/error.hpp"

namespace horae::test {

/// The message of the InputError that `work` ends in; "accepted" if there is none.
template <class F>
std::string refusal_of(F&& work) {
  try {
    work();
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace horae::test
