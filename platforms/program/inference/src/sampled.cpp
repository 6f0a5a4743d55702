// Result of sampling as JSON.
#include <algorithm>

#include "horae/inference/sampler.hpp"

namespace horae::inference {

using nlohmann::ordered_json;

namespace {

constexpr const char* stop_names[] = {"reached", "points", "no nearer"};

// JSON has no infinity: null.
double number(const ordered_json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

ordered_json level_json(const Level& l) {
  auto states = ordered_json::array();
  for (const State& s : l.states) states.push_back({s.point, s.chain});
  return {{"within", l.within},       {"next", l.next},   {"share", l.share},
          {"variation", l.variation}, {"moved", l.moved}, {"states", states}};
}

Level level_from(const ordered_json& json) {
  Level l{number(json.at("within")),      number(json.at("next")),
          json.at("share").get<double>(), json.at("variation").get<double>(),
          json.at("moved").get<double>(), {}};
  for (const auto& s : json.at("states"))
    l.states.push_back({s.at(0).get<std::size_t>(), s.at(1).get<std::size_t>()});
  return l;
}

}  // namespace

std::size_t Sampled::closest() const {
  return static_cast<std::size_t>(
      std::min_element(evaluations.begin(), evaluations.end(),
                       [](const auto& a, const auto& b) { return a.distance < b.distance; }) -
      evaluations.begin());
}

ordered_json Sampled::to_json() const {
  ordered_json out = {{"target", target},
                      {"stop", stop_names[static_cast<std::size_t>(stop)]},
                      {"levels", ordered_json::array()},
                      {"evaluations", ordered_json::array()}};
  for (const auto& l : levels) out["levels"].push_back(level_json(l));
  for (const auto& e : evaluations) out["evaluations"].push_back(inference::to_json(e));
  return out;
}

Sampled Sampled::from_json(const ordered_json& json) {
  Sampled out;
  out.target = json.at("target").get<double>();
  const auto stop = json.at("stop").get<std::string>();
  out.stop = static_cast<Stop>(std::find(std::begin(stop_names), std::end(stop_names), stop) -
                               std::begin(stop_names));
  for (const auto& l : json.at("levels")) out.levels.push_back(level_from(l));
  for (const auto& e : json.at("evaluations")) out.evaluations.push_back(evaluation_from(e));
  return out;
}

}  // namespace horae::inference
