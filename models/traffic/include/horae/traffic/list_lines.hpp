// Lines of a list (flows, links, operations): read one at a time, cut into words, numbers read
// exactly, faults placed.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/units.hpp"
#include "horae/core/unpacked_file.hpp"

namespace horae::traffic {

/// A part of a line.
struct Word {
  std::string_view text;
  std::uint32_t column = 1;
};

/// A file, packed with gzip or zstd or not, line by line in constant memory. Empty lines and those
/// that begin with # are passed over; lines may end as Windows ends them, and the file may begin
/// with a byte order mark.
class ListLines {
 public:
  /// `what` it should be, for messages; a longer line than `longest` is refused. InputError where
  /// it cannot be read.
  explicit ListLines(const std::string& path, std::string_view what = "a flow list",
                     std::size_t longest = 4094);
  ListLines(const ListLines&) = delete;  // its words lie in it
  ListLines& operator=(const ListLines&) = delete;

  /// Goes to the next line with something on it. False at the end of the file.
  bool next();
  /// From 1; at the end of the file, its last line.
  std::uint32_t line() const { return line_; }
  std::string_view text() const { return text_; }

  /// The line's words between blanks, or its cells between `separator`, trimmed. Good until the
  /// next line.
  const std::vector<Word>& words();
  const std::vector<Word>& cells(char separator);

  /// A fault of this line, of another one, or of the file.
  InputError error(std::uint32_t column, std::string_view message) const;
  InputError error_at(std::uint32_t line, std::string_view message) const;

  /// A whole number within the limits.
  std::uint64_t whole(const Word& word, std::string_view what, std::uint64_t least,
                      std::uint64_t most) const;
  /// A decimal number, with an exponent if need be, of 10^`digits` ps (12: seconds), rounded to the
  /// nearest picosecond; at most a million seconds.
  Picoseconds time(const Word& word, std::string_view what, int digits) const;
  /// The size of a flow: a byte to a tebibyte.
  Bytes size(const Word& word) const;

 private:
  std::string path_;
  UnpackedBuffer bytes_;
  std::istream file_{&bytes_};
  std::string what_;
  std::size_t longest_;
  std::unique_ptr<char[]> buffer_;  ///< of a line; memory that no line reaches is not touched
  std::string_view text_;
  std::uint32_t line_ = 0;
  std::vector<Word> words_;
};

}  // namespace horae::traffic
