// What tests of the hardware's rules share.
#pragma once

#include <string>

#include "horae/core/error.hpp"

namespace horae::dataplane {

/// The message of the ModelError that `work` must end in.
template <class F>
std::string broken_rule(F&& work) {
  try {
    work();
  } catch (const ModelError& e) {
    return e.what();
  }
  return "nothing was refused";
}

}  // namespace horae::dataplane
