// kind = "messages": streams between NICs as perftest sends them, or a finite number each.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "horae/core/quantity_text.hpp"
#include "horae/core/random.hpp"
#include "horae/workload/nic_demands.hpp"
#include "pattern.hpp"

namespace horae::workload {
namespace {

struct MessagesConfig : PatternConfig {
  Bytes message = 64_KiB;
  std::uint32_t depth = 128;
  std::uint32_t qps = 1;
  std::uint32_t count = 0;
  Picoseconds start{};
  std::optional<Picoseconds> stagger, start_within;
  std::uint32_t first_psn = 0;
  std::optional<std::vector<Bytes>> sizes;
  std::optional<std::vector<std::uint32_t>> weights;
  std::optional<traffic::SizeMix::Order> size_order;
  std::optional<std::uint32_t> batch;
  std::optional<bool> both_ways, ping_pong;
  std::optional<Bytes> buffer;
  std::optional<std::uint32_t> regions;
  static const Schema<MessagesConfig>& schema();
};

const Schema<MessagesConfig>& MessagesConfig::schema() {
  static const Schema<MessagesConfig> s =
      with_pattern(Schema<MessagesConfig>("traffic", "RDMA messages between NICs."), "NIC")
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
                 {.doc = "PSN of the first packet of each queue pair", .max = Psn::mask})
          .field("sizes", &MessagesConfig::sizes,
                 {.doc = "sizes of the messages of each queue pair, in the place of `message`; "
                         "absent: all are alike",
                  .min = 0_B,
                  .max = Bytes(0x7fffffff)})
          .field("weights", &MessagesConfig::weights,
                 {.doc = "how often each of `sizes` comes, relative to the others; absent: all "
                         "alike",
                  .min = 1,
                  .max = 65536})
          .choice(
              "size_order", &MessagesConfig::size_order,
              {{"cyclic", traffic::SizeMix::Order::cyclic},
               {"drawn", traffic::SizeMix::Order::drawn}},
              {.doc = "`sizes` in turn, each as often as its weight says (cyclic), or at random "
                      "(drawn). Absent: cyclic"})
          .field(
              "batch", &MessagesConfig::batch,
              {.doc = "a sender visits its queue pairs of this table in turn and posts so many "
                      "messages on each. It comes back to the first when the messages of its first "
                      "visit are completed, and so on: as many are outstanding as one visit to "
                      "each has. Absent: each as soon as `depth` lets it",
               .min = 1,
               .max = 65536,
               .source = "32 writes a visit: GPU-Initiated Communication (2026), Table 16"})
          .field("both_ways", &MessagesConfig::both_ways,
                 {.doc = "each pair also sends the other way, on queue pairs of its own. Absent: "
                         "false"})
          .field("ping_pong", &MessagesConfig::ping_pong,
                 {.doc = "each message is answered by one of its size on a queue pair the other "
                         "way, once the host has it, and each answer by the next, `depth` of them "
                         "under way. Absent: false",
                  .source = "ib_write_lat and ib_send_lat (linux-rdma/perftest)"})
          .field("buffer", &MessagesConfig::buffer,
                 {.doc = "memory of a queue pair that its messages lie in at each end, used from "
                         "its start to its end and again. Absent: that of one message",
                  .min = 1_B,
                  .max = Bytes(std::int64_t{1} << 40),
                  .source = "one message: perftest sends the same buffer again and again"})
          .field("regions", &MessagesConfig::regions,
                 {.doc = "memory regions of a queue pair, parts of its buffer of one size. Absent: "
                         "its buffer lies in one region of the NIC's",
                  .min = 1,
                  .max = 1u << 20,
                  .source = "perftest registers one region, and with --mr_per_qp one a queue "
                            "pair"});
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
    check_sizes(table.section);
    if (config_.buffer && *config_.buffer < largest()) {
      throw table.section.error(
          "buffer", fmt::format("buffer = {} is below a message of {}", to_text(*config_.buffer),
                                to_text(largest())));
    }
    if (config_.batch && *config_.batch > config_.depth) {
      throw table.section.error(
          "batch", fmt::format("batch = {} is above depth = {}: it would never be posted",
                               *config_.batch, config_.depth));
    }
    if (ping_pong()) check_ping_pong(table.section);
    const std::uint32_t ways = config_.both_ways.value_or(false) || ping_pong() ? 2 : 1;
    const auto ask = [&](unsigned device, std::uint64_t n) {
      table.demand.ask(device, n * ways * config_.qps, table.section, "qps");
    };
    for (const auto& name : config_.from) ask(table.network.find(name), 1);
    for (const auto& name : config_.to) ask(table.network.find(name), 1);
    if (config_.pattern == PatternConfig::Pattern::pairs) return;
    for (const unsigned nic : all_of(table.platform, EndPoint::nic)) ask(nic, 2);
  }

  void plan(const config::PlatformConfig& platform, const FlowSink& sink) const override {
    std::optional<RandomStream> phases;
    if (config_.start_within)
      phases.emplace(platform.sim.seed, fmt::format("traffic{}.phases", number()));
    Picoseconds start = config_.start;
    const auto pairs = pairs_and_back(platform);
    std::map<unsigned, std::uint32_t> turns, turn;  // queue pairs of a sender; the next one
    for (const auto& pair : pairs) turns[pair.first] += config_.qps;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& [from, to] = pairs[i];
      const bool answers = ping_pong() && i >= pairs.size() / 2;
      for (std::uint32_t q = 0; q < config_.qps; ++q) {
        const Picoseconds phase =
            phases ? share_of(*config_.start_within, phases->unit()) : Picoseconds{};
        sink({.from = from,
              .to = to,
              .message = largest(),
              .count = config_.count,
              .depth = config_.depth,
              .buffer = config_.buffer.value_or(0_B),
              .regions = config_.regions.value_or(0),
              .start = start + phase,
              .first_psn = Psn(config_.first_psn),
              .lead = ping_pong() ? config_.depth : 0,
              .answers = answers,
              .sizes = mix_of_sizes_,
              .batch = config_.batch.value_or(0),
              .turn = turn[from]++,
              .turns = turns[from]});
        start += config_.stagger.value_or(Picoseconds{});
      }
    }
  }

  /// All of `depth`, however few messages there are; and which key says how many queue pairs.
  void ask(const config::PlatformConfig& platform, NicDemands& demands) const override {
    std::vector<std::uint32_t> sends(platform.devices.size()), receives(sends.size());
    for (const auto& [from, to] : pairs_and_back(platform)) ++sends[from], ++receives[to];
    for (unsigned i = 0; i < sends.size(); ++i) {
      const Bytes memory = config_.buffer.value_or(largest());
      const std::uint32_t regions = config_.regions.value_or(0);
      const bool unreliable = is_unreliable(service());
      const bool reads = has_responses();
      std::uint32_t initiators = sends[i] * config_.qps;
      if (service() == Service::dc && initiators > 0)
        initiators =
            std::min(initiators, nic_at(platform, i).dc.value_or(rnic::DcConfig{}).initiators);
      demands.add(i, {initiators, config_.depth, memory, regions, unreliable, reads, false});
      demands.add(i, {receives[i] * config_.qps, 0, memory, regions, unreliable, false, reads});
      if (sends[i] + receives[i] > 0)
        demands.share(
            i, {fmt::format("traffic[{}].qps", number()), config_.qps, sends[i] + receives[i]});
    }
  }

 private:
  using Pairs = std::vector<std::pair<unsigned, unsigned>>;
  Pairs pairs_and_back(const config::PlatformConfig& platform) const {
    Pairs all = pairs_of(platform, config_, EndPoint::nic);
    if (!config_.both_ways.value_or(false) && !ping_pong()) return all;
    const std::size_t one_way = all.size();
    for (std::size_t i = 0; i < one_way; ++i) all.emplace_back(all[i].second, all[i].first);
    return all;
  }

  bool ping_pong() const { return config_.ping_pong.value_or(false); }

  /// InputError at its place: a NIC counts what it has received for a table, not for a queue pair.
  void check_ping_pong(const Section& section) const {
    const auto alone = [&](bool wrong, std::string_view what) {
      if (!wrong) return;
      throw section.error("ping_pong",
                          fmt::format("ping_pong with {}; expected one queue pair each way between "
                                      "two NICs that are in no other pair of the table, of WRITEs "
                                      "or SENDs of one size",
                                      what));
    };
    alone(config_.both_ways.value_or(false), "both_ways");
    alone(config_.batch.has_value(), "batch");
    alone(config_.sizes.has_value(), "sizes");
    alone(section.has("verbs"), "verbs");
    alone(has_responses(), "READs or atomics");
    alone(config_.qps > 1, fmt::format("qps = {}", config_.qps));
    alone(config_.pattern != PatternConfig::Pattern::pairs, "a pattern");
    std::set<std::string> seen;
    for (const auto* names : {&config_.from, &config_.to})
      for (const std::string& name : *names)
        alone(!seen.insert(name).second, fmt::format("'{}' in two pairs", name));
  }

  Bytes largest() const { return mix_of_sizes_ ? mix_of_sizes_->largest() : config_.message; }

  /// InputError at its place; and makes the mix, which all streams of the table share.
  void check_sizes(const Section& section) {
    for (const char* key : {"weights", "size_order"}) {
      if (section.has(key) && !config_.sizes)
        throw section.error(key, fmt::format("{} is of 'sizes', which is not given", key));
    }
    if (!config_.sizes) return;
    if (config_.sizes->empty()) throw section.error("sizes", "sizes = []; expected one or more");
    if (section.has("message"))
      throw section.error("message", "message beside 'sizes'; expected one of the two");
    if (config_.weights && config_.weights->size() != config_.sizes->size()) {
      throw section.error("weights", fmt::format("{} weights for {} sizes; expected one for each",
                                                 config_.weights->size(), config_.sizes->size()));
    }
    mix_of_sizes_ = std::make_shared<const traffic::SizeMix>(
        traffic::SizeMix{.sizes = *config_.sizes,
                         .weights = config_.weights.value_or(std::vector<std::uint32_t>{}),
                         .order = config_.size_order.value_or(traffic::SizeMix::Order::cyclic)});
  }

  std::shared_ptr<const traffic::SizeMix> mix_of_sizes_;  ///< null: all messages are alike
};

}  // namespace

TrafficKind messages_kind() { return traffic_kind<MessagesTraffic>("messages", true); }

}  // namespace horae::workload
