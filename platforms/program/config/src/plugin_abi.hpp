// Properties that a plug-in and the program that loads it must share. Compiled into both.
#pragma once

#include <fmt/core.h>
#include <sysc/kernel/sc_ver.h>

#include <algorithm>
#include <array>
#include <boost/version.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "plugin_digest.hpp"

namespace horae::config {

/// A plug-in has one as `horae_plugin_abi`. The program finds it by `mark` in the file, before any
/// code of the plug-in runs.
struct PluginAbi {
  static constexpr std::string_view kind = "horae plug-in 1";
  /// Names of `numbers`.
  static constexpr std::array<std::string_view, 7> names = {
      "C++", "compiler ABI", "std::string ABI", "SystemC", "Boost", "fmt", "nlohmann json"};

  std::array<char, 16> mark{};
  std::array<char, 16> version{};  ///< of Horae
  std::array<char, 16> digest{};   ///< of its headers
  std::array<std::int64_t, names.size()> numbers{};

  /// That of what is being compiled.
  static constexpr PluginAbi here() {
    PluginAbi abi;
    const auto copy = [](std::string_view text, std::array<char, 16>& to) {
      std::copy_n(text.begin(), std::min(text.size(), to.size()), to.begin());
    };
    copy(kind, abi.mark);
    abi.mark[0] = 'H';  // no other text of the file is the same
    copy(plugin_version, abi.version);
    copy(plugin_digest, abi.digest);
    abi.numbers = {__cplusplus,
                   __GXX_ABI_VERSION,
                   _GLIBCXX_USE_CXX11_ABI,
                   SYSTEMC_VERSION,
                   BOOST_VERSION,
                   FMT_VERSION,
                   NLOHMANN_JSON_VERSION_MAJOR * 10000 + NLOHMANN_JSON_VERSION_MINOR * 100 +
                       NLOHMANN_JSON_VERSION_PATCH};
    return abi;
  }
};

}  // namespace horae::config
