// Where something stands in a program's text as it was written, and faults that say so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/error.hpp"

namespace horae::p4lang {

/// A place in a file as the user wrote it, before the preprocessor. What a macro made has the place
/// where the macro was used.
struct Place {
  std::uint32_t file = 0;    ///< index into the program's files
  std::uint32_t line = 0;    ///< from 1; 0: no place (what the front end made itself)
  std::uint32_t column = 0;  ///< from 1, in bytes
};

/// One fault or warning.
struct Fault {
  std::string file;  ///< as it was found: a path, or the name of a shipped file in angle brackets
  std::uint32_t line = 0;    ///< from 1; 0: the file as a whole
  std::uint32_t column = 0;  ///< from 1
  std::string message;       ///< what was found, what was expected, the nearest name; one line

  /// "file:line:column: message".
  std::string text() const;
};

/// A program that cannot be taken: what() is the first fault, and how many more there are, in one
/// line.
class ProgramError : public InputError {
 public:
  explicit ProgramError(std::vector<Fault> faults);
  /// All that are reported, in the order of their places in the translation; at least one.
  const std::vector<Fault>& faults() const { return faults_; }

 private:
  std::vector<Fault> faults_;
};

}  // namespace horae::p4lang
