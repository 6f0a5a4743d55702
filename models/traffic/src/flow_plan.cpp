#include "horae/traffic/flow_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace horae::traffic {
namespace {

__extension__ typedef unsigned __int128 Wide;

/// Mean time between messages of `mean_q16` / 65536 bytes at a share of `rate`.
std::uint64_t mean_interval(std::uint64_t mean_q16, BitRate rate, const ArrivalPlan& plan) {
  // A division and a multiplication: rounded alike everywhere.
  const auto billionths =
      static_cast<std::uint64_t>(std::llround(plan.load / plan.oversubscription * 1e9));
  const Wide bits_q16 = static_cast<Wide>(mean_q16) * 8;
  const Wide per_second = static_cast<Wide>(static_cast<std::uint64_t>(rate.count())) *
                          std::max<std::uint64_t>(1, billionths);
  constexpr std::uint64_t ps = 1'000'000'000'000ULL, billion = 1'000'000'000ULL;
  return static_cast<std::uint64_t>(bits_q16 * ps / 65536 * billion / per_second);
}

/// Times of a Poisson process.
class Arrivals {
 public:
  Arrivals(const ArrivalPlan& plan, std::uint64_t interval, const std::string& stream)
      : plan_(plan), interval_(interval), stream_(plan.seed, stream) {}

  /// The next one, or `never` when the time is over.
  Picoseconds next() {
    const Wide step = static_cast<Wide>(interval_) * draw_exponential(stream_) >> 32;
    if (step >= static_cast<Wide>(static_cast<std::uint64_t>((plan_.duration - elapsed_).count())))
      return never;
    elapsed_ += Picoseconds(static_cast<std::int64_t>(step));
    return plan_.start + elapsed_;
  }

 private:
  const ArrivalPlan& plan_;
  std::uint64_t interval_;
  RandomStream stream_;
  Picoseconds elapsed_{};
};

/// Any of `n` but `self`.
std::uint32_t other(std::uint32_t self, std::uint32_t n, RandomStream& stream) {
  const std::uint32_t drawn = stream.below(n - 1);
  return drawn < self ? drawn : drawn + 1;
}

}  // namespace

std::uint64_t draw_exponential(RandomStream& stream) {
  // The first of a falling run of uniform numbers, when the run's length is odd; each run of even
  // length before it adds one.
  for (std::uint64_t whole = 0;; ++whole) {
    const std::uint32_t first = stream.bits();
    unsigned length = 1;
    std::uint32_t last = first;
    for (std::uint32_t next = stream.bits(); next < last; next = stream.bits()) {
      last = next;
      ++length;
    }
    if (length % 2 == 1) return whole << 32 | first;
  }
}

std::vector<PlannedFlow> plan_flows(const std::vector<PlanHost>& hosts, const ArrivalPlan& plan,
                                    const SizeDistribution& sizes) {
  std::vector<PlannedFlow> flows;
  const auto n = static_cast<std::uint32_t>(hosts.size());
  for (std::uint32_t h = 0; h < n; ++h) {
    // Streams of their own: another load changes the times alone.
    const std::string name = plan.stream + "." + hosts[h].name;
    const auto mean = static_cast<std::uint64_t>(sizes.mean_q16());
    Arrivals arrivals(plan, mean_interval(mean, hosts[h].rate, plan), name + ".arrivals");
    RandomStream size(plan.seed, name + ".sizes"), to(plan.seed, name + ".destinations");
    for (Picoseconds at = arrivals.next(); at != never; at = arrivals.next())
      flows.push_back({.from = h, .to = other(h, n, to), .at = at, .bytes = sizes.draw(size)});
  }
  std::stable_sort(flows.begin(), flows.end(),
                   [](const PlannedFlow& a, const PlannedFlow& b) { return a.at < b.at; });
  return flows;
}

std::vector<PlannedFlow> plan_incast(const std::vector<PlanHost>& hosts, const ArrivalPlan& plan,
                                     std::uint32_t fan_in, Bytes bytes) {
  BitRate all{};
  for (const auto& host : hosts) all += host.rate;
  const auto query_q16 = static_cast<std::uint64_t>(bytes.count()) * fan_in * 65536;
  Arrivals arrivals(plan, mean_interval(query_q16, all, plan), plan.stream + ".arrivals");
  RandomStream places(plan.seed, plan.stream + ".places");

  std::vector<PlannedFlow> flows;
  std::vector<std::uint32_t> order(hosts.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto n = static_cast<std::uint32_t>(hosts.size());
  std::uint32_t query = 0;
  for (Picoseconds at = arrivals.next(); at != never; at = arrivals.next(), ++query) {
    // The first places of a shuffle: the receiver, then its senders.
    for (std::uint32_t i = 0; i <= fan_in; ++i) {
      std::swap(order[i], order[i + places.below(n - i)]);
      if (i > 0)
        flows.push_back(
            {.from = order[i], .to = order[0], .at = at, .bytes = bytes, .query = query});
    }
  }
  return flows;
}

}  // namespace horae::traffic
