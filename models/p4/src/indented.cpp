#include "indented.hpp"

#include <algorithm>

namespace horae::p4 {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

std::string_view IndentedLine::key() const {
  // "name : value" in lists of fields; ':' within brackets belongs to the name.
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
    if (depth == 0 && text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' '))
      return trimmed(text.substr(0, i));
  }
  return text;
}

std::string_view IndentedLine::value() const {
  const std::string_view k = key();
  if (k.size() == text.size()) return {};
  std::string_view rest = text.substr(static_cast<std::size_t>(k.data() - text.data()) + k.size());
  rest = trimmed(rest);
  if (!rest.empty()) rest.remove_prefix(1);  // the ':'
  return trimmed(rest);
}

const IndentedLine* IndentedLine::find(std::string_view wanted) const {
  for (const auto& each : below) {
    if (each.key() == wanted) return &each;
  }
  return nullptr;
}

std::vector<IndentedLine> parse_indented(std::string_view text) {
  IndentedLine root;
  struct Open {
    std::size_t indent;
    IndentedLine* line;
  };
  // The root is above every indentation; an entry's lines are added while it is the last open one.
  std::vector<Open> open = {{0, &root}};
  std::uint32_t number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view raw = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    ++number;
    const auto indent = raw.find_first_not_of(' ');
    if (indent == std::string_view::npos || trimmed(raw).empty()) continue;
    while (open.size() > 1 && open.back().indent >= indent + 1) open.pop_back();
    IndentedLine& parent = *open.back().line;
    parent.below.push_back({trimmed(raw), number, static_cast<std::uint32_t>(indent + 1), {}});
    // A file of one level per line would recurse as deep when it is given back.
    constexpr std::size_t deepest = 64;
    if (open.size() < deepest) open.push_back({indent + 1, &parent.below.back()});
  }
  return std::move(root.below);
}

std::vector<std::pair<std::string_view, std::string_view>> map_entries(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && text.front() == '{') text.remove_prefix(1);
  if (const auto end = text.rfind('}');
      end != std::string_view::npos &&
      std::count(text.begin(), text.end(), '{') < std::count(text.begin(), text.end(), '}')) {
    text = text.substr(0, end);
  }
  std::vector<std::pair<std::string_view, std::string_view>> out;
  int depth = 0;
  std::size_t begin = 0, colon = std::string_view::npos;
  const auto take = [&](std::size_t end) {
    if (colon != std::string_view::npos && colon < end) {
      out.emplace_back(trimmed(text.substr(begin, colon - begin)),
                       trimmed(text.substr(colon + 1, end - colon - 1)));
    }
    begin = end + 1;
    colon = std::string_view::npos;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth != 0) continue;
    if (c == ':' && colon == std::string_view::npos) colon = i;
    if (c == ',') take(i);
  }
  take(text.size());
  return out;
}

}  // namespace horae::p4
