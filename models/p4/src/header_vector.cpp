// Containers, parser and deparser of the assembler file (NAME.bfa): sections "phv", "parser" and
// "deparser". The text's form: bf-asm/README.md and asm_output.cpp of the back end.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

#include "indented.hpp"
#include "parts.hpp"
#include "text_file.hpp"

namespace horae::p4 {
namespace {

using dataplane::Gress;

std::optional<std::uint32_t> small_number(std::string_view text) {
  std::uint32_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n > 65535) return std::nullopt;
  return n;
}

/// "3", "0..15" and "8-15": both ends.
std::optional<std::pair<std::uint32_t, std::uint32_t>> range(std::string_view text,
                                                             std::string_view between) {
  const auto at = text.find(between);
  const auto low = small_number(text.substr(0, at));
  const auto high =
      at == std::string_view::npos ? low : small_number(text.substr(at + between.size()));
  if (!low || !high || *high < *low) return std::nullopt;
  return std::pair(*low, *high);
}

/// "W3", "MH0": bits of the container; 0 when it is none.
std::uint32_t container_bits(std::string_view name) {
  if (!name.empty() && (name[0] == 'T' || name[0] == 'M' || name[0] == 'D')) name.remove_prefix(1);
  if (name.size() < 2 || !small_number(name.substr(1))) return 0;
  return name[0] == 'B' ? 8 : name[0] == 'H' ? 16 : name[0] == 'W' ? 32 : 0;
}

/// "H0(0..8)", "B1(3)", "W5".
std::optional<HeaderVector::Part> read_place(std::string_view text) {
  const auto open = text.find('(');
  HeaderVector::Part part;
  part.container = trimmed(text.substr(0, open));
  part.bits = container_bits(part.container);
  if (part.bits == 0) return std::nullopt;
  if (open == std::string_view::npos) return part;
  if (!text.ends_with(')')) return std::nullopt;
  const auto bits = range(text.substr(open + 1, text.size() - open - 2), "..");
  if (!bits || bits->second >= part.bits) return std::nullopt;
  part.bits = bits->second - bits->first + 1;
  return part;
}

/// "W5(0..15)" or "{  stage 0..8: W5(0..15), stage 9: H3 }".
std::optional<std::vector<HeaderVector::Part>> read_places(std::string_view text) {
  if (!text.starts_with('{')) {
    const auto part = read_place(text);
    if (!part) return std::nullopt;
    return std::vector{*part};
  }
  std::vector<HeaderVector::Part> out;
  for (const auto& [when, where] : map_entries(text)) {
    auto part = read_place(where);
    constexpr std::string_view stage = "stage ";
    if (!part || !when.starts_with(stage)) return std::nullopt;
    const auto stages = range(trimmed(when.substr(stage.size())), "..");
    if (!stages) return std::nullopt;
    part->first = static_cast<int>(stages->first);
    part->last = static_cast<int>(stages->second);
    out.push_back(*part);
  }
  if (out.empty()) return std::nullopt;
  return out;
}

/// "hdr.eth.dst.0-31": the name and the bits; a whole field begins at 0.
std::pair<std::string_view, std::uint32_t> split_name(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos) return {name, 0};
  const auto last = name.substr(dot + 1);
  const auto bits = range(last, "-");
  if (!bits || last.find('-') == std::string_view::npos) return {name, 0};
  return {name.substr(0, dot), bits->first};
}

void read_fields(const IndentedLine& section, Gress gress, HeaderVector& out) {
  for (const auto& line : section.below) {
    if (line.key() == "context_json") return;
    if (line.text.starts_with('#')) continue;
    const auto [name, low] = split_name(line.key());
    auto parts = read_places(line.value());
    if (!parts) {
      ++out.unread;
      continue;
    }
    auto field = std::ranges::find_if(
        out.fields, [&, name = name](const auto& f) { return f.gress == gress && f.name == name; });
    if (field == out.fields.end()) {
      out.fields.push_back({std::string(name), gress, {}});
      field = out.fields.end() - 1;
    }
    for (auto& part : *parts) {
      part.low = low;
      field->parts.push_back(std::move(part));
    }
  }
}

/// The headers whose fields the comments of a state name: "# ingress::hdr.stack[0].x[7:0].0-7".
void name_headers(const IndentedLine& line, std::set<std::string>& out) {
  for (const std::string_view gress : {"ingress::", "egress::"}) {
    const auto at = line.text.find(gress);
    if (at == std::string_view::npos) continue;
    std::string_view rest = line.text.substr(at + gress.size());
    rest = rest.substr(0, rest.find_first_of(" \t"));
    std::string name;
    while (!rest.empty()) {
      // "[0]." is an element of a stack, which is called "$0." elsewhere; another "[" a slice.
      const auto open = rest.find('['), close = rest.find(']');
      name += rest.substr(0, open);
      if (open == std::string_view::npos || close == std::string_view::npos || close < open) break;
      if (close + 1 >= rest.size() || rest[close + 1] != '.' ||
          !small_number(rest.substr(open + 1, close - open - 1)))
        break;
      name += '$';
      name += rest.substr(open + 1, close - open - 1);
      rest = rest.substr(close + 1);
    }
    const std::string field(split_name(name).first);
    if (const auto dot = field.rfind('.'); dot != std::string::npos)
      out.insert(field.substr(0, dot));
  }
  for (const auto& below : line.below) name_headers(below, out);
}

/// "NOUN NAME": the name.
std::optional<std::string_view> named(std::string_view text, std::string_view noun) {
  if (!text.starts_with(noun) || text.size() <= noun.size() || text[noun.size()] != ' ')
    return std::nullopt;
  return trimmed(text.substr(noun.size() + 1));
}

/// "value_set NAME SIZE" (bf-asm, Parser::State::Match): so many rows. False: it is something else.
bool read_value_set(std::string_view text, const dataplane::ParserState& state, HeaderVector& out) {
  const auto rest = named(text, "value_set");
  if (!rest) return false;
  const auto blank = rest->rfind(' ');
  const auto size =
      blank == std::string_view::npos ? std::nullopt : small_number(rest->substr(blank + 1));
  if (!size || *size == 0) {
    ++out.unread;
    return true;
  }
  const std::string name(trimmed(rest->substr(0, blank)));
  auto set = std::ranges::find_if(out.value_sets, [&](const auto& v) {
    return v.name == name && v.gress == state.gress && v.entries == *size;
  });
  if (set == out.value_sets.end()) {
    dataplane::ValueSetSpec added;
    added.name = name;
    added.gress = state.gress;
    added.entries = *size;
    out.value_sets.push_back(std::move(added));
    set = out.value_sets.end() - 1;
  }
  set->states.push_back(state.name);
  return true;
}

dataplane::ChecksumSpec& checksum_of(Gress gress, dataplane::ChecksumUse use, std::uint32_t unit,
                                     HeaderVector& out) {
  const std::string name = std::string(gress_name(gress)) +
                           (use == dataplane::ChecksumUse::update ? "_deparser" : "_parser") +
                           "_checksum_" + std::to_string(unit);
  auto known = std::ranges::find_if(out.checksums, [&](const auto& c) { return c.name == name; });
  if (known != out.checksums.end()) return *known;
  dataplane::ChecksumSpec added;
  added.name = name;
  added.gress = gress;
  added.use = use;
  out.checksums.push_back(std::move(added));
  return out.checksums.back();
}

/// "checksum UNIT:" with its "type: VERIFY" (bf-asm, Parser::Checksum).
void read_parser_checksum(const IndentedLine& line, const dataplane::ParserState& state,
                          HeaderVector& out) {
  const auto text = named(line.key(), "checksum");
  const auto unit = text ? small_number(*text) : std::nullopt;
  if (!unit) return;
  const auto* type = line.find("type");
  const std::string_view kind = type == nullptr ? std::string_view{} : type->value();
  if (kind == "CLOT") {
    out.clot_checksums[static_cast<std::size_t>(state.gress)].insert(*unit);
    return;
  }
  if (kind != "VERIFY" && kind != "RESIDUAL") {
    ++out.unread;
    return;
  }
  const auto use =
      kind == "VERIFY" ? dataplane::ChecksumUse::verify : dataplane::ChecksumUse::residual;
  auto& states = checksum_of(state.gress, use, *unit, out).states;
  if (std::ranges::find(states, state.name) == states.end()) states.push_back(state.name);
}

/// "full_checksum UNIT", as an entry of the dictionary or in place of bytes that pass the stages.
void read_deparser_checksums(const IndentedLine& line, Gress gress, HeaderVector& out) {
  for (const std::string_view text : {line.key(), line.value()}) {
    const auto unit = named(text, "full_checksum");
    if (!unit) continue;
    if (const auto n = small_number(*unit))
      checksum_of(gress, dataplane::ChecksumUse::update, *n, out);
  }
  for (const auto& below : line.below) read_deparser_checksums(below, gress, out);
}

void read_states(const IndentedLine& section, Gress gress, HeaderVector& out) {
  const auto* states = section.find("states");
  if (states == nullptr) return;
  for (const auto& line : states->below) {
    dataplane::ParserState state;
    state.name = line.key();
    state.gress = gress;
    std::set<std::string> headers, next;
    for (const auto& row : line.below) {
      const std::string_view value = row.key();  // "*", "0x0800", "0b1*": what a row matches
      if (!read_value_set(value, state, out)) {
        if (value.empty() ||
            (value[0] != '*' && std::isdigit(static_cast<unsigned char>(value[0])) == 0))
          continue;
        ++state.rows;
      }
      for (const auto& below : row.below) read_parser_checksum(below, state, out);
      name_headers(row, headers);
      if (const auto* to = row.find("next"); to != nullptr && to->value() != "end")
        next.insert(std::string(to->value()));
    }
    state.extracts = {headers.begin(), headers.end()};
    state.next = {next.begin(), next.end()};
    out.states.push_back(std::move(state));
  }
}

std::size_t deparser_entries(const IndentedLine& section) {
  const auto* dictionary = section.find("dictionary");
  if (dictionary == nullptr) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      dictionary->below, [](const auto& line) { return !line.text.starts_with('#'); }));
}

}  // namespace

HeaderVector read_header_vector(const std::string& path) {
  const std::string text = read_text_file(path);
  const auto lines = parse_indented(text);
  HeaderVector out;
  for (const auto& section : lines) {
    const auto gress = section.text.ends_with(" ingress:")  ? std::optional(Gress::ingress)
                       : section.text.ends_with(" egress:") ? std::optional(Gress::egress)
                                                            : std::nullopt;
    if (!gress) continue;
    if (section.text.starts_with("phv ")) read_fields(section, *gress, out);
    if (section.text.starts_with("parser ")) read_states(section, *gress, out);
    if (section.text.starts_with("deparser ")) {
      out.deparser_entries[static_cast<std::size_t>(*gress)] = deparser_entries(section);
      read_deparser_checksums(section, *gress, out);
    }
  }
  // A state may go where no state is listed (the end under another name).
  for (auto& state : out.states) {
    std::erase_if(state.next, [&](const std::string& next) {
      return std::ranges::none_of(
          out.states, [&](const auto& s) { return s.gress == state.gress && s.name == next; });
    });
  }
  return out;
}

}  // namespace horae::p4
