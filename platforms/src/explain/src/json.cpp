// An answer as JSON.
#include "json.hpp"

#include <map>

#include "horae/explain/arithmetic.hpp"
#include "horae/explain/report.hpp"
#include "horae/results/version.hpp"

namespace horae::explain {
namespace {

using nlohmann::ordered_json;

ordered_json ranked_json(const Answer& answer) {
  ordered_json out = ordered_json::array();
  for (std::size_t i = 0; i < answer.order.size(); ++i) {
    const HypothesisVerdict& r = answer.hypotheses[answer.order[i]];
    const lab::Candidate& c = r.best().best();
    const std::size_t fitted = c.calibrated();
    out.push_back({{"rank", i + 1},
                   {"hypothesis", r.hypothesis->id.value},
                   {"consistent", r.best().consistent()},
                   {"verdict", r.best().verdict()},
                   {"rms", c.rms()},
                   {"parameters", c.parameters()},
                   {"fitted", fitted},
                   {"predicted", c.comparisons.size() - fitted},
                   {"variant", r.best().variant->label.value},
                   {"reaction",
                    c.reaction == nullptr ? ordered_json() : ordered_json(c.reaction->id.value)}});
  }
  return out;
}

/// What every run's books say, summed.
void add_totals(const lab::RunStore& runs, ordered_json& out) {
  std::int64_t sim_time = 0;
  std::uint64_t events = 0, hops = 0, created = 0, delivered = 0, in_flight = 0;
  std::map<std::string, std::uint64_t> dropped;
  for (const auto& r : runs.records()) {
    sim_time += r.sim_time_ps;
    events += r.events;
    hops += r.packet_hops;
    created += r.packets["created"].get<std::uint64_t>();
    delivered += r.packets["delivered"].get<std::uint64_t>();
    in_flight += r.packets["in_flight"].get<std::uint64_t>();
    for (const auto& [cause, n] : r.packets["dropped"].items())
      dropped[cause] += n.get<std::uint64_t>();
  }
  out["sim_time_ps"] = sim_time;
  out["events"] = events;
  out["packet_hops"] = hops;
  out["packets"] = {{"created", created},
                    {"delivered", delivered},
                    {"dropped", dropped},
                    {"in_flight", in_flight}};
}

}  // namespace

ordered_json head_json(const question::Question& q, double wall_seconds) {
  return {{"schema", 1},
          {"platform", q.platform_name},
          {"config", q.platform_config},
          {"config_hash", q.platform_hash},
          {"seed", q.seed},
          {"version", results::version()},
          {"verdict", "complete"},
          {"wall_s", wall_seconds}};
}

ordered_json repeated_json(const question::Question& q) {
  ordered_json out = ordered_json::array();
  for (const auto& r : q.repeated) out.push_back({{"id", r.id}, {"again", r.again}});
  return out;
}

ordered_json answer_json(const lab::Laboratory& laboratory, const Answer& answer) {
  const question::Question& q = laboratory.question();
  ordered_json out = head_json(q, answer.wall_seconds);
  add_totals(laboratory.runs(), out);
  out["results"] = ordered_json::object();
  out["rows"] = {{"explain", ranked_json(answer)}};
  out["validation"] = ordered_json::array();
  for (const std::size_t i : answer.order) {
    for (const auto& c : answer.hypotheses[i].best().best().comparisons) {
      ordered_json row = comparison_json(c);
      row["hypothesis"] = answer.hypotheses[i].hypothesis->id.value;
      out["validation"].push_back(std::move(row));
    }
  }
  ordered_json& x = out["explain"];
  x = {{"observations", q.observations_path},
       {"hypotheses_file", q.hypotheses_path},
       {"title", q.observations.title},
       {"source", q.observations.source},
       {"counted_once", repeated_json(q)},
       {"readings", question::reading_texts(q.request.readings)},
       {"seeds", q.request.seeds},
       {"quick", q.request.quick},
       {"runs", laboratory.runs().records().size()},
       {"arithmetic", ordered_json::array()},
       {"hypotheses", ordered_json::array()},
       {"survivors", ordered_json::array()},
       {"experiments", ordered_json::array()}};
  for (std::size_t v = 0; v < q.hypotheses.variants.size(); ++v) {
    if (!answer.facts[v]) continue;
    const SenderFacts& facts = *answer.facts[v];
    const PublishedNumbers numbers{q.observations, q.request.readings, facts};
    x["arithmetic"].push_back({{"variant", q.hypotheses.variants[v].label.value},
                               {"frame_bytes", facts.frame_bytes},
                               {"line_gbps", facts.line_gbps},
                               {"senders", facts.senders},
                               {"blocking", arithmetic_json(blocking_checks(numbers))},
                               {"text", arithmetic_text(numbers, q.hypotheses)}});
  }
  for (const auto& r : answer.hypotheses) x["hypotheses"].push_back(hypothesis_json(r));
  x["ranked"] = ordered_json::array();
  for (const std::size_t i : answer.order)
    x["ranked"].push_back(answer.hypotheses[i].hypothesis->id.value);
  for (std::size_t i = 0; i < answer.survivors.size(); ++i)
    x["survivors"].push_back(answer.survivor_name(i));
  for (const auto& r : answer.experiments) x["experiments"].push_back(experiment_json(answer, r));
  x["curves"] = curves_json(q, answer);
  return out;
}

}  // namespace horae::explain
