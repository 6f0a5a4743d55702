// The ghost thread: how often, of which ports, and in what it tells a program of queues.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "odd_latencies.hpp"

namespace horae::tofino::ghost_test {
namespace {

using test::Chip;
using test::probe;
using test::Way;

constexpr Picoseconds period = 10_us;

/// Depths that were told, after how many packets had entered.
struct Told {
  unsigned entered;
  std::vector<std::uint32_t> cells;
  bool operator==(const Told&) const = default;
};
struct Log {
  unsigned entered = 0;
  std::vector<Told> told;
};

class Watching final : public programs::Program {
 public:
  Watching(dataplane::Pipeline& pipeline, Log& log)
      : state_(pipeline, dataplane::Gress::ingress, "state", 1), log_(log) {}
  void ingress(dataplane::Pass& pass) override {
    ++log_.entered;
    pass.forward(pass.header().dst);
  }
  void egress(dataplane::Pass&) override {}
  std::span<const std::uint16_t> watched_ports() const override { return ports_; }
  void ghost(std::span<const std::uint32_t> cells, Picoseconds) override {
    log_.told.push_back({log_.entered, {cells.begin(), cells.end()}});
  }

 private:
  dataplane::Register<std::uint32_t> state_;
  std::vector<std::uint16_t> ports_{2, 1};
  Log& log_;
};
struct WatchingFactory final : programs::ProgramFactory {
  explicit WatchingFactory(Log& l) : log(l) {}
  std::unique_ptr<programs::Program> make(dataplane::Pipeline& pipeline,
                                          const programs::Routes&) const override {
    return std::make_unique<Watching>(pipeline, log);
  }
  nlohmann::ordered_json config() const override { return {}; }
  Picoseconds ghost_period() const override { return period; }
  Log& log;
};

/// Ports 0 to 2 with probes; ports 1 and 2 are paused.
struct Network {
  explicit Network(Bytes frame) {
    for (unsigned i = 0; i < 3; ++i) {
      hosts.push_back(std::make_unique<probe>(fmt::format("h{}", i).c_str(), context, 1, i));
      connect(chip, i, *hosts[i], 0, Chip::link);
      if (i > 0) hosts[i]->send_pause({.at = 0_ps, .pause = true});
    }
    before_parsed = Chip::wire(frame) + Chip::link.delay + config.mac_rx + config.ingress_parser;
  }
  /// The header is parsed at `at`.
  void send(Picoseconds at, NodeId dst, Bytes frame) {
    hosts[0]->send({.at = at - before_parsed, .dst = dst, .frame = frame});
  }

  Log log;
  fabric::sim_context context;
  ChipConfig config = [] {
    ChipConfig c = test::odd_latencies();
    c.pipelines = 1;
    return c;
  }();
  tofino_switch chip{"sw", context, config, 3, WatchingFactory(log), {}};
  std::vector<std::unique_ptr<probe>> hosts;
  Picoseconds before_parsed{};
};

// The first packet of each period finds what the ghost thread told just before it; periods begin
// at their multiples.
TEST(Ghost, ThePeriodsFirstPacketFindsItsDepths) {
  constexpr Bytes frame = 176_B;
  Network n(frame);
  n.send(3_us, 1, frame);
  n.send(period - 1_ps, 2, frame);
  n.send(period + 20_ns, 2, frame);
  n.send(period + 9_us, 2, frame);
  n.send(period * 2, 0, frame);
  n.send(period * 5 + 9_us, 0, frame);
  n.send(period * 6, 0, frame);
  n.context.clock.run_to(period * 7);
  EXPECT_EQ(n.log.told,
            (std::vector<Told>{{0, {0, 0}}, {2, {0, 1}}, {4, {3, 1}}, {5, {3, 1}}, {6, {3, 1}}}));
}

// Bytes of all queues of the port in whole cells; not those of each packet.
TEST(Ghost, TellsTheCellsThatItsBytesFill) {
  for (const int bytes : {64, 87, 88, 89, 175, 176, 177}) {
    const std::string told = test::in_child([&] {
      Network n{Bytes(bytes)};
      n.send(2_us, 1, Bytes(bytes));
      n.send(3_us, 1, Bytes(bytes));
      n.send(period, 0, Bytes(bytes));
      n.context.clock.run_to(period * 2);
      return std::to_string(n.log.told.at(1).cells.at(1));
    });
    EXPECT_EQ(told, std::to_string((2 * bytes + 175) / 176)) << bytes;
  }
}

}  // namespace
}  // namespace horae::tofino::ghost_test
