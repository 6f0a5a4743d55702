// Input files of `horae explain`: published observations, and hypotheses to hold against them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horae/params/located.hpp"
#include "horae/question/measured.hpp"

namespace horae::question {

/// A setting in which something was observed: overrides on top of the platform's.
struct ConditionSpec {
  Located<std::string> id;
  std::string title;
  std::vector<Located<std::string>> set;
  std::vector<Located<std::string>> brief;  ///< more of them, which make the many runs shorter
  bool reaction = false;                    ///< congestion control is on, so a reaction applies
  static const Schema<ConditionSpec>& schema();
};

/// Whether points are chosen by a number, or it is predicted from those that the others choose.
enum class Use { fit, predict };

/// How a value relates to the published number: it is that number, or the number bounds it.
enum class Relation { equals, at_most, at_least };

/// A published number. `rounding` and `tolerance` are in its unit.
struct ObservationSpec {
  Located<std::string> id;
  Located<std::string> condition;
  Located<std::string> quantity;
  double value = 0;
  Location value_where;  ///< of `value`; of all of it in a tool's file
  Relation relation = Relation::equals;
  /// A condition: the number is the quantity in `condition` divided by the quantity in this one.
  std::optional<Located<std::string>> relative_to;
  Located<std::string> unit;
  Located<double> rounding{};   ///< half of the last digit published
  Located<double> tolerance{};  ///< what a consistent model may miss beside that
  std::string tolerance_why;
  Use use = Use::predict;
  std::string source;
  static const Schema<ObservationSpec>& schema();

  /// The unit of `miss`.
  double allowance() const { return rounding.value + tolerance.value; }
  /// How far a value is off, in allowances: 0 on the allowed side of a bound.
  double miss(double ours) const;
  /// Whether it is measured in that condition, or relative to it.
  bool needs(const std::string& condition_id) const;
  /// The published number as it reads: "0.5", "<= 0.5", ">= 0.5".
  std::string value_text() const;
};

struct ObservationsFile {
  std::string title;
  std::string source;
  std::vector<ConditionSpec> conditions;
  std::vector<ObservationSpec> observations;  ///< with those of the imports once read
  std::vector<ImportSpec> imports;
  bool of_tool = false;  ///< a tool's file, which has only the conditions that it measured
  static const Schema<ObservationsFile>& schema();

  const ConditionSpec* find_condition(const std::string& id) const;
};

/// Settings that were not published: one of the variants holds, each as likely.
struct VariantSpec {
  Located<std::string> label;
  std::vector<Located<std::string>> set;
  bool quick = true;  ///< part of --quick
  static const Schema<VariantSpec>& schema();
};

enum class Scale { linear, log };

/// A value of the platform that may move: between two bounds, both texts of the value's own type,
/// or among `values`.
struct ParameterSpec {
  Located<std::string> key;
  std::vector<Located<std::string>> also;  ///< more keys that get the same value
  Located<std::string> low;
  Located<std::string> high;
  std::vector<Located<std::string>> values;  ///< in place of bounds, each as likely
  Scale scale = Scale::linear;
  /// The only condition that it applies in; by default it has one value in all of them.
  std::optional<Located<std::string>> condition;
  std::string why;
  std::string source;
  static const Schema<ParameterSpec>& schema();

  /// Its key, and the condition that it is limited to: "nic.mtu in idle".
  std::string name() const;

  /// One of some values.
  bool choice() const { return !values.empty(); }
  /// "key=value" for each of its keys.
  std::vector<std::string> overrides(const std::string& value) const;
};

/// Which NACKs a mechanism serves: every one, or several as one.
enum class Serves { every, merged };
/// Cause of an idle wire: each NACK served, each received, nothing, or the window.
enum class Stalls { served, received, none, window };
/// Effort of an experiment.
enum class Effort { command, setting, hardware };

/// A mechanism that may explain the observations: overrides, and parameters. The traits are
/// for checks by arithmetic alone; without one, its check says nothing.
struct HypothesisSpec {
  Located<std::string> id;
  std::string family;
  std::string title;
  std::string mechanism;
  std::vector<Located<std::string>> set;
  std::vector<ParameterSpec> parameters;
  std::optional<Serves> serves;
  std::optional<Stalls> stalls;
  std::uint32_t packets_per_nack = 2;  ///< retransmitted for a NACK that is served
  static const Schema<HypothesisSpec>& schema();

  /// A space of mechanisms rather than one: some parameter is a choice.
  bool space() const;
};

/// Reaction of congestion control to a NACK, on top of a hypothesis.
struct ReactionSpec {
  Located<std::string> id;
  std::string title;
  std::string mechanism;
  std::vector<Located<std::string>> set;
  std::vector<ParameterSpec> parameters;
  bool acts_when_blocked = false;  ///< also when no NACK reaches the sender
  static const Schema<ReactionSpec>& schema();
};

/// Something an operator can run to tell hypotheses apart.
struct ExperimentSpec {
  Located<std::string> id;
  std::string title;
  Located<std::string> condition;
  std::vector<Located<std::string>> set;
  std::vector<Located<std::string>> quantities;
  Effort effort = Effort::setting;
  bool quick = true;  ///< part of --quick
  static const Schema<ExperimentSpec>& schema();
};

/// A point of a curve. Without `set` it is the curve's condition itself, where that is published.
struct CurvePointSpec {
  Located<double> x{};
  std::optional<Located<std::string>> condition;  ///< in place of the curve's
  std::vector<Located<std::string>> set;
  static const Schema<CurvePointSpec>& schema();
};

/// A figure: quantities over something varied.
struct CurveSpec {
  Located<std::string> id;
  std::string title;
  std::string x_title;
  Located<std::string> condition;
  std::vector<Located<std::string>> quantities;
  std::vector<CurvePointSpec> points;
  static const Schema<CurveSpec>& schema();
};

struct HypothesesFile {
  std::string title;
  std::vector<VariantSpec> variants;  ///< at least one once read
  /// Unpublished values, each with a range. No variant sets any of them.
  std::vector<ParameterSpec> nuisances;
  std::vector<HypothesisSpec> hypotheses;
  std::vector<ReactionSpec> reactions;
  std::vector<ExperimentSpec> experiments;
  std::vector<CurveSpec> curves;
  static const Schema<HypothesesFile>& schema();
};

/// Reads and checks a file by itself: ids, quantities, units, conditions, and that every value can
/// be (range_of). Observations may also be a tool's file (is_measured). InputError.
ObservationsFile read_observations(const std::string& path);
/// Likewise. With observations of a tool's file, experiments and curves in conditions that it does
/// not have are left out.
HypothesesFile read_hypotheses(const std::string& path, const ObservationsFile& observations);

}  // namespace horae::question
