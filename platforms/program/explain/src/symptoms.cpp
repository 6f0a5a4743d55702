#include "horae/explain/symptoms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "horae/core/error.hpp"
#include "horae/lab/runs.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/question/quantities.hpp"
#include "horae/results/progress.hpp"
#include "horae/run/result_names.hpp"
#include "table.hpp"

namespace horae::explain {
namespace {

using question::ObservationSpec;
using question::Relation;

struct SymptomSpec {
  Located<std::string> quantity;
  double value = 0;
  Relation relation = Relation::equals;
  std::optional<double> tolerance;
  static const Schema<SymptomSpec>& schema() {
    static const Schema<SymptomSpec> s =
        Schema<SymptomSpec>("symptom", "A number that a system shows.")
            .required("quantity", &SymptomSpec::quantity,
                      {.doc = "a quantity or a result: horae list quantities"})
            .required("value", &SymptomSpec::value, {.doc = "what it is, in the quantity's unit"})
            .choice("relation", &SymptomSpec::relation,
                    {{"equals", Relation::equals},
                     {"at_most", Relation::at_most},
                     {"at_least", Relation::at_least}},
                    {.doc = "whether it is that, or bounded by it"})
            .field("tolerance", &SymptomSpec::tolerance,
                   {.doc = "how far a run may be off. Absent: a quarter of the value", .min = 0.0});
    return s;
  }
};

struct SymptomsFile {
  std::vector<SymptomSpec> symptoms;
  static const Schema<SymptomsFile>& schema() {
    static const Schema<SymptomsFile> s =
        Schema<SymptomsFile>("symptoms", "Numbers that a system shows.")
            .tables("symptom", &SymptomsFile::symptoms, SymptomSpec::schema());
    return s;
  }
};

/// Whether a result has no scale: it can be compared between lines of different rates.
bool without_scale(const std::string& name) {
  const auto* known = run::find_result_name(name);
  if (known == nullptr) return false;
  const std::string unit(known->unit);
  return unit.starts_with("share of ") || unit.starts_with("ratio") || unit.ends_with("/packet");
}

ShownIn shown_in(const question::ConditionSpec& condition, const lab::RunRecord& run,
                 const std::vector<ObservationSpec>& symptoms) {
  ShownIn out{condition.id.value, condition.title, {}, {}, 0};
  for (const ObservationSpec& s : symptoms) {
    const double ours = run.value(question::metric_of(s.quantity, {}));
    const double miss =
        std::isfinite(ours) ? std::min(std::abs(s.miss(ours)), most_missed) : most_missed;
    out.ours.push_back(ours);
    out.misses.push_back(miss);
    out.shown += miss <= 1 ? 1 : 0;
  }
  return out;
}

auto order_of(const ShownIn& s) { return std::tuple(s.shown, -s.miss()); }

/// The conditions of one question, in its own store: their base is another platform.
Candidate look_into(const std::string& file, const std::vector<ObservationSpec>& symptoms,
                    unsigned jobs, std::size_t& runs) {
  const question::BasePlatform platform(file, {});
  const auto read = platform.read();
  const auto path = std::filesystem::path(file).parent_path() / read.explain.observations->value;
  const auto observed = question::read_observations(path.string());
  lab::RunStore store(platform);
  std::vector<lab::RunRequest> requests;
  for (const auto& condition : observed.conditions)
    requests.push_back({question::Setting{question::texts_of(condition.set), read.sim.seed},
                        file + ", " + condition.id.value, condition.id.where});
  store.run_all(requests, jobs);
  Candidate out{file, observed.title, {}, symptoms.size(), {}};
  for (std::size_t c = 0; c < requests.size(); ++c) {
    const lab::RunRecord& run = store.run(requests[c]);
    ShownIn shown = shown_in(observed.conditions[c], run, symptoms);
    out.least = std::min(out.least, shown.shown);
    if (c > 0 && order_of(shown) <= order_of(out.best)) continue;
    out.best = std::move(shown);
    out.shares.clear();
    for (const auto& [name, value] : run.results) {
      if (without_scale(name)) out.shares.emplace_back(name, value);
    }
  }
  runs += store.records().size();
  return out;
}

std::optional<Telling> telling_of(const Candidate& a, const Candidate& b) {
  constexpr double least_difference = 0.05;
  std::optional<Telling> out;
  for (const auto& [name, first] : a.shares) {
    const auto it = std::find_if(b.shares.begin(), b.shares.end(),
                                 [&, &n = name](const auto& s) { return s.first == n; });
    if (it == b.shares.end()) continue;
    const double difference = std::abs(first - it->second);
    if (difference >= least_difference && (!out || difference > std::abs(out->first - out->second)))
      out = Telling{name, first, it->second};
  }
  return out;
}

}  // namespace

double ShownIn::miss() const {
  return std::accumulate(misses.begin(), misses.end(), 0.0) / static_cast<double>(misses.size());
}

std::vector<ObservationSpec> read_symptoms(const std::string& path) {
  std::vector<ObservationSpec> out;
  if (question::is_measured(path)) {
    out = question::read_measured(path, {}).observations;
  } else {
    const auto file = Document::load(path).root().read<SymptomsFile>();
    for (const SymptomSpec& s : file.symptoms) {
      question::check_quantity(s.quantity);
      const std::string metric = question::metric_of(s.quantity, {});
      if (run::find_result_name(metric) == nullptr) {
        std::vector<std::string> names;
        for (const auto& known : run::result_names()) names.emplace_back(known.name);
        throw input_error(s.quantity.where, fmt::format("no run has the result '{}'{}", metric,
                                                        suggestion(metric, names)));
      }
      ObservationSpec o;
      o.id = s.quantity;
      o.quantity = s.quantity;
      o.value = s.value;
      o.relation = s.relation;
      o.tolerance.value = std::max(s.tolerance.value_or(0.25 * std::abs(s.value)),
                                   std::numeric_limits<double>::epsilon());
      out.push_back(std::move(o));
    }
  }
  if (out.empty()) throw input_error({path, 0, 0, {}}, "no [[symptom]]; expected one or more");
  return out;
}

Diagnosis diagnose(const std::vector<std::string>& files, std::vector<ObservationSpec> symptoms,
                   unsigned jobs, bool show_progress) {
  Diagnosis out{std::move(symptoms), {}, {}, 0};
  results::Progress progress(show_progress);
  for (const auto& file : files) {
    if (progress.due())
      progress.update(
          static_cast<double>(out.candidates.size()) / static_cast<double>(files.size()), file);
    out.candidates.push_back(look_into(file, out.symptoms, jobs, out.runs));
  }
  std::stable_sort(out.candidates.begin(), out.candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     const auto key = [](const Candidate& c) {
                       return std::tuple(c.best.shown, c.best.shown - c.least, -c.best.miss());
                     };
                     return key(a) > key(b);
                   });
  if (out.candidates.size() > 1) out.telling = telling_of(out.candidates[0], out.candidates[1]);
  return out;
}

std::string diagnosis_text(const Diagnosis& d, const std::string& symptoms_path) {
  std::string out = fmt::format("symptoms of {}, beside {} runs of {} questions\n\n", symptoms_path,
                                d.runs, d.candidates.size());
  std::vector<Row> rows = {{"", "question", "condition", "shown", "of its mechanism", "miss"}};
  for (const auto& symptom : d.symptoms)
    rows.front().push_back(fmt::format("{} {}", symptom.quantity.value, symptom.value_text()));
  std::vector<bool> right = {true, false, false, true, true, true};
  right.resize(rows.front().size(), true);
  std::size_t n = 0;
  for (const Candidate& c : d.candidates) {
    rows.push_back({fmt::format("{}", ++n), std::filesystem::path(c.file).stem().string(),
                    c.best.condition, fmt::format("{} of {}", c.best.shown, d.symptoms.size()),
                    fmt::format("{}", c.best.shown - c.least), number_text(c.best.miss())});
    for (std::size_t s = 0; s < d.symptoms.size(); ++s)
      rows.back().push_back(std::isfinite(c.best.ours[s]) ? number_text(c.best.ours[s]) : "-");
  }
  out += aligned(rows, right, "");
  const Candidate& first = d.candidates.front();
  if (first.best.shown == 0) return out + "\nNo question shows any of these symptoms.\n";
  out += fmt::format("\nNearest: {} ({}: {})\n  horae explain {} --quick\n", first.title,
                     first.best.condition, first.best.title, first.file);
  if (!d.telling) return out;
  const Candidate& second = d.candidates[1];
  out += fmt::format(
      "What tells it from {}: {} is {} there, and {} in this\n  horae explain {} --quick\n",
      std::filesystem::path(second.file).stem().string(), d.telling->quantity,
      number_text(d.telling->second), number_text(d.telling->first), second.file);
  return out;
}

nlohmann::ordered_json diagnosis_json(const Diagnosis& d) {
  nlohmann::ordered_json out = {{"schema", 1}, {"runs", d.runs}};
  const auto number = [](double v) {
    return std::isfinite(v) ? nlohmann::ordered_json(v) : nlohmann::ordered_json();
  };
  auto& symptoms = out["symptoms"] = nlohmann::ordered_json::array();
  for (const auto& s : d.symptoms)
    symptoms.push_back({{"quantity", s.quantity.value},
                        {"value", s.value},
                        {"reads", s.value_text()},
                        {"tolerance", s.allowance()}});
  auto& candidates = out["candidates"] = nlohmann::ordered_json::array();
  for (const Candidate& c : d.candidates) {
    auto ours = nlohmann::ordered_json::array();
    for (const double v : c.best.ours) ours.push_back(number(v));
    candidates.push_back({{"question", c.file},
                          {"title", c.title},
                          {"condition", c.best.condition},
                          {"shown", c.best.shown},
                          {"of_mechanism", c.best.shown - c.least},
                          {"miss", c.best.miss()},
                          {"ours", std::move(ours)}});
  }
  if (d.telling)
    out["tells_apart"] = {{"quantity", d.telling->quantity},
                          {"first", d.telling->first},
                          {"second", d.telling->second}};
  return out;
}

}  // namespace horae::explain
