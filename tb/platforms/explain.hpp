// Explanations of made-up observations: the model itself, at values the test knows, is what was
// observed.
#pragma once

#include <gtest/gtest.h>

#include "program.hpp"

namespace horae::test {

/// The shipped testbed, shortened: half a millisecond says enough of two rates.
inline const std::string testbed = std::string(HORAE_PLATFORM_DIR) + "/cx7_spray.toml";
inline const Words brief = {"sim.duration=500us", "sim.warmup=100us", "sim.sample=0us"};

/// A [[condition]]; `set` is TOML: `"a=1", "b=2"`.
inline std::string condition(const std::string& id, const std::string& set, bool reaction = false) {
  return fmt::format("[[condition]]\nid = \"{}\"\nset = [{}]\nreaction = {}\n", id, set, reaction);
}

/// An [[observation]] with a share of its value as tolerance.
inline std::string observation(const std::string& id, const std::string& where,
                               const std::string& quantity, double value, const std::string& unit,
                               const std::string& use, double tolerance = 0.01) {
  return fmt::format(
      "[[observation]]\nid = \"{}\"\ncondition = \"{}\"\nquantity = \"{}\"\nvalue = {:.9f}\n"
      "unit = \"{}\"\nrounding = {:.9f}\ntolerance = {:.9f}\nuse = \"{}\"\nsource = \"made up\"\n",
      id, where, quantity, value, unit, 0.0005 * value, tolerance * value, use);
}

inline const std::string observations_head = "title = \"made up\"\nsource = \"a test\"\n";
inline const std::string hypotheses_head = "title = \"made up\"\n";

/// A [[hypothesis]] or [[reaction]]; `rest` is more TOML.
inline std::string mechanism(const std::string& table, const std::string& id,
                             const std::string& rest) {
  return fmt::format("[[{}]]\nid = \"{}\"\ntitle = \"{}\"\n{}\n", table, id, id, rest);
}
inline std::string parameter(const std::string& table, const std::string& key,
                             const std::string& low, const std::string& high,
                             const std::string& scale = "linear") {
  return fmt::format(
      "[[{}.parameter]]\nkey = \"{}\"\nlow = \"{}\"\nhigh = \"{}\"\nscale = \"{}\"\n", table, key,
      low, high, scale);
}

/// A place with both files, and what `horae explain` says of them.
class Inquiry {
 public:
  Inquiry(const std::string& observations, const std::string& hypotheses) {
    place_.write("o.toml", observations);
    place_.write("h.toml", hypotheses);
  }

  Ended run(const Words& more = {}) const {
    Words arguments = {"explain", testbed, "--observations", "o.toml", "--hypotheses", "h.toml"};
    const auto given = [&](const char* option) {
      return std::find(more.begin(), more.end(), option) != more.end();
    };
    if (!given("--points")) arguments.insert(arguments.end(), {"--points", "160"});
    if (!given("--seeds")) arguments.insert(arguments.end(), {"--seeds", "1"});
    arguments = with_settings(std::move(arguments), brief);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::run(place_, arguments);
  }
  ordered_json json(Words more = {}) const {
    more.emplace_back("--json");
    const Ended ended = run(more);
    if (ended.exit_code != 0) throw std::runtime_error(ended.err);
    return ended.json();
  }
  const Workplace& place() const { return place_; }

 private:
  Workplace place_;
};

/// Result of a run of the testbed under settings.
inline double truth(const std::string& metric, Words settings) {
  const Workplace place;
  settings.insert(settings.begin(), brief.begin(), brief.end());
  settings.emplace_back("sweep={}");
  return result(summary_of(place, testbed, settings), metric);
}

inline ordered_json hypothesis(const ordered_json& summary, const std::string& id) {
  for (const auto& h : summary.at("infer").at("hypotheses")) {
    if (h.at("id") == id) return h;
  }
  throw std::runtime_error("no hypothesis " + id);
}

/// Range of an unknown over the accepted points.
inline ordered_json accepted(const ordered_json& hypothesis, const std::string& name) {
  for (const auto& unknown : hypothesis.at("unknowns")) {
    if (unknown.at("name") == name) return unknown.at("accepted");
  }
  throw std::runtime_error("no unknown " + name);
}

/// Prediction of an observation.
inline ordered_json prediction(const ordered_json& hypothesis, const std::string& observation) {
  for (const auto& p : hypothesis.at("predictions")) {
    if (p.at("observation") == observation) return p;
  }
  throw std::runtime_error("no prediction of " + observation);
}

}  // namespace horae::test
