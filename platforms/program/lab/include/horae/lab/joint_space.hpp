// Everything that one hypothesis leaves open, together: its parameters, unpublished values, and
// the reaction of congestion control. How the publication is read is open as well; that takes no
// more runs.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/lab/runs.hpp"
#include "horae/question/open_value.hpp"
#include "horae/question/question.hpp"

namespace horae::lab {

/// Kind of an unknown of a joint space.
enum class Unknown { parameter, variant, nuisance, reaction, reaction_parameter, seed };
std::string name_of(Unknown unknown);

/// One unknown: a value of the platform, or a choice of something else.
struct JointDimension {
  Unknown unknown = Unknown::parameter;
  std::string name;  ///< ParameterSpec::name; or "variant", "reaction", "seed"
  std::optional<question::OpenValue> value;  ///< of a value of the platform
  std::vector<std::string> choices;          ///< of a discrete one
  bool continuous() const { return choices.empty(); }
  /// The text at a number of [0, 1).
  std::string text(double number) const;
  /// A number of [0, 1) at that text.
  double number(const std::string& text) const;
};

/// An override, and the condition that it is limited to; empty: it holds in all of them.
struct PointOverride {
  std::string text;
  std::string condition;
};

/// A point of a joint space.
struct JointPoint {
  std::vector<std::string> values;  ///< by dimension
  std::vector<bool> matters;  ///< by dimension: false of parameters of other reactions than its own
  /// Overrides of the variant, the nuisances, the hypothesis and its parameters.
  std::vector<PointOverride> platform;
  std::vector<PointOverride> reacting;  ///< and of the reaction, where one applies
  std::uint32_t seed = 1;

  /// The run in a condition, with `more` on top of everything.
  question::Setting setting(const question::ConditionSpec& condition,
                            const std::vector<std::string>& more = {}) const;
};

/// The unknowns of a hypothesis. Of several variants one holds, each as likely; a single one is no
/// unknown and always holds. A nuisance that is a parameter of the hypothesis has the
/// parameter's range; a parameter of a reaction that is a nuisance has the nuisance's. Reactions
/// with the same key and range share an unknown.
class JointSpace {
 public:
  /// The question outlives the space.
  JointSpace(const question::Question& question, const question::HypothesisSpec& hypothesis);

  const std::vector<JointDimension>& dimensions() const { return dimensions_; }
  const question::HypothesisSpec& hypothesis() const { return hypothesis_; }
  /// Every combination of the readings that are open and matter to an observation.
  const std::vector<question::Readings>& readings() const { return readings_; }
  /// The point at a number of [0, 1) for each dimension.
  JointPoint at(const std::vector<double>& numbers) const;
  /// Numbers of the point with these values, by the names of dimensions; the middle of a dimension
  /// that has none, or none of its values. InputError for a text that is no value of its unit.
  std::vector<double> numbers_of(const std::map<std::string, std::string>& values) const;

 private:
  /// The unknowns of a reaction's parameters, by their place among the dimensions.
  struct ReactionUnknowns {
    const question::ReactionSpec* reaction = nullptr;
    std::vector<std::size_t> dimensions;
  };

  /// The platform in a condition, with the first variant and what the hypothesis sets.
  nlohmann::ordered_json configuration_in(const std::string& condition) const;
  void add_variants();
  void add_value(Unknown unknown, const question::ParameterSpec& spec,
                 const nlohmann::ordered_json& effective);
  void add_reactions();
  void add_readings();

  const question::Question& question_;
  const question::HypothesisSpec& hypothesis_;
  std::vector<JointDimension> dimensions_;
  std::vector<ReactionUnknowns> reactions_;
  std::vector<question::Readings> readings_;
};

}  // namespace horae::lab
