// kind = "messages": streams between NICs as perftest sends them, or a finite number each.
#include <fmt/format.h>

#include <optional>

#include "horae/core/random.hpp"
#include "horae/flows/nic_demands.hpp"
#include "pattern.hpp"

namespace horae::flows {
namespace {

struct MessagesConfig : PatternConfig {
  Bytes message = 64_KiB;
  std::uint32_t depth = 128;
  std::uint32_t qps = 1;
  std::uint32_t count = 0;
  Picoseconds start{};
  std::optional<Picoseconds> stagger, start_within;
  std::uint32_t first_psn = 0;
  static const Schema<MessagesConfig>& schema();
};

const Schema<MessagesConfig>& MessagesConfig::schema() {
  static const Schema<MessagesConfig> s =
      with_pattern(Schema<MessagesConfig>("traffic", "RDMA WRITE messages between NICs."), "NIC")
          .field("message", &MessagesConfig::message,
                 {.doc = "size of a message",
                  .min = 0_B,
                  .max = Bytes(0x7fffffff),
                  .source = "64 KiB: perftest default"})
          .field("depth", &MessagesConfig::depth,
                 {.doc = "messages outstanding per queue pair",
                  .min = 1,
                  .max = 65536,
                  .source = "128: perftest default tx-depth"})
          .field("qps", &MessagesConfig::qps,
                 {.doc = "queue pairs per pair",
                  .min = 1,
                  .max = 4096,
                  .source = "1: perftest default"})
          .field("count", &MessagesConfig::count,
                 {.doc = "messages per queue pair; 0: without end"})
          .field("start", &MessagesConfig::start, {.doc = "when the first is posted", .min = 0_ps})
          .field("stagger", &MessagesConfig::stagger,
                 {.doc = "each queue pair starts so much later than the one before; absent: all at "
                         "once",
                  .min = 0_ps,
                  .max = 1000_ms})
          .field("start_within", &MessagesConfig::start_within,
                 {.doc = "each queue pair starts at a random time within this span besides; "
                         "absent: all at once",
                  .min = 0_ps,
                  .max = 1000_ms})
          .field("first_psn", &MessagesConfig::first_psn,
                 {.doc = "PSN of the first packet of each queue pair", .max = Psn::mask});
  return s;
}

/// Whole picoseconds of a span, from 0 to just below all of it.
Picoseconds share_of(Picoseconds span, double share) {
  return Picoseconds(static_cast<std::int64_t>(static_cast<double>(span.count()) * share));
}

class MessagesTraffic final : public TrafficOf<MessagesConfig> {
 public:
  explicit MessagesTraffic(const TrafficSection& table) : TrafficOf(table) {
    check_pattern(table, config_, EndPoint::nic);
    const auto ask = [&](unsigned device, std::uint64_t n) {
      table.demand.ask(device, n * config_.qps, table.section, "qps");
    };
    for (const auto& name : config_.from) ask(table.network.find(name), 1);
    for (const auto& name : config_.to) ask(table.network.find(name), 1);
    if (config_.pattern == PatternConfig::Pattern::pairs) return;
    for (const unsigned nic : all_of(table.platform, EndPoint::nic)) ask(nic, 2);
  }

  void flows(const config::PlatformConfig& platform, const FlowSink& sink) const override {
    std::optional<RandomStream> phases;
    if (config_.start_within)
      phases.emplace(platform.sim.seed, fmt::format("traffic{}.phases", number()));
    Picoseconds start = config_.start;
    for (const auto& [from, to] : pairs_of(platform, config_, EndPoint::nic)) {
      for (std::uint32_t q = 0; q < config_.qps; ++q) {
        const Picoseconds phase =
            phases ? share_of(*config_.start_within, phases->unit()) : Picoseconds{};
        sink({.from = from,
              .to = to,
              .message = config_.message,
              .count = config_.count,
              .depth = config_.depth,
              .start = start + phase,
              .first_psn = Psn(config_.first_psn)});
        start += config_.stagger.value_or(Picoseconds{});
      }
    }
  }

  /// All of `depth`, however few messages there are; and which key says how many queue pairs.
  void ask(const config::PlatformConfig& platform, NicDemands& demands) const override {
    std::vector<std::uint32_t> sends(platform.devices.size()), receives(sends.size());
    for (const auto& [from, to] : pairs_of(platform, config_, EndPoint::nic))
      ++sends[from], ++receives[to];
    for (unsigned i = 0; i < sends.size(); ++i) {
      demands.add(i, sends[i] * config_.qps, config_.depth, config_.message);
      demands.add(i, receives[i] * config_.qps, 0, config_.message);
      if (sends[i] + receives[i] > 0)
        demands.share(
            i, {fmt::format("traffic[{}].qps", number()), config_.qps, sends[i] + receives[i]});
    }
  }
};

}  // namespace

TrafficKind messages_kind() { return traffic_kind<MessagesTraffic>("messages"); }

}  // namespace horae::flows
