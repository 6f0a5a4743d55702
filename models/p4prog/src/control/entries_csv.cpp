// Entries files as CSV.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "horae/core/error.hpp"
#include "horae/core/heading.hpp"
#include "horae/p4prog/entries.hpp"

namespace horae::p4prog {

/// Reads one text; every error of it has a place.
class EntriesCsv {
 public:
  EntriesCsv(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Entries read() {
    if (!next_line()) throw error(1, "an empty file; expected a line of column names");
    read_header();
    Entries out;
    while (next_line()) {
      if (blank(line_)) continue;
      out.lines_.push_back(entry());
    }
    return out;
  }

 private:
  enum Column : std::size_t { table, match, action, priority, data, columns };
  static constexpr std::array<std::string_view, columns> names = {"table", "match", "action",
                                                                  "priority", "data"};

  static bool blank(std::string_view s) {
    return s.find_first_not_of(" \t") == std::string_view::npos || s.starts_with('#');
  }
  static std::string_view trimmed(std::string_view s, std::size_t& column) {
    const std::size_t from = std::min(s.find_first_not_of(" \t"), s.size());
    column += from;
    s.remove_prefix(from);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
    return s;
  }

  bool next_line() {
    if (at_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line_ = text_.substr(at_, end - at_);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    at_ = end + 1;
    ++number_;
    return true;
  }
  Location place(std::size_t column) const {
    return {name_, std::max(number_, 1u), static_cast<std::uint32_t>(column), {}};
  }
  InputError error(std::size_t column, const std::string& what) const {
    return input_error(place(column), what);
  }

  /// The cells of the line, with the columns of text where they begin, from 1.
  std::vector<PlacedText> cells() const {
    std::vector<PlacedText> out;
    for (std::size_t at = 0;;) {
      std::size_t begin = std::min(line_.find_first_not_of(" \t", at), line_.size());
      std::string cell;
      if (begin < line_.size() && line_[begin] == '"') {
        const std::size_t from = begin++;
        for (;; ++begin) {
          if (begin >= line_.size()) throw error(from + 1, "a quote that does not end");
          if (line_[begin] != '"') {
            cell += line_[begin];
          } else if (begin + 1 < line_.size() && line_[begin + 1] == '"') {
            cell += line_[begin++];
          } else {
            break;
          }
        }
        out.push_back({cell, place(from + 2)});
        at = std::min(line_.find_first_not_of(" \t", begin + 1), line_.size());
        if (at < line_.size() && line_[at] != ',')
          throw error(at + 1, fmt::format("'{}' behind a quoted cell; expected ','", line_[at]));
      } else {
        const std::size_t end = std::min(line_.find(',', begin), line_.size());
        std::size_t column = begin + 1;
        const auto text = trimmed(line_.substr(begin, end - begin), column);
        out.push_back({std::string(text), place(column)});
        at = end;
      }
      if (at >= line_.size()) return out;
      ++at;
    }
  }

  void read_header() {
    std::vector<HeadingCell> heading;
    for (const PlacedText& cell : cells()) heading.push_back({cell.text, cell.where.column});
    column_ = columns_of(heading, names, 2, [&](std::uint32_t column, const std::string& message) {
      throw error(column, message);
    });
    width_ = heading.size();
  }

  /// KEY=VALUE; KEY=VALUE
  std::vector<Entries::Item> items(const PlacedText& cell) const {
    std::vector<Entries::Item> out;
    for (std::size_t at = 0; at < cell.text.size();) {
      const std::size_t end = std::min(cell.text.find(';', at), cell.text.size());
      std::size_t column = cell.where.column + at;
      const auto item = trimmed(std::string_view(cell.text).substr(at, end - at), column);
      at = end + 1;
      if (item.empty()) continue;
      const std::size_t equal = item.find('=');
      if (equal == std::string_view::npos)
        throw error(column, fmt::format("'{}'; expected NAME=VALUE with ; between them", item));
      std::size_t ignored = 0, value_column = column + equal + 1;
      const auto value = trimmed(item.substr(equal + 1), value_column);
      out.push_back({std::string(trimmed(item.substr(0, equal), ignored)),
                     {std::string(value), place(value_column)}});
    }
    return out;
  }

  Entries::Line entry() const {
    const auto row = cells();
    if (row.size() != width_)
      throw error(1, fmt::format("{} columns; expected {}", row.size(), width_));
    const auto cell = [&](Column c) {
      return column_[c] == no_column ? PlacedText{"", place(1)} : row[column_[c]];
    };
    Entries::Line line;
    line.where = place(1);
    line.table = cell(table);
    line.is_default = cell(match).text == "default";
    if (!line.is_default) line.match = items(cell(match));
    if (const PlacedText p = cell(priority); !p.text.empty()) {
      std::int64_t value = 0;
      const char* const last = p.text.data() + p.text.size();
      const auto [end, fault] = std::from_chars(p.text.data(), last, value);
      if (fault != std::errc() || end != last)
        throw input_error(p.where, fmt::format("priority = '{}'; expected a whole number", p.text));
      if (line.is_default) throw input_error(p.where, "a default action has no priority");
      line.priority = value;
    }
    line.action = cell(action);
    line.data = items(cell(data));
    return line;
  }

  std::string_view text_, line_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::uint32_t number_ = 0;
  std::vector<std::size_t> column_;
  std::size_t width_ = 0;
};

Entries Entries::parse_csv(std::string_view text, const std::string& name) {
  return EntriesCsv(text, name).read();
}

}  // namespace horae::p4prog
