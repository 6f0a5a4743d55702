// A text whose lines are nested by their indentation (internal to the room).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace horae::p4 {

/// A line with the lines that are indented deeper below it. The assembler file looks like YAML but
/// is none: keys stand twice in a map and start with characters that YAML keeps for itself.
struct IndentedLine {
  std::string_view text;  ///< without the indentation
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::vector<IndentedLine> below;

  /// The key of "key: value"; the whole text when there is none.
  std::string_view key() const;
  /// Text behind "key:", without spaces around it.
  std::string_view value() const;
  /// The first line below with that key.
  const IndentedLine* find(std::string_view wanted) const;
};

/// The tree of a text, which must outlive it. Blank lines are left out.
std::vector<IndentedLine> parse_indented(std::string_view text);

std::string_view trimmed(std::string_view text);
/// The entries of "{ key: value, key: value }"; without braces, of the text. Commas inside brackets
/// divide nothing.
std::vector<std::pair<std::string_view, std::string_view>> map_entries(std::string_view text);

}  // namespace horae::p4
