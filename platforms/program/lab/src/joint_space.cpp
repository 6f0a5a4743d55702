#include "horae/lab/joint_space.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace horae::lab {
namespace {

void add_all(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void add_all(std::vector<PointOverride>& to, const std::vector<std::string>& more) {
  for (const auto& text : more) to.push_back({text, {}});
}

/// A value of an unknown, limited to the unknown's condition.
void add_value_of(std::vector<PointOverride>& to, const question::ParameterSpec& spec,
                  const std::string& value) {
  for (auto& text : spec.overrides(value))
    to.push_back({std::move(text), spec.condition ? spec.condition->value : std::string()});
}

/// Those of `from` that hold in a condition.
void add_in(const std::string& condition, const std::vector<PointOverride>& from,
            std::vector<std::string>& to) {
  for (const auto& o : from) {
    if (o.condition.empty() || o.condition == condition) to.push_back(o.text);
  }
}

/// Values of unknowns: those of one condition behind those of all, as the last override of a key
/// holds.
struct ValueOverrides {
  std::vector<PointOverride> general, limited;

  void add(const question::ParameterSpec& spec, const std::string& value) {
    add_value_of(spec.condition ? limited : general, spec, value);
  }
  void append_to(std::vector<PointOverride>& to) const {
    to.insert(to.end(), general.begin(), general.end());
    to.insert(to.end(), limited.begin(), limited.end());
  }
};

bool has_key(const question::ParameterSpec& spec, const std::string& key) {
  return spec.key.value == key ||
         std::any_of(spec.also.begin(), spec.also.end(),
                     [&](const auto& other) { return other.value == key; });
}

bool moved(const std::vector<question::ParameterSpec>& specs, const std::string& key) {
  return std::any_of(specs.begin(), specs.end(),
                     [&](const auto& spec) { return !spec.condition && has_key(spec, key); });
}

bool same_range(const question::ParameterSpec& a, const question::ParameterSpec& b) {
  return a.key == b.key && a.also == b.also && a.low == b.low && a.high == b.high &&
         a.values == b.values && a.scale == b.scale && a.condition == b.condition;
}

}  // namespace

std::string name_of(Unknown unknown) {
  switch (unknown) {
    case Unknown::parameter:
      return "parameter";
    case Unknown::variant:
      return "variant";
    case Unknown::nuisance:
      return "nuisance";
    case Unknown::reaction:
      return "reaction";
    case Unknown::reaction_parameter:
      return "reaction parameter";
    case Unknown::seed:
      return "seed";
  }
  return {};
}

std::string JointDimension::text(double number) const {
  if (continuous()) return value->text(number);
  const auto at = static_cast<std::size_t>(number * static_cast<double>(choices.size()));
  return choices[std::min(at, choices.size() - 1)];
}

double JointDimension::number(const std::string& text) const {
  constexpr double below_one = 1 - 0x1.0p-53, middle = 0.5;
  if (continuous()) return std::min(value->position(text), below_one);
  const auto at = std::find(choices.begin(), choices.end(), text);
  if (at == choices.end()) return middle;
  return (static_cast<double>(at - choices.begin()) + middle) / static_cast<double>(choices.size());
}

question::Setting JointPoint::setting(const question::ConditionSpec& condition,
                                      const std::vector<std::string>& more) const {
  question::Setting out{question::texts_of(condition.set), seed};
  add_all(out.set, question::texts_of(condition.brief));
  add_in(condition.id, platform, out.set);
  if (condition.reaction) add_in(condition.id, reacting, out.set);
  add_all(out.set, more);
  return out;
}

JointSpace::JointSpace(const question::Question& question,
                       const question::HypothesisSpec& hypothesis)
    : question_(question), hypothesis_(hypothesis) {
  const question::Setting base =
      question::Setting{question::texts_of(question.observations.conditions.front().set),
                        question.seed}
          .with(question::texts_of(question.hypotheses.variants.front().set));
  const auto effective =
      question.platform.read(base.with(question::texts_of(hypothesis.set))).effective;
  for (const auto& p : hypothesis.parameters) add_value(Unknown::parameter, p, effective);
  add_variants();
  for (const auto& n : question.hypotheses.nuisances) {
    if (!moved(hypothesis.parameters, n.key.value)) add_value(Unknown::nuisance, n, effective);
  }
  add_reactions();
  add_readings();
  // A space has a dimension.
  if (question.request.seeds > 1 || dimensions_.empty()) {
    JointDimension seed{Unknown::seed, "seed", std::nullopt, {}};
    for (unsigned i = 0; i < question.request.seeds; ++i)
      seed.choices.push_back(fmt::format("{}", question.seed + i));
    dimensions_.push_back(std::move(seed));
  }
}

void JointSpace::add_variants() {
  const auto& all = question_.hypotheses.variants;
  if (all.size() < 2) return;
  JointDimension which{Unknown::variant, "variant", std::nullopt, {}};
  for (const auto& v : all) which.choices.push_back(v.label);
  dimensions_.push_back(std::move(which));
}

nlohmann::ordered_json JointSpace::configuration_in(const std::string& condition) const {
  const auto* spec = question_.observations.find_condition(condition);
  const question::Setting setting{question::texts_of(spec->set), question_.seed};
  return question_.platform
      .read(setting.with(question::texts_of(question_.hypotheses.variants.front().set))
                .with(question::texts_of(hypothesis_.set)))
      .effective;
}

void JointSpace::add_value(Unknown unknown, const question::ParameterSpec& spec,
                           const nlohmann::ordered_json& effective) {
  const auto own = spec.condition ? configuration_in(spec.condition->value) : effective;
  JointDimension d{unknown, spec.name(), question::OpenValue(spec, own), {}};
  for (const auto& v : spec.values) d.choices.push_back(v);
  dimensions_.push_back(std::move(d));
}

void JointSpace::add_reactions() {
  const auto& all = question_.hypotheses.reactions;
  if (all.empty() || !question_.has_conditions(true)) return;
  if (all.size() > 1) {
    JointDimension which{Unknown::reaction, "reaction", std::nullopt, {}};
    for (const auto& r : all) which.choices.push_back(r.id);
    dimensions_.push_back(std::move(which));
  }
  const auto& conditions = question_.observations.conditions;
  const auto condition =
      std::find_if(conditions.begin(), conditions.end(), [](const auto& c) { return c.reaction; });
  for (const auto& r : all) {
    ReactionUnknowns unknowns{&r, {}};
    const question::Setting base{question::texts_of(condition->set), question_.seed};
    const auto effective =
        question_.platform
            .read(base.with(question::texts_of(question_.hypotheses.variants.front().set))
                      .with(question::texts_of(hypothesis_.set))
                      .with(question::texts_of(r.set)))
            .effective;
    for (const auto& p : r.parameters) {
      if (moved(question_.hypotheses.nuisances, p.key) || moved(hypothesis_.parameters, p.key))
        continue;
      const auto there =
          std::find_if(dimensions_.begin(), dimensions_.end(), [&](const JointDimension& d) {
            return d.unknown == Unknown::reaction_parameter && same_range(d.value->spec(), p);
          });
      unknowns.dimensions.push_back(static_cast<std::size_t>(there - dimensions_.begin()));
      if (there == dimensions_.end()) add_value(Unknown::reaction_parameter, p, effective);
    }
    reactions_.push_back(std::move(unknowns));
  }
}

void JointSpace::add_readings() {
  const question::Readings base = question_.request.readings;
  readings_ = {base};
  const auto texts = question::reading_texts(base);
  const auto others = question::flipped(base);
  const auto& fixed = question_.request.fixed_readings;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const std::string name = texts[i].substr(0, texts[i].find('='));
    const bool is_fixed = std::any_of(fixed.begin(), fixed.end(), [&](const std::string& text) {
      return text.starts_with(name + "=");
    });
    const auto& observations = question_.observations.observations;
    const bool matters = std::any_of(observations.begin(), observations.end(), [&](const auto& o) {
      return question::metric_of(o.quantity, base) !=
             question::metric_of(o.quantity, others[i].second);
    });
    if (!matters || is_fixed) continue;
    const std::size_t n = readings_.size();
    for (std::size_t r = 0; r < n; ++r) {
      question::Readings turned = readings_[r];
      question::select_reading(turned, others[i].first);
      readings_.push_back(turned);
    }
  }
}

std::vector<double> JointSpace::numbers_of(const std::map<std::string, std::string>& values) const {
  std::vector<double> out;
  for (const auto& d : dimensions_) {
    const auto given = values.find(d.name);
    out.push_back(given == values.end() ? 0.5 : d.number(given->second));
  }
  return out;
}

JointPoint JointSpace::at(const std::vector<double>& numbers) const {
  JointPoint p;
  p.seed = question_.seed;
  const question::ReactionSpec* reaction =
      reactions_.empty() ? nullptr : reactions_.front().reaction;
  ValueOverrides nuisances, parameters;
  const auto& variants = question_.hypotheses.variants;
  if (variants.size() == 1) add_all(p.platform, question::texts_of(variants.front().set));
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const JointDimension& d = dimensions_[i];
    const std::string text = d.text(numbers[i]);
    p.values.push_back(text);
    p.matters.push_back(d.unknown != Unknown::reaction_parameter);
    switch (d.unknown) {
      case Unknown::variant:
        add_all(p.platform, question::texts_of(
                                std::find_if(variants.begin(), variants.end(), [&](const auto& v) {
                                  return v.label.value == text;
                                })->set));
        break;
      case Unknown::nuisance:
        nuisances.add(d.value->spec(), text);
        break;
      case Unknown::parameter:
        parameters.add(d.value->spec(), text);
        break;
      case Unknown::seed:
        p.seed = static_cast<std::uint32_t>(std::stoul(text));
        break;
      case Unknown::reaction:
        reaction = &*std::find_if(question_.hypotheses.reactions.begin(),
                                  question_.hypotheses.reactions.end(),
                                  [&](const auto& r) { return r.id.value == text; });
        break;
      case Unknown::reaction_parameter:
        break;
    }
  }
  nuisances.append_to(p.platform);
  add_all(p.platform, question::texts_of(hypothesis_.set));
  parameters.append_to(p.platform);
  for (const auto& r : reactions_) {
    if (r.reaction != reaction) continue;
    add_all(p.reacting, question::texts_of(r.reaction->set));
    ValueOverrides values;
    for (const std::size_t i : r.dimensions) {
      values.add(dimensions_[i].value->spec(), p.values[i]);
      p.matters[i] = true;
    }
    values.append_to(p.reacting);
  }
  return p;
}

}  // namespace horae::lab
