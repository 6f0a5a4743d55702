// Classes of a plain switch: weights and priorities, classes that pause beside classes that drop.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/stats.hpp"
#include "horae/fabric/devices/open_loop_host.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::fabric::switch_classes_test {
namespace {

using test::link_of;
using test::ListSource;
using test::probe;

constexpr Bytes frame = 1230_B;  // 100 ns at 100 Gbps with preamble and gap
constexpr Picoseconds delay = 500_ns;

/// Frames of one size, back to back, for as long as it is asked: the host holds them while paused.
class Backlog final : public traffic::TrafficSource {
 public:
  explicit Backlog(NodeId dst) : dst_(dst) {}
  std::optional<traffic::TrafficItem> next() override {
    return traffic::TrafficItem{
        .at = 0_ps, .dst = dst_, .bytes = frame - frame_bytes(Packet().opcode, 0_B)};
  }

 private:
  NodeId dst_;
};

/// Hosts that always send, each in a class of its own, into one port of a switch; the last port.
struct Crowd {
  Crowd(sim_context& context, SwitchConfig config, const std::vector<std::uint8_t>& of)
      : receiver("receiver", context), classes(of) {
    config.ports = static_cast<unsigned>(of.size()) + 1;
    sw = std::make_unique<output_queued_switch>("sw", context, config);
    const auto sink = static_cast<NodeId>(of.size());
    for (unsigned i = 0; i < of.size(); ++i) {
      hosts.push_back(std::make_unique<open_loop_host>(("h" + std::to_string(i)).c_str(), context,
                                                       HostConfig{.id = i, .traffic_class = of[i]},
                                                       std::make_unique<Backlog>(sink)));
      connect(*sw, i, *hosts[i], 0, link_of(100_Gbps, delay));
      sw->routes().set(i, {static_cast<std::uint16_t>(i)});
    }
    connect(*sw, sink, receiver, 0, link_of(100_Gbps, delay));
    sw->routes().set(sink, {static_cast<std::uint16_t>(sink)});
  }
  /// Share of a class in the bytes that arrived in [from, to).
  double share(std::uint8_t traffic_class, Picoseconds from, Picoseconds to) const {
    std::int64_t own = 0, all = 0;
    for (const auto& a : receiver.arrivals) {
      if (a.at < from || a.at >= to) continue;
      all += a.frame;
      own += a.traffic_class == traffic_class ? a.frame : 0;
    }
    return static_cast<double>(own) / static_cast<double>(all);
  }
  probe receiver;
  std::vector<std::uint8_t> classes;
  std::unique_ptr<output_queued_switch> sw;
  std::vector<std::unique_ptr<open_loop_host>> hosts;
};

/// Frames of the hosts of a class that were sent and neither arrived nor are on their way.
std::int64_t lost(const StatTree& tree, unsigned traffic_class) {
  const auto json = tree.to_json();
  const auto of = json.at("dropped_by_class");
  const std::string name = "class" + std::to_string(traffic_class);
  return of.contains(name) ? of.at(name).at("value").get<std::int64_t>() : 0;
}

// Classes 3 and 4 pause, 0 and 5 drop; all have one priority and the weights 4, 2, 1 and 3. A turn
// is 2 KiB for each weight, so a share of 4 ms (50 MB) is within a turn of it. What drops has a
// share of the buffer, or it would leave classes that pause nothing but their minimum.
void expect_shares_by_weight(const PfcConfig& pfc) {
  sim_context context;
  SwitchConfig config{
      .ports = 5,
      .latency = 600_ns,
      .buffer = 2_MiB,
      .classes = std::vector<ClassConfig>{{.number = 3, .priority = 2, .weight = 4},
                                          {.number = 4, .priority = 2, .weight = 2},
                                          {.number = 0, .priority = 2, .weight = 1, .share = 0.25},
                                          {.number = 5, .priority = 2, .weight = 3, .share = 0.25}},
      .pfc = pfc};
  Crowd crowd(context, config, {3, 4, 0, 5});
  context.clock.run_to(5_ms);
  const std::map<std::uint8_t, double> weights = {{3, 4}, {4, 2}, {0, 1}, {5, 3}};
  for (const auto& [c, weight] : weights)
    EXPECT_NEAR(crowd.share(c, 1_ms, 5_ms) / (weight / 10), 1, 0.001) << "class " << int{c};
  StatTree tree;
  crowd.sw->statistics(tree);
  EXPECT_EQ(lost(tree, 3), 0);
  EXPECT_EQ(lost(tree, 4), 0);
  EXPECT_GT(lost(tree, 0), 0);
  EXPECT_GT(lost(tree, 5), 0);
  EXPECT_EQ(context.pool.dropped(DropCause::headroom_full), 0u);
  // Input equals output: a class that pauses sends its share from the first port on.
  EXPECT_NEAR(static_cast<double>(crowd.hosts[0]->counters().sent), 0.4 * 50'000, 1000);
  EXPECT_NEAR(static_cast<double>(crowd.hosts[2]->counters().sent), 50'000, 10) << "never paused";
  for (unsigned port = 0; port < 4; ++port) {
    for (unsigned c = 0; c < OutputPort::classes; ++c) {
      const PausesSent sent = crowd.sw->tx(port).pauses_sent(c);
      const bool pauses = (port == 0 && c == 3) || (port == 1 && c == 4);
      EXPECT_EQ(sent.frames > 0, pauses) << port << ' ' << c;
      EXPECT_LE(sent.first, sent.last);
    }
  }
}

TEST(SwitchClasses, LosslessAndLossyClassesShareAPortByWeight) {
  expect_shares_by_weight(
      {.headroom = 60_KiB, .alpha = 0.125, .priorities = std::vector<std::uint32_t>{3, 4}});
}
TEST(SwitchClasses, TheSameWithFixedThresholds) {
  expect_shares_by_weight({.xoff = 80_KiB,
                           .xon = 40_KiB,
                           .headroom = 60_KiB,
                           .priorities = std::vector<std::uint32_t>{3, 4}});
}

// Class 7 has no table: its priority is its number, above both.
TEST(SwitchClasses, PriorityIsBeforeWeight) {
  sim_context context;
  const SwitchConfig config{
      .latency = 600_ns,
      .buffer = 2_MiB,
      .classes = std::vector<ClassConfig>{{.number = 1, .priority = 2, .weight = 3},
                                          {.number = 2, .priority = 2, .weight = 1}},
      .pfc = {
          .headroom = 60_KiB, .alpha = 0.125, .priorities = std::vector<std::uint32_t>{1, 2, 7}}};
  Crowd crowd(context, config, {1, 2, 7});
  context.clock.run_to(2_ms);
  EXPECT_EQ(crowd.share(7, 1_ms, 2_ms), 1);
}

TEST(SwitchClasses, TheRestIsDividedByWeight) {
  sim_context context;
  const SwitchConfig config{
      .latency = 600_ns,
      .buffer = 2_MiB,
      .classes = std::vector<ClassConfig>{{.number = 1, .priority = 2, .weight = 3},
                                          {.number = 2, .priority = 2, .weight = 1}},
      .pfc = {.headroom = 60_KiB, .alpha = 0.125, .priorities = std::vector<std::uint32_t>{1, 2}}};
  Crowd crowd(context, config, {1, 2});
  context.clock.run_to(3_ms);
  EXPECT_NEAR(crowd.share(1, 1_ms, 3_ms), 0.75, 0.00075);
}

// A class that is shown no mercy: of two classes of strict priority the lower one sends nothing.
TEST(SwitchClasses, WithoutTablesTheHighestClassHasAll) {
  sim_context context;
  const SwitchConfig config{
      .latency = 600_ns, .buffer = 2_MiB, .pfc = {.headroom = 60_KiB, .alpha = 0.125}};
  Crowd crowd(context, config, {1, 2});
  context.clock.run_to(2_ms);
  EXPECT_EQ(crowd.share(2, 1_ms, 2_ms), 1);
}

// Dynamic: the k-th frame to wait is taken while (k + 1) frames are at most what is free: with a
// share of 1, half of the buffer, whatever the other classes may hold.
TEST(SwitchClasses, AShareIsOfOneClass) {
  sim_context context;
  output_queued_switch sw("sw", context,
                          {.ports = 3,
                           .latency = 600_ns,
                           .buffer = frame * 20,
                           .classes = std::vector<ClassConfig>{{.number = 2, .share = 1.0}}});
  probe a("a", context, 1, 0), b("b", context, 1, 1), receiver("receiver", context, 1, 2);
  connect(sw, 0, a, 0, link_of(100_Gbps, delay));
  connect(sw, 1, b, 0, link_of(100_Gbps, delay));
  connect(sw, 2, receiver, 0, link_of(100_Gbps, delay));
  for (std::uint16_t i = 0; i < 3; ++i) sw.routes().set(i, {i});
  for (const unsigned c : {1u, 2u})
    receiver.send_pause({.at = 0_ps, .traffic_class = c, .pause = true});
  for (int i = 0; i < 15; ++i) a.send({.at = 5_us, .dst = 2, .frame = frame, .traffic_class = 2});
  for (int i = 0; i < 15; ++i) b.send({.at = 50_us, .dst = 2, .frame = frame, .traffic_class = 1});
  for (const unsigned c : {1u, 2u})
    receiver.send_pause({.at = 90_us, .traffic_class = c, .pause = false});
  context.clock.run_to(200_us);
  std::array<unsigned, 3> kept{};
  for (const auto& p : receiver.arrivals) ++kept.at(p.traffic_class);
  EXPECT_EQ(kept[2], 10u) << "frame k + 1 fits while k + 1 <= 20 - k";
  EXPECT_EQ(kept[1], 10u) << "without a share: what is left";
}

}  // namespace
}  // namespace horae::fabric::switch_classes_test
