// Which hardware description stands for an ordering engine.
#pragma once

#include <string>

#include "horae/params/located.hpp"

namespace horae::policy {

/// A parameter beside those of the engines, for level `rtl` and `both`.
struct OrderingHardware {
  std::string rtl;  ///< its name; empty: the first that has what the configuration asks for

  static const Schema<OrderingHardware>& schema();
};

}  // namespace horae::policy
