#include "horae/rnic/nic_spec.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/params/schema.hpp"
#include "horae/params/shipped_file.hpp"
#include "horae/rnic/shipped_nics.hpp"

namespace horae::rnic {
namespace {

using nlohmann::ordered_json;

/// The value under a dotted key, or null.
const ordered_json* value_at(const ordered_json& table, std::string_view key) {
  const ordered_json* at = &table;
  while (at->is_object()) {
    const auto dot = key.find('.');
    const auto it = at->find(std::string(key.substr(0, dot)));
    if (it == at->end()) return nullptr;
    at = &*it;
    if (dot == std::string_view::npos) return at;
    key.remove_prefix(dot + 1);
  }
  return nullptr;
}

/// A value as a number that can be compared with others of its parameter; none for a text.
std::optional<double> magnitude(const ordered_json& value, const std::string& type) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const std::string text = value;
  const auto as = [&]<class Q>(Q) -> std::optional<double> {
    const auto parsed = parse_quantity<Q>(text);
    if (!parsed) return std::nullopt;
    return static_cast<double>(parsed.value->count());
  };
  if (type == "time") return as(Picoseconds());
  if (type == "bytes") return as(Bytes());
  if (type == "rate") return as(BitRate());
  return std::nullopt;
}

/// The NIC with one value changed, an override's complaint pointing at the file.
ordered_json with(const Section& nic, const NicRange& range, const Located<std::string>& value) {
  try {
    RnicConfig config = RnicConfig::schema().read(nic);
    const auto change =
        Document::parse("", "", {fmt::format("{}={}", range.key.value, value.value)});
    return RnicConfig::schema().dump(
        RnicConfig::schema().read_over(std::move(config), change.root()));
  } catch (const InputError& e) {
    throw input_error(value.where, fmt::format("range of {}: {}", range.key.value, e.what()));
  }
}

const ParamInfo& find_parameter(const Located<std::string>& key,
                                const std::vector<ParamInfo>& parameters) {
  std::vector<std::string> keys;
  for (const auto& p : parameters) {
    if (p.path == key.value) return p;
    keys.push_back(p.path);
  }
  const std::string near = nearest_name(key.value, keys);
  throw input_error(key.where,
                    fmt::format("'{}' is no parameter of an rnic profile{}", key.value,
                                near.empty() ? std::string("; see horae list parameters")
                                             : fmt::format(", did you mean '{}'?", near)));
}

/// A class has one table at most.
void check_classes(const Section& section) {
  std::set<std::int64_t> numbers;
  for (const auto& table : section.children("class")) {
    const std::uint32_t number = table.read<ClassConfig>().number;
    if (!numbers.insert(number).second)
      throw table.error("number", fmt::format("class {} has two tables", number));
  }
}

void check(const NicRange& range, const Section& nic, const std::vector<ParamInfo>& parameters) {
  const std::string& key = range.key.value;
  const ParamInfo& parameter = find_parameter(range.key, parameters);
  const ordered_json base = RnicConfig::schema().dump(RnicConfig::schema().read(nic));
  const ordered_json* value = value_at(base, key);
  const auto number = [&](const ordered_json& table) -> std::optional<double> {
    const ordered_json* at = value_at(table, key);
    if (at == nullptr) return std::nullopt;
    return magnitude(*at, parameter.type);
  };
  const auto low = number(with(nic, range, range.low));
  const auto high = number(with(nic, range, range.high));
  if (!low || !high)
    throw input_error(range.key.where, fmt::format("'{}' has no range: it is no number", key));
  if (*low > *high) {
    throw input_error(range.low.where,
                      fmt::format("range of {}: low = \"{}\" is above high = \"{}\"", key,
                                  range.low.value, range.high.value));
  }
  const auto now = number(base);
  if (now && (*now < *low || *now > *high)) {
    throw input_error(range.key.where,
                      fmt::format("{} = {} is outside its range, {} to {}", key,
                                  value->is_string() ? value->get<std::string>() : value->dump(),
                                  range.low.value, range.high.value));
  }
}

}  // namespace

const Schema<NicRange>& NicRange::schema() {
  static const Schema<NicRange> s =
      Schema<NicRange>("range", "Where an uncertain value may lie.")
          .required("key", &NicRange::key, {.doc = "parameter of an rnic profile"})
          .required("low", &NicRange::low, {.doc = "least value, in quotes"})
          .required("high", &NicRange::high, {.doc = "largest value, in quotes"})
          .required("source", &NicRange::source, {.doc = "where the range comes from"});
  return s;
}

const Schema<NicSpec>& NicSpec::schema() {
  static const Schema<NicSpec> s =
      Schema<NicSpec>("NIC file", "Values of a NIC, defaults of profiles with its name as 'spec'.")
          .required("name", &NicSpec::name, {.doc = "name of the NIC"})
          .required("description", &NicSpec::description, {.doc = "what it is"})
          .open("nic", &NicSpec::nic, {.doc = "keys of an rnic profile", .required = true})
          .open("sources", &NicSpec::sources,
                {.doc = "where values without a range come from, by parameter"})
          .tables("range", &NicSpec::ranges, NicRange::schema());
  return s;
}

RnicConfig NicSpec::config() const { return RnicConfig::schema().read(nic); }

NicSpec NicSpec::read(const Section& section) {
  auto spec = section.read<NicSpec>();
  if (spec.name.empty()) throw section.error("name", "name is empty");
  if (spec.nic.has("spec")) throw spec.nic.error("spec", "a NIC file names no other");
  spec.config();  // a bad value is refused before its range is
  const auto parameters = RnicConfig::schema().describe();
  check_classes(spec.nic);
  std::map<std::string, unsigned> lines;
  for (const auto& range : spec.ranges) {
    check(range, spec.nic, parameters);
    const auto [first, alone] = lines.emplace(range.key.value, range.key.where.line);
    if (!alone) {
      throw input_error(range.key.where, fmt::format("{} has two ranges, the first in line {}",
                                                     range.key.value, first->second));
    }
  }
  for (const auto& key : spec.sources.keys()) {
    find_parameter({key, spec.sources.where(key)}, parameters);
    spec.sources.get_string(key);
  }
  return spec;
}

std::string NicSpec::source_of(const std::string& key) const {
  for (const auto& range : ranges) {
    if (range.key.value == key) return range.source;
  }
  return sources.has(key) ? sources.get_string(key) : std::string();
}

NicSpec NicSpec::find(const Located<std::string>& spec) {
  return read(find_document(spec, shipped_nics, "spec", "nics").root());
}

const std::vector<std::string>& NicSpec::shipped() {
  static const std::vector<std::string> names = names_of(shipped_nics);
  return names;
}

RnicConfig read_rnic(const Section& section, const std::vector<std::string>& also_known) {
  RnicConfig config;
  if (section.has("spec") && !section.get_string("spec").empty())
    config = NicSpec::find({section.get_string("spec"), section.where("spec")}).config();
  config = RnicConfig::schema().read_over(std::move(config), section, also_known);
  check_classes(section);
  return config;
}

}  // namespace horae::rnic
