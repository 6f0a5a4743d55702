// P4-16 text to a typed flat program.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horae/p4lang/program.hpp"
#include "horae/p4lang/shipped_p4.hpp"

namespace horae::p4lang {

enum class Target : std::uint8_t { tofino = 1, tofino2 = 2 };  ///< value of __TARGET_TOFINO__

struct Options {
  std::vector<std::string> include_folders;  ///< searched in this order, before what is shipped
  std::vector<std::string> defines;          ///< NAME or NAME=VALUE
  Target target = Target::tofino;
  /// Reads a file; nothing where there is none. From disk if not set.
  std::function<std::optional<std::string>(const std::string&)> read;
  std::span<const ShippedFile> shipped;  ///< files that `#include` finds last: shipped_p4
};

/// Reads the program of `file`. ProgramError for one that cannot be taken; InputError if there is
/// no such file.
Program compile(const std::string& file, const Options& options);

/// The tokens of `file` behind the preprocessor, one a line: what other preprocessors are held
/// against.
std::vector<std::string> preprocessed(const std::string& file, const Options& options);

}  // namespace horae::p4lang
