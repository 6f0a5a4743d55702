// Where a parameter was given, and messages that say so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "horae/core/error.hpp"

namespace horae {

/// Where a value was given: a place in a file or an override on the command line.
struct Location {
  std::string file;          ///< as the user named it; empty when the value is a default
  std::uint32_t line = 0;    ///< from 1; 0 = the file as a whole
  std::uint32_t column = 0;  ///< from 1, in characters
  std::string override_key;  ///< the key of the `--set` it came from; empty when from a file

  /// "file:line:column", "file", "--set a.b.c", or empty for a default.
  std::string text() const;
};

/// An InputError "where: message", for checks made after reading; without a where, the message.
InputError input_error(const Location& where, std::string_view message);

}  // namespace horae
