#include "horae/question/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/question/quantities.hpp"

namespace horae::question {
namespace {

/// Every name once; what for in `what`.
class Names {
 public:
  explicit Names(std::string what) : what_(std::move(what)) {}

  void add(const Located<std::string>& name) {
    if (name.value.empty()) throw input_error(name.where, fmt::format("an empty {}", what_));
    // --only takes a list of names.
    if (name.value.find(',') != std::string::npos)
      throw input_error(name.where, fmt::format("{} '{}' has a comma", what_, name.value));
    if (!names_.insert(name.value).second)
      throw input_error(name.where, fmt::format("{} '{}' is there already", what_, name.value));
  }

 private:
  std::string what_;
  std::set<std::string> names_;
};

void check_condition(const Located<std::string>& id, const ObservationsFile& file) {
  if (file.find_condition(id.value) != nullptr) return;
  std::vector<std::string> ids;
  for (const auto& c : file.conditions) ids.push_back(c.id);
  throw input_error(
      id.where, ids.empty()
                    ? fmt::format("condition '{}': the observations have none", id.value)
                    : fmt::format("unknown condition '{}'{}", id.value, suggestion(id.value, ids)));
}

void check_parameters(const std::vector<ParameterSpec>& parameters, const std::string& what,
                      const ObservationsFile& observations) {
  std::map<std::string, Names> keys;  // by the condition that they are limited to
  for (const auto& p : parameters) {
    if (p.condition) check_condition(*p.condition, observations);
    Names& there =
        keys.try_emplace(p.condition ? p.condition->value : std::string(), what).first->second;
    there.add(p.key);
    for (const auto& other : p.also) there.add(other);
    const bool bounds = !p.low.value.empty() || !p.high.value.empty();
    if (p.choice() && bounds) {
      throw input_error(p.key.where, fmt::format("'{}' has both bounds and values; expected either",
                                                 p.key.value));
    }
    if (p.choice()) {
      if (p.values.size() < 2) {
        throw input_error(p.values.front().where,
                          fmt::format("'{}': one value is no choice; expected two or more, or a "
                                      "line of `set`",
                                      p.key.value));
      }
      std::set<std::string> seen;
      for (const auto& v : p.values) {
        if (seen.insert(v.value).second) continue;
        throw input_error(v.where,
                          fmt::format("'{}': value '{}' is there already", p.key.value, v.value));
      }
      continue;
    }
    for (const auto& [name, bound] : {std::pair{"low", &p.low}, {"high", &p.high}}) {
      if (!bound->value.empty()) continue;
      throw input_error(
          p.key.where,
          fmt::format("'{}' has no '{}'; expected low and high, or values", p.key.value, name));
    }
  }
}

void check_unit(const ObservationSpec& o) {
  const auto expect = [&](std::string_view unit, const std::string& whose) {
    if (o.unit.value == unit) return;
    throw input_error(o.unit.where, fmt::format("'{}' is in '{}'; expected '{}', the unit of {}",
                                                o.id.value, o.unit.value, unit, whose));
  };
  if (o.relative_to) return expect("ratio", "two values that are divided");
  if (const MeasuredQuantity* quantity = find_quantity(o.quantity))
    expect(quantity->unit, o.quantity.value);
}

/// Values that the observed number can have: a quotient of two values has no upper end.
ValueRange values_of(const ObservationSpec& o) {
  return o.relative_to ? ValueRange{} : question::range_of(o.quantity.value, o.unit.value);
}

void check_observation(const ObservationSpec& o, const ObservationsFile& file) {
  check_condition(o.condition, file);
  if (o.relative_to) {
    check_condition(*o.relative_to, file);
    if (o.relative_to->value == o.condition.value) {
      throw input_error(o.relative_to->where,
                        fmt::format("'{}' is relative to its own condition '{}'; expected another",
                                    o.id.value, o.condition.value));
    }
  }
  check_quantity(o.quantity);
  check_unit(o);
  for (const auto& [name, number] :
       {std::pair{"rounding", &o.rounding}, {"tolerance", &o.tolerance}}) {
    if (number->value >= 0) continue;
    throw input_error(number->where,
                      fmt::format("'{}': {} = {} is below zero", o.id.value, name, number->value));
  }
  // The uncertainty of its last digit is no reason to refuse it; a tolerance is a model's.
  const ValueRange range = values_of(o);
  if (o.value - o.rounding.value > range.most || o.value + o.rounding.value < range.least) {
    throw input_error(
        o.value_where,
        fmt::format("'{}': {:g} {} cannot be; expected {}, what {} can be", o.id.value, o.value,
                    o.unit.value,
                    std::isfinite(range.most) ? fmt::format("{:g} to {:g}", range.least, range.most)
                                              : fmt::format("{:g} or more", range.least),
                    o.quantity.value));
  }
  if (!(o.allowance() > 0)) {
    throw input_error(o.rounding.where,
                      fmt::format("'{}': rounding and tolerance are both zero, which no model "
                                  "can meet; expected half of the last digit published",
                                  o.id.value));
  }
}

void append(ObservationsFile& file, ObservationsFile more) {
  for (auto& c : more.conditions) file.conditions.push_back(std::move(c));
  for (auto& o : more.observations) file.observations.push_back(std::move(o));
}

/// A key that a variant sets must not be a nuisance: which of the two holds would depend on their
/// order.
void check_variant(const VariantSpec& variant, const std::vector<ParameterSpec>& nuisances) {
  for (const auto& item : variant.set) {
    const std::string key = item.value.substr(0, item.value.find('='));
    for (const auto& n : nuisances) {
      const bool moves =
          n.key.value == key || std::any_of(n.also.begin(), n.also.end(),
                                            [&](const auto& other) { return other.value == key; });
      if (!moves) continue;
      throw input_error(item.where,
                        fmt::format("variant '{}' sets '{}', which is a [[nuisance]] as "
                                    "well; expected either",
                                    variant.label.value, key));
    }
  }
}

/// The file with what its imports give; or a tool's file as such.
ObservationsFile with_imports(const std::string& path) {
  if (is_measured(path)) return read_measured(path, {});
  const Section root = Document::load(path).root();
  auto file = root.read<ObservationsFile>();
  const auto tables = root.children("observation");
  for (std::size_t i = 0; i < tables.size(); ++i)
    file.observations[i].value_where = tables[i].where("value");
  for (const auto& i : file.imports) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!is_measured(i.file.value)) {
      throw input_error(i.file.where, fmt::format("'{}' is no tool's file; expected .txt, .log, "
                                                  ".out, .json or .csv",
                                                  i.file.value));
    }
    if (i.id.empty()) throw input_error(i.file.where, "an empty id");
    append(file, read_measured((folder / i.file.value).string(), i));
  }
  return file;
}

}  // namespace

double ObservationSpec::miss(double ours) const {
  const double off = (ours - value) / allowance();
  if (relation == Relation::at_most) return off < 0 ? 0 : off;
  if (relation == Relation::at_least) return off > 0 ? 0 : off;
  return off;
}

bool ObservationSpec::needs(const std::string& condition_id) const {
  return condition.value == condition_id || (relative_to && relative_to->value == condition_id);
}

std::string ObservationSpec::value_text() const {
  const char* sign = relation == Relation::at_most    ? "<= "
                     : relation == Relation::at_least ? ">= "
                                                      : "";
  return fmt::format("{}{:.4g}", sign, value);
}

std::string ParameterSpec::name() const {
  return condition ? fmt::format("{} in {}", key.value, condition->value) : key.value;
}

std::vector<std::string> ParameterSpec::overrides(const std::string& value) const {
  std::vector<std::string> out = {key.value + "=" + value};
  for (const auto& other : also) out.push_back(other.value + "=" + value);
  return out;
}

bool HypothesisSpec::space() const {
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const ParameterSpec& p) { return p.choice(); });
}

const ConditionSpec* ObservationsFile::find_condition(const std::string& id) const {
  for (const auto& c : conditions) {
    if (c.id.value == id) return &c;
  }
  return nullptr;
}

ObservationsFile read_observations(const std::string& path) {
  ObservationsFile file = with_imports(path);
  Names conditions("condition"), observations("observation");
  for (const auto& c : file.conditions) conditions.add(c.id);
  for (const auto& o : file.observations) {
    observations.add(o.id);
    check_observation(o, file);
  }
  if (file.observations.empty())
    throw input_error({path, 0, 0, {}}, "no [[observation]] to explain");
  return file;
}

HypothesesFile read_hypotheses(const std::string& path, const ObservationsFile& observations) {
  const Section root = Document::load(path).root();
  auto file = root.read<HypothesesFile>();
  if (observations.of_tool) {
    const auto elsewhere = [&](const auto& t) {
      return observations.find_condition(t.condition.value) == nullptr;
    };
    std::erase_if(file.experiments, elsewhere);
    std::erase_if(file.curves, elsewhere);
  }
  Names variants("variant"), hypotheses("hypothesis"), reactions("reaction"),
      experiments("experiment"), curves("curve");
  check_parameters(file.nuisances, "nuisance", observations);
  for (const auto& v : file.variants) {
    variants.add(v.label);
    check_variant(v, file.nuisances);
  }
  for (const auto& h : file.hypotheses) {
    hypotheses.add(h.id);
    check_parameters(h.parameters, "parameter", observations);
  }
  for (const auto& r : file.reactions) {
    reactions.add(r.id);
    check_parameters(r.parameters, "parameter", observations);
  }
  for (const auto& e : file.experiments) {
    experiments.add(e.id);
    check_condition(e.condition, observations);
    for (const auto& q : e.quantities) check_quantity(q);
    if (e.quantities.empty())
      throw input_error(e.id.where,
                        fmt::format("experiment '{}' looks at no quantity", e.id.value));
  }
  for (const auto& c : file.curves) {
    curves.add(c.id);
    check_condition(c.condition, observations);
    for (const auto& q : c.quantities) check_quantity(q);
    for (const auto& p : c.points) {
      if (p.condition) check_condition(*p.condition, observations);
    }
  }
  if (file.hypotheses.empty()) throw root.error("hypothesis", "no [[hypothesis]] to test");
  if (file.variants.empty()) file.variants.push_back({{"as the platform says", {}}, {}, true});
  return file;
}

}  // namespace horae::question
