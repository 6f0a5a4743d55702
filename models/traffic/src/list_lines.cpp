#include "horae/traffic/list_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "horae/params/located.hpp"

namespace horae::traffic {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr std::string_view blanks = " \t";

/// The part of a line that is shown in a message.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out;
  for (const char c : text.substr(0, most))
    out += std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
  return text.size() > most ? out + "..." : out;
}

/// `mantissa` * 10^`exponent`, rounded half up; `most` + 1 for what is more than that.
std::uint64_t scaled(Wide mantissa, std::int64_t exponent, std::uint64_t most) {
  for (; exponent > 0 && mantissa != 0; --exponent) {
    if (mantissa > most) return most + 1;
    mantissa *= 10;
  }
  Wide rounding = 0;
  for (; exponent < 0 && mantissa != 0; ++exponent) {
    rounding = mantissa % 10 >= 5 ? 1 : 0;
    mantissa /= 10;
  }
  // Residue of rounding a number below a half does not count.
  if (exponent < 0) rounding = 0;
  mantissa += rounding;
  return mantissa > most ? most + 1 : static_cast<std::uint64_t>(mantissa);
}

}  // namespace

ListLines::ListLines(const std::string& path, std::string_view what, std::size_t longest)
    : path_(path),
      bytes_(path),
      what_(what),
      longest_(longest),
      buffer_(std::make_unique_for_overwrite<char[]>(longest + 2)) {
  file_.exceptions(std::ios::badbit);  // what is wrong with the file is said by `bytes_`
}

InputError ListLines::error(std::uint32_t column, std::string_view message) const {
  return input_error({path_, line_, column, {}}, message);
}

InputError ListLines::error_at(std::uint32_t line, std::string_view message) const {
  return input_error({path_, line, line == 0 ? 0u : 1u, {}}, message);
}

bool ListLines::next() {
  while (file_.getline(buffer_.get(), static_cast<std::streamsize>(longest_ + 2)) ||
         file_.gcount() > 0) {
    ++line_;
    auto length = static_cast<std::size_t>(file_.gcount());
    if (file_.fail()) {
      throw error(1,
                  fmt::format("a line of more than {} characters; expected {}", longest_, what_));
    }
    if (!file_.eof()) --length;  // the end of the line counts
    text_ = {buffer_.get(), length};
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (line_ == 1 && text_.starts_with(mark)) text_.remove_prefix(mark.size());
    if (text_.ends_with('\r')) text_.remove_suffix(1);
    const std::size_t first = text_.find_first_not_of(blanks);
    if (first != std::string_view::npos && text_[first] != '#') return true;
  }
  return false;
}

const std::vector<Word>& ListLines::words() {
  words_.clear();
  for (std::size_t at = 0;;) {
    const std::size_t first = text_.find_first_not_of(blanks, at);
    if (first == std::string_view::npos) return words_;
    at = std::min(text_.find_first_of(blanks, first), text_.size());
    words_.push_back({text_.substr(first, at - first), static_cast<std::uint32_t>(first + 1)});
  }
}

const std::vector<Word>& ListLines::cells(char separator) {
  words_.clear();
  for (std::size_t at = 0;; ++at) {
    const std::size_t end = std::min(text_.find(separator, at), text_.size());
    const std::size_t first = std::min(text_.find_first_not_of(blanks, at), end);
    std::string_view cell = text_.substr(first, end - first);
    cell = cell.substr(0, cell.find_last_not_of(blanks) + 1);
    words_.push_back({cell, static_cast<std::uint32_t>(first + 1)});
    at = end;
    if (at == text_.size()) return words_;
  }
}

std::uint64_t ListLines::whole(const Word& word, std::string_view what, std::uint64_t least,
                               std::uint64_t most) const {
  std::uint64_t value = 0;
  const char* end = word.text.data() + word.text.size();
  const auto parsed = std::from_chars(word.text.data(), end, value);
  if (parsed.ptr == end && parsed.ec == std::errc() && value >= least && value <= most)
    return value;
  throw error(word.column, fmt::format("{} = '{}'; expected a whole number from {} to {}", what,
                                       shown(word.text), least, most));
}

Picoseconds ListLines::time(const Word& word, std::string_view what, int digits) const {
  constexpr std::uint64_t most = 1'000'000'000'000'000'000;  // a million seconds
  constexpr Wide largest_mantissa = Wide{1} << 120;
  const auto refuse = [&](const char* expected) {
    return error(word.column,
                 fmt::format("{} = '{}'; expected {}", what, shown(word.text), expected));
  };
  Wide mantissa = 0;
  std::int64_t exponent = digits;
  bool any = false, point = false;
  std::size_t i = 0;
  for (; i < word.text.size(); ++i) {
    const char c = word.text[i];
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      any = true;
      if (mantissa > largest_mantissa) throw refuse("a number of fewer digits");
      mantissa = mantissa * 10 + static_cast<unsigned>(c - '0');
      if (point) --exponent;
    } else {
      break;
    }
  }
  if (any && i + 1 < word.text.size() && (word.text[i] == 'e' || word.text[i] == 'E')) {
    ++i;
    if (word.text[i] == '+') ++i;
    int power = 0;
    const char* end = word.text.data() + word.text.size();
    const auto parsed = std::from_chars(word.text.data() + i, end, power);
    if (parsed.ec != std::errc() || parsed.ptr != end) throw refuse("a number such as 2.5e-6");
    exponent += power;
    i = word.text.size();
  }
  if (!any || i != word.text.size()) throw refuse("a decimal number, 0 or more");
  const std::uint64_t ps = scaled(mantissa, exponent, most);
  if (ps > most) throw refuse("at most a million seconds");
  return Picoseconds(static_cast<std::int64_t>(ps));
}

Bytes ListLines::size(const Word& word) const {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  return Bytes(static_cast<std::int64_t>(whole(word, "size", 0, most)));
}

}  // namespace horae::traffic
