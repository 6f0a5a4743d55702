// Entries files as TOML.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/p4prog/entries.hpp"
#include "horae/params/document.hpp"

namespace horae::p4prog {

using nlohmann::ordered_json;

namespace {

/// A value as the control plane reads values; nothing where it is a table, a list or a fraction.
std::optional<std::string> scalar_text(const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return value.dump();
  return std::nullopt;
}

/// One table of a file: every question has an answer or a line with its place.
class Row {
 public:
  Row(const Section& section, std::vector<std::string> keys)
      : section_(section), json_(section.to_json()) {
    for (const std::string& key : section.keys()) {
      if (std::ranges::find(keys, key) != keys.end()) continue;
      throw section_.error(key, fmt::format("unknown key '{}' in {}{}", key, section_.title(),
                                            suggestion(key, keys)));
    }
  }

  bool has(const std::string& key) const { return section_.has(key); }
  const Location& where() const { return section_.where(); }
  Location where(const std::string& key) const { return section_.where(key); }

  /// A text, an integer, true or false.
  PlacedText value(const std::string& key) const {
    need(key, "a text, a number, true or false");
    const auto text = scalar_text(json_[key]);
    if (!text)
      refuse(key, fmt::format("{} = {}; expected a text, a number, true or false", key,
                              json_[key].dump()));
    return {*text, where(key)};
  }
  PlacedText name(const std::string& key, const std::string& doc) const {
    need(key, doc);
    if (!json_[key].is_string())
      refuse(key, fmt::format("{} = {}; expected {} in quotes", key, json_[key].dump(), doc));
    return {json_[key].get<std::string>(), where(key)};
  }
  std::uint64_t number(const std::string& key, std::uint64_t most) const {
    const std::string expected = fmt::format("a number from 0 to {}", most);
    need(key, expected);
    const ordered_json& v = json_[key];
    if (!v.is_number_integer() || v.get<std::int64_t>() < 0 ||
        static_cast<std::uint64_t>(v.get<std::int64_t>()) > most)
      refuse(key, fmt::format("{} = {}; expected {}", key, v.dump(), expected));
    return static_cast<std::uint64_t>(v.get<std::int64_t>());
  }
  std::uint64_t number_or(const std::string& key, std::uint64_t most,
                          std::uint64_t otherwise) const {
    return has(key) ? number(key, most) : otherwise;
  }
  /// A time, a rate or a number of bytes.
  template <class Quantity>
  Quantity quantity(const std::string& key) const {
    const std::string expected(quantity_expectation<Quantity>());
    need(key, expected);
    const auto parsed = parse_quantity<Quantity>(
        json_[key].is_string() ? json_[key].get<std::string>() : std::string());
    if (!parsed || parsed.value->count() < 0)
      refuse(key, fmt::format("{} = {}; expected {}", key, json_[key].dump(), expected));
    return *parsed.value;
  }
  template <class Quantity>
  Quantity quantity_or(const std::string& key, Quantity otherwise) const {
    return has(key) ? quantity<Quantity>(key) : otherwise;
  }
  std::optional<std::int64_t> priority() const {
    if (!has("priority")) return std::nullopt;
    if (!json_["priority"].is_number_integer())
      refuse("priority",
             fmt::format("priority = {}; expected a whole number", json_["priority"].dump()));
    return json_["priority"].get<std::int64_t>();
  }
  /// A value, or a list of values.
  std::vector<PlacedText> values(const std::string& key) const {
    if (!has(key) || !json_[key].is_array()) return {value(key)};
    std::vector<PlacedText> out;
    for (const ordered_json& v : json_[key]) {
      const auto text = scalar_text(v);
      if (!text)
        refuse(key, fmt::format("{} in {}; expected texts, numbers, true or false", v.dump(), key));
      out.push_back({*text, where(key)});
    }
    return out;
  }
  /// Names and values of an inline table.
  template <class Item>
  std::vector<Item> items(const std::string& key) const {
    std::vector<Item> out;
    if (!has(key)) return out;
    const Section table = section_.child(key);
    const ordered_json values = table.to_json();
    for (const std::string& name : table.keys()) {
      const auto text = scalar_text(values[name]);
      if (!text)
        throw table.error(
            name,
            fmt::format("{} = {}; expected a text, a number, true or false{}", name,
                        values[name].dump(),
                        values[name].is_object() ? " (names with dots stand in quotes)" : ""));
      out.push_back({name, {*text, table.where(name)}});
    }
    return out;
  }
  std::vector<Section> children(const std::string& key) const { return section_.children(key); }
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const {
    throw section_.error(key, what);
  }

 private:
  void need(const std::string& key, const std::string& doc) const {
    if (!has(key))
      throw input_error(where(), fmt::format("missing '{}' in {}: {}", key, section_.title(), doc));
  }

  const Section& section_;
  ordered_json json_;
};

constexpr std::uint64_t most_port = 511;          // of 9 bits
constexpr std::uint64_t most_16_bits = 0xffff;    // groups, replication ids
constexpr std::uint64_t most_exclusion = 511;     // L2ExclusionId_t
constexpr std::uint64_t most_session = 1023;      // MirrorId_t
constexpr std::uint64_t most_index = 0xffffffff;  // of cells

}  // namespace

class EntriesToml {
 public:
  static Entries read(const Section& root) {
    Entries out;
    const Row file(root, {"entry", "default", "member", "selection", "register", "counter", "meter",
                          "low_pass", "early_drop", "parameter", "value_set", "group", "exclusion",
                          "mirror", "packet_buffer", "packet_generator", "port_metadata", "port"});
    for (const Section& s : root.children("default")) out.lines_.push_back(default_line(s));
    for (const Section& s : root.children("entry")) out.lines_.push_back(entry_line(s));
    for (const Section& s : root.children("member")) out.members_.push_back(member(s));
    for (const Section& s : root.children("selection")) out.selections_.push_back(selection(s));
    using Of = Entries::Cell::Of;
    for (const Section& s : root.children("register"))
      out.cells_.push_back(cell(Row(s, {"name", "index", "value"}), Of::reg, "value"));
    for (const Section& s : root.children("counter")) out.cells_.push_back(counter(s));
    for (const Section& s : root.children("meter")) out.filters_.push_back(meter(s));
    for (const Section& s : root.children("low_pass")) out.filters_.push_back(low_pass(s));
    for (const Section& s : root.children("early_drop")) out.filters_.push_back(early_drop(s));
    for (const Section& s : root.children("parameter"))
      out.cells_.push_back(cell(Row(s, {"name", "value"}), Of::parameter, "value"));
    for (const Section& s : root.children("value_set"))
      out.cells_.push_back(cell(Row(s, {"name", "values"}), Of::value_set, "values"));
    for (const Section& s : root.children("group")) out.groups_.push_back(group(s));
    for (const Section& s : root.children("exclusion")) out.exclusions_.push_back(exclusion(s));
    for (const Section& s : root.children("mirror")) out.sessions_.push_back(session(s));
    for (const Section& s : root.children("packet_buffer"))
      out.buffer_parts_.push_back(buffer_part(s));
    for (const Section& s : root.children("packet_generator"))
      out.generators_.push_back(generator(s));
    for (const Section& s : root.children("port_metadata")) out.port_data_.push_back(port_data(s));
    for (const Section& s : root.children("port")) out.ports_.push_back(port(s));
    return out;
  }

 private:
  static Entries::Line default_line(const Section& s) {
    const Row row(s, {"table", "action", "data"});
    Entries::Line line;
    line.where = row.where();
    line.is_default = true;
    line.table = row.name("table", "a table's name");
    line.action = row.name("action", "an action's name");
    line.data = row.items<Entries::Item>("data");
    return line;
  }
  static Entries::Line entry_line(const Section& s) {
    const Row row(s, {"table", "match", "priority", "ttl", "action", "data", "member", "group"});
    Entries::Line line;
    line.where = row.where();
    line.table = row.name("table", "a table's name");
    line.match = row.items<Entries::Item>("match");
    line.priority = row.priority();
    if (row.has("ttl")) {
      line.ttl = row.quantity<Picoseconds>("ttl");
      line.ttl_at = row.where("ttl");
    }
    for (const char* key : {"member", "group"}) {
      if (!row.has(key)) continue;
      for (const char* other : {"action", "data", "group"}) {
        if (row.has(other) && std::string_view(other) != key)
          row.refuse(other, fmt::format("'{}' beside '{}'; expected one of the two", other, key));
      }
      line.to = Reference{*key == 'm' ? Reference::To::member : Reference::To::group,
                          row.number(key, most_index)};
      line.to_at = row.where(key);
      return line;
    }
    line.action = row.name("action", "an action's name");
    line.data = row.items<Entries::Item>("data");
    return line;
  }
  static Entries::Member member(const Section& s) {
    const Row row(s, {"profile", "member", "action", "data"});
    return {row.name("profile", "the name of an action profile or a selector"),
            row.number("member", most_index),
            row.where("member"),
            row.name("action", "an action's name"),
            row.items<Entries::Item>("data"),
            row.where()};
  }
  static Entries::Selection selection(const Section& s) {
    const Row row(s, {"selector", "group", "members"});
    Entries::Selection out;
    out.where = row.where();
    out.selector = row.name("selector", "a selector's name");
    out.group = row.number("group", most_index);
    for (const PlacedText& m : row.values("members")) {
      try {
        out.members.push_back(number_of(m.text, 32).at(0));
      } catch (const InputError& e) {
        row.refuse("members", e.what());
      }
    }
    return out;
  }
  static Entries::Cell cell(const Row& row, Entries::Cell::Of of, const std::string& values) {
    Entries::Cell out;
    out.of = of;
    out.name = row.name("name", "an object's name");
    if (of == Entries::Cell::Of::reg) out.index = row.number("index", most_index);
    out.index_at = row.where("index");
    out.values = row.values(values);
    return out;
  }
  static Entries::Cell counter(const Section& s) {
    const Row row(s, {"name", "index", "packets", "bytes"});
    Entries::Cell out;
    out.of = Entries::Cell::Of::counter;
    out.name = row.name("name", "a counter's name");
    out.index = row.number("index", most_index);
    out.index_at = row.where("index");
    for (const char* key : {"packets", "bytes"})
      out.values.push_back({row.has(key) ? row.value(key).text : "0", row.where(key)});
    return out;
  }
  static Entries::Filter filter(const Row& row) {
    Entries::Filter out;
    out.name = row.name("name", "an object's name");
    out.index = row.number("index", most_index);
    out.index_at = row.where("index");
    return out;
  }
  static Entries::Filter meter(const Section& s) {
    const Row row(s, {"name", "index", "committed", "committed_burst", "peak", "peak_burst"});
    Entries::Filter out = filter(row);
    const auto committed = row.quantity<BitRate>("committed");
    const auto burst = row.quantity<Bytes>("committed_burst");
    out.setting = dataplane::MeterRates{committed, burst, row.quantity_or("peak", committed),
                                        row.quantity_or("peak_burst", burst)};
    return out;
  }
  static dataplane::LowPassSetting average(const Row& row) {
    dataplane::LowPassSetting out;
    if (row.has("kind")) {
      const std::string kind = row.name("kind", "\"sample\" or \"rate\"").text;
      if (kind != "sample" && kind != "rate")
        row.refuse("kind", fmt::format("kind = \"{}\"; expected \"sample\" or \"rate\"", kind));
      out.rate = kind == "rate";
    }
    out.falling = row.quantity<Picoseconds>("falling");
    out.rising = row.quantity_or("rising", out.falling);
    return out;
  }
  static Entries::Filter low_pass(const Section& s) {
    const Row row(s, {"name", "index", "kind", "rising", "falling", "out_shift"});
    Entries::Filter out = filter(row);
    dataplane::LowPassSetting setting = average(row);
    setting.out_shift = static_cast<unsigned>(row.number_or("out_shift", 31, 0));
    out.setting = setting;
    return out;
  }
  static Entries::Filter early_drop(const Section& s) {
    const Row row(s,
                  {"name", "index", "kind", "rising", "falling", "least", "most", "most_percent"});
    Entries::Filter out = filter(row);
    out.setting = dataplane::EarlyDropSetting{
        average(row), row.number("least", most_index), row.number("most", most_index),
        static_cast<unsigned>(row.number_or("most_percent", 100, 100))};
    return out;
  }
  static Entries::Group group(const Section& s) {
    const Row row(s, {"number", "copies"});
    Entries::Group out;
    out.where = row.where();
    out.number = static_cast<unsigned>(row.number("number", most_16_bits));
    if (out.number == 0) row.refuse("number", "number = 0; expected a group from 1 on");
    for (const Section& copy : row.children("copies")) {
      const Row c(copy, {"port", "rid", "exclusion"});
      Replica& to = out.copies.emplace_back();
      to.port = static_cast<unsigned>(c.number("port", most_port));
      to.rid = static_cast<unsigned>(c.number_or("rid", most_16_bits, 0));
      if (c.has("exclusion"))
        to.exclusion = static_cast<unsigned>(c.number("exclusion", most_16_bits));
    }
    return out;
  }
  static Entries::Exclusion exclusion(const Section& s) {
    const Row row(s, {"number", "ports"});
    Entries::Exclusion out;
    out.where = row.where();
    out.number = static_cast<unsigned>(row.number("number", most_exclusion));
    out.ports = numbers(row, "ports", 9);
    return out;
  }
  static Entries::Session session(const Section& s) {
    const Row row(s, {"session", "port", "most_bytes"});
    Entries::Session out;
    out.where = row.where();
    out.number = static_cast<unsigned>(row.number("session", most_session));
    if (out.number == 0)
      row.refuse("session", "session = 0, which is reserved; expected 1 to 1023");
    out.session.port = static_cast<unsigned>(row.number("port", most_port));
    out.session.most_bytes =
        static_cast<std::uint32_t>(row.number_or("most_bytes", most_16_bits, 0));
    return out;
  }
  static Entries::BufferPart buffer_part(const Section& s) {
    const Row row(s, {"offset", "bytes"});
    Entries::BufferPart out;
    out.where = row.where();
    out.offset = row.number_or("offset", most_16_bits, 0);
    const std::string text = row.name("bytes", "hexadecimal digits").text;
    std::string digits;
    for (const char c : text) {
      if (c != ' ') digits += c;
    }
    if (digits.empty() || digits.size() % 2 != 0 ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      row.refuse("bytes", fmt::format("bytes = \"{}\"; expected hexadecimal digits, two a byte",
                                      printable(text)));
    for (std::size_t i = 0; i < digits.size(); i += 2)
      out.bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    return out;
  }
  static Entries::Generator generator(const Section& s) {
    const Row row(
        s, {"app", "trigger", "timer", "value", "mask", "ports", "batches", "packets", "batch_gap",
            "packet_gap", "offset", "length", "port", "increments_port", "last_port", "pipes"});
    Entries::Generator out;
    out.where = row.where();
    out.number = static_cast<unsigned>(row.number("app", GeneratorTable::apps_of_tofino2 - 1));
    GeneratorApp& app = out.app;
    app.trigger = trigger(row);
    const bool timed = app.trigger == GeneratorApp::Trigger::timer ||
                       app.trigger == GeneratorApp::Trigger::one_shot;
    const bool matches = app.trigger == GeneratorApp::Trigger::recirculation ||
                         app.trigger == GeneratorApp::Trigger::deparser;
    only(row, "timer", timed, "a timer");
    only(row, "value", matches, "recirculation and deparser");
    only(row, "mask", matches, "recirculation and deparser");
    only(row, "ports", app.trigger == GeneratorApp::Trigger::port_down, "port_down");
    if (timed) app.timer = row.quantity<Picoseconds>("timer");
    if (matches) {
      app.value = words_of_128(row, "value");
      app.mask = row.has("mask") ? words_of_128(row, "mask")
                                 : std::array{~std::uint64_t{0}, ~std::uint64_t{0}};
    }
    if (row.has("ports")) app.ports = numbers(row, "ports", 9);
    if (row.has("pipes")) app.pipes = numbers(row, "pipes", 2);
    app.batches = static_cast<std::uint32_t>(row.number_or("batches", most_16_bits + 1, 1));
    app.packets = static_cast<std::uint32_t>(row.number_or("packets", most_16_bits + 1, 1));
    for (const char* key : {"batches", "packets"}) {
      if (row.has(key) && row.number(key, most_16_bits + 1) == 0)
        row.refuse(key, fmt::format("{} = 0; expected 1 to {}", key, most_16_bits + 1));
    }
    app.batch_gap = row.quantity_or("batch_gap", Picoseconds{});
    app.packet_gap = row.quantity_or("packet_gap", Picoseconds{});
    app.offset = static_cast<std::uint32_t>(row.number_or("offset", most_16_bits, 0));
    app.length = static_cast<std::uint32_t>(row.number_or("length", most_16_bits, 0));
    if (row.has("port")) app.port = static_cast<unsigned>(row.number("port", most_port));
    app.increments_port = row.has("increments_port") && row.value("increments_port").text == "true";
    if (row.has("last_port"))
      app.last_port = static_cast<unsigned>(row.number("last_port", most_port));
    return out;
  }
  static GeneratorApp::Trigger trigger(const Row& row) {
    const std::string text = row.name("trigger", "what it waits for").text;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::size(generator_triggers); ++i) {
      if (text == generator_triggers[i]) return static_cast<GeneratorApp::Trigger>(i);
      names.emplace_back(generator_triggers[i]);
    }
    row.refuse("trigger", fmt::format("trigger = \"{}\"; expected one of {}{}", printable(text),
                                      fmt::join(names, ", "), suggestion(text, names)));
  }
  static void only(const Row& row, const char* key, bool there, const char* of) {
    if (row.has(key) && !there) row.refuse(key, fmt::format("{} is of {}", key, of));
  }
  static std::array<std::uint64_t, 2> words_of_128(const Row& row, const char* key) {
    try {
      const auto words = number_of(row.value(key).text, 128);
      return {words.at(0), words.at(1)};
    } catch (const InputError& e) {
      row.refuse(key, e.what());
    }
  }
  static std::set<unsigned> numbers(const Row& row, const char* key, std::uint32_t bits) {
    std::set<unsigned> out;
    for (const PlacedText& text : row.values(key)) {
      try {
        out.insert(static_cast<unsigned>(number_of(text.text, bits).at(0)));
      } catch (const InputError& e) {
        row.refuse(key, e.what());
      }
    }
    return out;
  }
  static Entries::PortData port_data(const Section& s) {
    const Row row(s, {"port", "parser", "data"});
    Entries::PortData out;
    out.where = row.where();
    out.port = static_cast<unsigned>(row.number("port", most_port));
    out.parser = row.has("parser") ? row.name("parser", "a parser's name")
                                   : PlacedText{"", row.where("port")};
    out.data = row.items<Entries::Item>("data");
    return out;
  }
  static PortName port(const Section& s) {
    const Row row(s, {"switch_port", "number"});
    return {static_cast<std::uint32_t>(row.number("switch_port", most_port)),
            static_cast<std::uint32_t>(row.number("number", most_port)), row.where("number")};
  }
};

Entries Entries::parse_toml(std::string_view text, const std::string& name) {
  return EntriesToml::read(Document::parse(text, name).root());
}

}  // namespace horae::p4prog
