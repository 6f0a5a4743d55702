// Series of random scenarios around Themis.
#pragma once

#include <string>

#include "themis_network.hpp"

namespace horae::programs::test {

/// Variations of a series of scenarios besides the weather.
struct Series {
  bool queue = false;     ///< the slides' variant
  std::string more = {};  ///< parameters
  unsigned pipelines = 1;
  Rules rules = {};
  std::uint32_t threshold = 100'000;  ///< none by default
  unsigned fabrics = 40, scenarios = 50;
  std::uint64_t seed = 1;
  bool print = true;
};

inline std::string parameters(const Series& series, const Rules& rules) {
  const std::string common = fmt::format(
      "nics = 1\nqps_per_nic = {}\npipelines = 1\npaths = {}\nroute_entries = 8\n"
      "member_entries = 16\n{}\n",
      series.scenarios, rules.paths, series.more);
  if (series.queue) return "name = \"themis_queue\"\n" + common;
  return fmt::format(
             "name = \"themis\"\nwindow = {}\npieces = 1\nooo_threshold = {}\n"
             "avoidance_window = 20\n",
             rules.window, series.threshold) +
         common;
}

/// Plays it: fabrics of all sizes, first PSNs near the wrap half of the time.
template <class F>
Causes play(const Series& series, F&& weather) {
  Causes causes;
  RandomStream random(series.seed, "series");
  for (unsigned f = 0; f < series.fabrics; ++f) {
    Rules rules = series.rules;
    const unsigned uplinks = 1 + random.below(6);
    rules.paths = 1u << random.below(4);
    rules.window = rules.paths * (4u << random.below(3));
    Fabric fabric(parameters(series, rules), uplinks, series.pipelines);
    for (unsigned i = 0; i < series.scenarios; ++i) {
      const std::uint32_t around = (1u << 24) - random.below(300);
      const std::uint32_t first = random.below(2) == 0 ? around : random.bits();
      const Weather w = weather(random, rules, uplinks);
      Scenario(fabric, rules, w, random.bits(), first & Psn::mask, causes).run();
      if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << "fabric " << f << ", scenario " << i;
        return causes;
      }
    }
    for (const auto& pipe : fabric.far.pipes) {
      for (const auto& [name, value] : pipe->program->counters())
        causes.searches += name == "queue_passes" ? value : 0;
    }
  }
  if (series.print) fmt::print("{}", causes.text());
  return causes;
}

/// Losses of all kinds on the paths, and nothing else.
inline Weather losses(RandomStream& random, const Rules&, unsigned uplinks) {
  Weather w{.packets = 1 + random.below(200)};
  switch (random.below(4)) {
    case 0:
      w.loss = 0.05;
      break;
    case 1:
      w.burst = 0.01;
      break;
    case 2:
      w.dead_path = static_cast<int>(random.below(uplinks));
      w.dead_from = random.below(20'000);
      w.dead_until = w.dead_from + random.below(40'000);
      break;
    default:
      break;  // reordering only
  }
  return w;
}

}  // namespace horae::programs::test
