// Prints what the REPS paper draws of its balls into bins, and its Table 1, as CSV.
//   horae_reps_theory [figure13|figure14|figure16|figure17|settling|bits]   (all without an
//   argument)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include "horae/core/error.hpp"
#include "horae/policy/entropy/parameters.hpp"
#include "horae/policy/entropy/reps.hpp"
#include "theory/imbalance.hpp"
#include "theory/recycled.hpp"
#include "theory/spraying.hpp"

namespace horae::validate {
namespace {

using namespace horae::theory;

/// Means of the longest queue at these rounds, over trials.
template <class Make>
void print_growth(const std::string& label, std::uint32_t bins, std::uint32_t trials,
                  const std::vector<std::uint32_t>& at, Make make) {
  std::vector<Trials> longest(at.size());
  for (std::uint32_t trial = 1; trial <= trials; ++trial) {
    auto process = make(RandomStream(trial, label + std::to_string(bins)));
    std::uint32_t done = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      process.rounds(at[i] - done);
      done = at[i];
      longest[i].add(process.longest());
    }
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    fmt::print("{},{},{},{:.2f},{:.2f},{:.2f}\n", label, bins, at[i], longest[i].mean(),
               longest[i].deviation(), recycling_threshold(bins));
  }
}

constexpr std::string_view growth_header = "process,uplinks,round,longest,deviation,threshold\n";

// The caption says 10000 rounds; the artifact draws 1000, of 500 trials with balls of weight 0.99.
void figure13() {
  fmt::print("{}", growth_header);
  const std::vector<std::uint32_t> at = {1,   10,  30,  100, 200, 300, 400,
                                         500, 600, 700, 800, 900, 1000};
  for (const std::uint32_t uplinks : {4u, 8u, 16u, 32u, 64u, 128u}) {
    print_growth("weight", uplinks, 500, at, [&](RandomStream random) {
      return SprayedBins(uplinks, 0.99, Thinning::weight, random);
    });
  }
  for (const std::uint32_t uplinks : {4u, 8u, 16u, 32u, 64u, 128u}) {
    print_growth("balls", uplinks, 40, {100, 1000, 10'000}, [&](RandomStream random) {
      return SprayedBins(uplinks, 0.99, Thinning::balls, random);
    });
  }
}

// One history of 200 rounds. The text has 5 uplinks, the artifact draws 8.
void figure14() {
  fmt::print("process,uplinks,round,longest,shortest\n");
  constexpr std::uint32_t rounds = 200, step = 5;
  for (const std::uint32_t uplinks : {5u, 8u}) {
    const double threshold = recycling_threshold(uplinks);
    SprayedBins sprayed(uplinks, 1, Thinning::balls, RandomStream(1, "sprayed"));
    RecycledBins recycled(uplinks, threshold, 1, RandomStream(1, "recycled"));
    for (std::uint32_t round = step; round <= rounds; round += step) {
      sprayed.rounds(step);
      recycled.rounds(step);
      const auto [low, high] =
          std::minmax_element(sprayed.queues().begin(), sprayed.queues().end());
      fmt::print("OPS,{},{},{:g},{:g}\n", uplinks, round, *high, *low);
      const auto [least, most] =
          std::minmax_element(recycled.queues().begin(), recycled.queues().end());
      fmt::print("recycled,{},{},{},{}\n", uplinks, round, *most, *least);
      fmt::print("threshold,{},{},{:.2f},{:.2f}\n", uplinks, round, threshold, threshold);
    }
  }
}

void figure16() {
  constexpr std::uint32_t uplinks = 32;
  fmt::print("flows,values,mean,deviation,p1,p50,p99,closed_form\n");
  for (const std::uint32_t flows : {1u, 32u}) {
    for (int log2_values = 5; log2_values <= 16; ++log2_values) {
      const std::uint64_t balls = std::uint64_t{flows} << log2_values;
      RandomStream random(1, "imbalance" + std::to_string(balls) + "/" + std::to_string(flows));
      const Trials t = thrown_imbalances(uplinks, balls, flows == 1 ? 400 : 100, random);
      fmt::print("{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}\n", flows, 1 << log2_values,
                 100 * t.mean(), 100 * t.deviation(), 100 * t.quantile(0.01), 100 * t.quantile(0.5),
                 100 * t.quantile(0.99),
                 100 * expected_imbalance(uplinks, static_cast<double>(balls)));
    }
  }
}

void figure17() {
  fmt::print("{}", growth_header);
  const std::vector<std::uint32_t> at = {10, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000};
  for (const std::uint32_t uplinks : {8u, 32u}) {
    for (const std::uint32_t every : {1u, 2u, 4u, 8u, 16u}) {
      print_growth(fmt::format("{}:1", every), uplinks, 200, at, [&](RandomStream random) {
        return RecycledBins(uplinks, recycling_threshold(uplinks), every, random);
      });
    }
    for (const std::uint32_t round : at) {
      const double threshold = recycling_threshold(uplinks);
      fmt::print("4 ln n,{},{},{:.2f},0,{:.2f}\n", uplinks, round, threshold, threshold);
    }
    print_growth("OPS", uplinks, 200, at, [&](RandomStream random) {
      return SprayedBins(uplinks, 1, Thinning::balls, random);
    });
  }
}

// Theorem 5.1 in both readings: at once, and colours to the letter with 2.4 ln n of them per
// uplink.
void settling() {
  fmt::print(
      "reading,uplinks,threshold,rounds,settled_percent,last_random,last_random_p99,longest\n");
  const auto line = [](std::string_view reading, std::uint32_t uplinks, std::uint32_t rounds,
                       std::uint32_t trials, auto make) {
    Trials last, longest;
    std::uint32_t settled = 0;
    for (std::uint32_t trial = 1; trial <= trials; ++trial) {
      auto process = make(RandomStream(trial, fmt::format("{}{}", reading, uplinks)));
      process.rounds(rounds);
      last.add(process.last_random());
      longest.add(process.longest());
      // Nothing was random in the last fifteenth.
      if (process.last_random() < rounds - rounds / 15) ++settled;
    }
    fmt::print("{},{},{:.1f},{},{:.1f},{:.1f},{:g},{:.1f}\n", reading, uplinks,
               recycling_threshold(uplinks), rounds, 100.0 * settled / trials, last.mean(),
               last.quantile(0.99), longest.mean());
  };
  for (const std::uint32_t uplinks : {5u, 8u, 16u, 32u, 64u, 128u}) {
    line("at once", uplinks, uplinks * 15, 400, [&](RandomStream random) {
      return RecycledBins(uplinks, recycling_threshold(uplinks), 1, random);
    });
  }
  for (const std::uint32_t uplinks : {16u, 32u}) {
    line("to the letter", uplinks, 3000, 40, [&](RandomStream random) {
      const double colours = std::ceil(0.6 * recycling_threshold(uplinks));
      return ColouredBins(uplinks, recycling_threshold(uplinks),
                          static_cast<std::uint32_t>(colours), random);
    });
  }
}

void bits() {
  constexpr std::uint32_t window = 151;
  fmt::print("scheme,bits,bytes\n");
  const auto line = [](const std::string& label, const policy::EntropyConfig& config) {
    const std::uint64_t n = policy::find_entropy_scheme(config.scheme).bits(config, window);
    fmt::print("{},{},{}\n", label, n, policy::bytes_for(n).count());
  };
  for (const policy::EntropyEntry& entry : policy::entropy_schemes()) {
    policy::EntropyConfig config{.scheme = std::string(entry.name)};
    if (entry.name == "bitmap") config.values = 256;  // as in most of the paper's runs
    line(config.scheme, config);
  }
  line("reps of 1",
       {.scheme = "reps",
        .parameters = policy::PolicyParameters::with(policy::RepsParameters{.ring = 1})});
}

struct Part {
  std::string_view name;
  void (*print)();
};
constexpr Part parts[] = {{"figure13", figure13}, {"figure14", figure14}, {"figure16", figure16},
                          {"figure17", figure17}, {"settling", settling}, {"bits", bits}};

int run(std::string_view what) {
  bool found = false;
  std::vector<std::string> names;
  for (const Part& part : parts) {
    names.emplace_back(part.name);
    if (!what.empty() && what != part.name) continue;
    if (found) fmt::print("\n");
    found = true;
    part.print();
  }
  if (found) return 0;
  fmt::print(stderr, "horae_reps_theory: unknown '{}'{}\n", what,
             suggestion(std::string(what), names));
  return 2;
}

}  // namespace
}  // namespace horae::validate

int main(int argc, char** argv) {
  if (argc > 2) {
    fmt::print(stderr,
               "usage: horae_reps_theory [figure13|figure14|figure16|figure17|settling|bits]\n");
    return 2;
  }
  return horae::validate::run(argc == 2 ? argv[1] : "");
}
