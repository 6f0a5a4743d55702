// Which hardware description stands for an entropy scheme.
#pragma once

#include <optional>
#include <string>

#include "horae/params/located.hpp"

namespace horae::policy {

/// Parameters beside those of the schemes, for a NIC whose scheme runs as hardware.
struct EntropyHardware {
  std::optional<std::string> level{};  ///< model, rtl, both; absent: model
  std::optional<std::string> rtl{};    ///< its name; absent: the first that fits

  static const Schema<EntropyHardware>& schema();
};

}  // namespace horae::policy
