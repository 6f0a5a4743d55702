// The schemas of the files that `horae explain` reads.
#include "horae/params/schema.hpp"
#include "horae/question/files.hpp"

namespace horae::question {

const Schema<ConditionSpec>& ConditionSpec::schema() {
  static const Schema<ConditionSpec> s =
      Schema<ConditionSpec>("condition", "A setting in which something was observed.")
          .required("id", &ConditionSpec::id, {.doc = "name that observations use for it"})
          .field("title", &ConditionSpec::title, {.doc = "the condition in words"})
          .field("set", &ConditionSpec::set, {.doc = "overrides, as for --set"})
          .field("brief", &ConditionSpec::brief,
                 {.doc = "more overrides, for runs are many: a shorter duration"})
          .field("reaction", &ConditionSpec::reaction,
                 {.doc = "congestion control is on: a [[reaction]] applies"});
  return s;
}

const Schema<ObservationSpec>& ObservationSpec::schema() {
  static const Schema<ObservationSpec> s =
      Schema<ObservationSpec>("observation", "A published number that hypotheses must meet.")
          .required("id", &ObservationSpec::id, {.doc = "name under which results list it"})
          .required("condition", &ObservationSpec::condition,
                    {.doc = "id of the [[condition]] under which it is measured"})
          .required("quantity", &ObservationSpec::quantity,
                    {.doc = "what was measured: a quantity with readings, or a result of a run by "
                            "its full name"})
          .required("value", &ObservationSpec::value, {.doc = "value as it was published"})
          .required("unit", &ObservationSpec::unit,
                    {.doc = "that of the quantity; \"ratio\" with relative_to"})
          .choice("relation", &ObservationSpec::relation,
                  {{"equals", Relation::equals},
                   {"at_most", Relation::at_most},
                   {"at_least", Relation::at_least}},
                  {.doc = "whether a model must show the value, or no more, or no less"})
          .field("relative_to", &ObservationSpec::relative_to,
                 {.doc = "id of another [[condition]]: the value is the quantity in `condition` "
                         "divided by the quantity in that one"})
          .required("rounding", &ObservationSpec::rounding,
                    {.doc = "half of the last digit published, same unit"})
          .field("tolerance", &ObservationSpec::tolerance,
                 {.doc = "what a model that does not know the unpublished settings may miss and "
                         "still be called consistent, same unit"})
          .field("tolerance_why", &ObservationSpec::tolerance_why,
                 {.doc = "reason for a tolerance of that size"})
          .choice(
              "use", &ObservationSpec::use, {{"fit", Use::fit}, {"predict", Use::predict}},
              {.doc =
                   "points are chosen by it, or it is predicted from those that the others choose"})
          .required("source", &ObservationSpec::source,
                    {.doc = "where it was published: paper, section, figure"});
  return s;
}

const Schema<ObservationsFile>& ObservationsFile::schema() {
  static const Schema<ObservationsFile> s =
      Schema<ObservationsFile>("observations file", "Published numbers (horae explain).")
          .required("title", &ObservationsFile::title, {.doc = "what was measured, in words"})
          .required("source", &ObservationsFile::source,
                    {.doc = "publication that the observations come from"})
          .tables("condition", &ObservationsFile::conditions, ConditionSpec::schema())
          .tables("observation", &ObservationsFile::observations, ObservationSpec::schema())
          .tables("import", &ObservationsFile::imports, ImportSpec::schema());
  return s;
}

const Schema<VariantSpec>& VariantSpec::schema() {
  static const Schema<VariantSpec> s =
      Schema<VariantSpec>("variant", "Settings that were not published: one of the variants holds.")
          .required("label", &VariantSpec::label, {.doc = "name under which results list it"})
          .field("set", &VariantSpec::set, {.doc = "overrides, as for --set"})
          .field("quick", &VariantSpec::quick, {.doc = "tried with --quick too"});
  return s;
}

const Schema<ParameterSpec>& ParameterSpec::schema() {
  static const Schema<ParameterSpec> s =
      Schema<ParameterSpec>("parameter", "A value of the platform that may move.")
          .required("key", &ParameterSpec::key, {.doc = "dotted key, as for --set"})
          .field("also", &ParameterSpec::also, {.doc = "more keys that get the same value"})
          .field("low", &ParameterSpec::low,
                 {.doc = "lower bound, a text of the key's own type: \"100 ns\", \"4\""})
          .field("high", &ParameterSpec::high, {.doc = "upper bound, a text of the same type"})
          .field("values", &ParameterSpec::values,
                 {.doc = "in place of bounds: texts as for --set, equally likely"})
          .choice("scale", &ParameterSpec::scale, {{"linear", Scale::linear}, {"log", Scale::log}},
                  {.doc = "how the range between them is divided"})
          .field("condition", &ParameterSpec::condition,
                 {.doc = "id of the only [[condition]] that it applies in; by default it has one "
                         "value in all of them"})
          .field("why", &ParameterSpec::why, {.doc = "reason for bounds of that size"})
          .field("source", &ParameterSpec::source, {.doc = "where they come from"});
  return s;
}

const Schema<HypothesisSpec>& HypothesisSpec::schema() {
  static const Schema<HypothesisSpec> s =
      Schema<HypothesisSpec>("hypothesis", "A mechanism that may explain the observations.")
          .required("id", &HypothesisSpec::id, {.doc = "its name, such as H1.one_pending"})
          .field("family", &HypothesisSpec::family, {.doc = "hypotheses of one idea"})
          .required("title", &HypothesisSpec::title, {.doc = "in a few words"})
          .field("mechanism", &HypothesisSpec::mechanism, {.doc = "in a few sentences"})
          .field("set", &HypothesisSpec::set, {.doc = "overrides, as for --set"})
          .tables("parameter", &HypothesisSpec::parameters, ParameterSpec::schema())
          .choice("serves", &HypothesisSpec::serves,
                  {{"every", Serves::every}, {"merged", Serves::merged}},
                  {.doc = "serves each NACK by itself, or several as one"})
          .choice("stalls", &HypothesisSpec::stalls,
                  {{"served", Stalls::served},
                   {"received", Stalls::received},
                   {"none", Stalls::none},
                   {"window", Stalls::window}},
                  {.doc = "what idles the wire: each NACK served, each received, nothing, or the "
                          "transport's window"})
          .field("packets_per_nack", &HypothesisSpec::packets_per_nack,
                 {.doc = "packets retransmitted for a NACK that is served",
                  .min = 1,
                  .max = 64,
                  .source = "2: packet-spraying paper 2.2"});
  return s;
}

const Schema<ReactionSpec>& ReactionSpec::schema() {
  static const Schema<ReactionSpec> s =
      Schema<ReactionSpec>("reaction", "What congestion control makes of a NACK.")
          .required("id", &ReactionSpec::id, {.doc = "name under which results list it"})
          .required("title", &ReactionSpec::title, {.doc = "in a few words"})
          .field("mechanism", &ReactionSpec::mechanism, {.doc = "in a few sentences"})
          .field("set", &ReactionSpec::set, {.doc = "overrides, as for --set"})
          .tables("parameter", &ReactionSpec::parameters, ParameterSpec::schema())
          .field("acts_when_blocked", &ReactionSpec::acts_when_blocked,
                 {.doc = "lowers the rate also when no NACK reaches the sender"});
  return s;
}

const Schema<ExperimentSpec>& ExperimentSpec::schema() {
  static const Schema<ExperimentSpec> s =
      Schema<ExperimentSpec>("experiment", "What an operator can run to tell hypotheses apart.")
          .required("id", &ExperimentSpec::id, {.doc = "name under which results list it"})
          .required("title", &ExperimentSpec::title, {.doc = "the experiment in words"})
          .required("condition", &ExperimentSpec::condition,
                    {.doc = "id of the [[condition]] under which it is measured"})
          .field("set", &ExperimentSpec::set, {.doc = "overrides on top of it"})
          .required("quantities", &ExperimentSpec::quantities, {.doc = "what to look at"})
          .choice("effort", &ExperimentSpec::effort,
                  {{"command", Effort::command},
                   {"setting", Effort::setting},
                   {"hardware", Effort::hardware}},
                  {.doc = "what it takes: options of the traffic generator, a setting of a NIC or "
                          "switch, other hardware; the cheapest are listed first"})
          .field("quick", &ExperimentSpec::quick, {.doc = "tried with --quick too"});
  return s;
}

const Schema<CurvePointSpec>& CurvePointSpec::schema() {
  static const Schema<CurvePointSpec> s =
      Schema<CurvePointSpec>("point", "A point of a curve.")
          .required("x", &CurvePointSpec::x, {.doc = "where on the horizontal axis"})
          .field("condition", &CurvePointSpec::condition, {.doc = "in place of the curve's"})
          .field("set", &CurvePointSpec::set,
                 {.doc = "overrides on top of it; without any, published numbers of the condition "
                         "are drawn here"});
  return s;
}

const Schema<CurveSpec>& CurveSpec::schema() {
  static const Schema<CurveSpec> s =
      Schema<CurveSpec>("curve", "A figure: quantities over something varied.")
          .required("id", &CurveSpec::id, {.doc = "name under which results list it"})
          .field("title", &CurveSpec::title, {.doc = "heading above the plot"})
          .field("x_title", &CurveSpec::x_title, {.doc = "title of the horizontal axis"})
          .required("condition", &CurveSpec::condition,
                    {.doc = "id of the [[condition]] under which it is measured"})
          .required("quantities", &CurveSpec::quantities,
                    {.doc = "quantities drawn over the varied parameter"})
          .tables("point", &CurveSpec::points, CurvePointSpec::schema());
  return s;
}

const Schema<HypothesesFile>& HypothesesFile::schema() {
  static const Schema<HypothesesFile> s =
      Schema<HypothesesFile>("hypotheses file", "Mechanisms to hold against them (horae explain).")
          .required("title", &HypothesesFile::title, {.doc = "what is to be explained"})
          .tables("variant", &HypothesesFile::variants, VariantSpec::schema())
          .tables("nuisance", &HypothesesFile::nuisances, ParameterSpec::schema())
          .tables("hypothesis", &HypothesesFile::hypotheses, HypothesisSpec::schema())
          .tables("reaction", &HypothesesFile::reactions, ReactionSpec::schema())
          .tables("experiment", &HypothesesFile::experiments, ExperimentSpec::schema())
          .tables("curve", &HypothesesFile::curves, CurveSpec::schema());
  return s;
}

}  // namespace horae::question
