// End points of a user's own: exact times, the book of packets, what ends a run.
#include "horae/fabric/end_point.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/open_loop_host.hpp"
#include "horae/fabric/module_joint.hpp"

namespace horae::fabric::end_point_test {
namespace {

using test::link_of;
using test::outcome_in_child;
using test::probe;

/// Sends `count` packets at a time, and notes what comes.
class talker : public end_point {
 public:
  struct Plan {
    Picoseconds at{};
    int count = 0;
    bool pauses = false;
    bool says_so = true;  ///< that more is to come
  };
  talker(const sc_core::sc_module_name& name, module_context& context, const Plan& plan)
      : end_point(name, context), plan_(plan) {
    SC_HAS_PROCESS(talker);
    SC_THREAD(talk);
  }
  bool pending() const override { return plan_.says_so && plan_.count > 0; }

  struct Seen {
    Picoseconds at;
    std::uint64_t id;
    bool corrupted;
  };
  std::vector<Seen> seen;
  std::vector<std::pair<unsigned, bool>> stops;
  NodeId own{};

 private:
  void talk() {
    wait(to_sc_time(plan_.at));
    own = node();
    if (plan_.pauses) stop(3, true);
    for (; plan_.count > 0; --plan_.count) {
      Packet& p = make(7, Opcode::write_only, 960_B);  // 1038 B
      p.psn = Psn(static_cast<std::uint32_t>(plan_.count));
      transmit(p);
    }
  }
  void received(const Packet& p) override {
    seen.push_back({from_sc_time(sc_core::sc_time_stamp()), p.id, p.corrupted});
  }
  void stopped(unsigned traffic_class, bool stop) override {
    stops.emplace_back(traffic_class, stop);
  }
  Plan plan_;
};

class TalkerFactory : public ModuleFactory {
 public:
  explicit TalkerFactory(talker::Plan plan) : plan_(plan) {}
  std::unique_ptr<link_module> make(const sc_core::sc_module_name& name,
                                    module_context& context) const override {
    auto made = std::make_unique<talker>(name, context, plan_);
    made_ = made.get();
    return made;
  }
  nlohmann::ordered_json config() const override { return {}; }
  mutable talker* made_ = nullptr;

 private:
  talker::Plan plan_;
};

const LinkConfig link = link_of(100_Gbps, 500'001_ps);
constexpr Picoseconds of_1086 = 88'480_ps;  // 1086 B, preamble and gap
constexpr Picoseconds of_1038 = 84'640_ps;

struct Line {
  explicit Line(talker::Plan plan, module_joint::Place place = module_joint::Place::end)
      : factory(plan),
        a("a", context, 1, 0),
        host("x", context, HostConfig{.id = 5}, nullptr),
        joint("x_end_point", context, factory, {&a, 0, link, NodeId{0}},
              {&host, 0, link, NodeId{5}}, place) {}
  talker& mine() { return *factory.made_; }
  TalkerFactory factory;
  sim_context context;
  probe a;
  open_loop_host host;
  module_joint joint;
};

TEST(EndPoint, IsBehindTheWholeLink) {
  Line line({.at = 3_us, .count = 3, .pauses = true});
  line.a.send({.at = 1_us, .dst = 5});
  line.a.send_pause({.at = 2_us, .traffic_class = 2, .pause = true});
  EXPECT_EQ(line.context.clock.run_to(100_us), run_end::idle);
  talker& mine = line.mine();
  EXPECT_EQ(mine.own, 5u);
  ASSERT_EQ(mine.seen.size(), 1u);
  EXPECT_EQ(mine.seen[0].at, 1_us + of_1086 + 500'001_ps);
  EXPECT_EQ(mine.stops, (std::vector<std::pair<unsigned, bool>>{{2, true}}));
  ASSERT_EQ(line.a.arrivals.size(), 3u);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(line.a.arrivals[i].at, 3_us + of_1038 * (i + 1) + 500'001_ps) << i;
  EXPECT_EQ(line.a.arrivals[0].id, std::uint64_t{5} << 40 | std::uint64_t{1} << 39);
  ASSERT_EQ(line.a.pauses.size(), 1u);
  EXPECT_EQ(line.a.pauses[0].at, 3_us + 500'001_ps);
  const auto& pool = line.context.pool;
  EXPECT_EQ(pool.created(), 4u);
  EXPECT_EQ(pool.delivered(), 4u);
  EXPECT_EQ(line.joint.held(), 0u);
  EXPECT_EQ(line.host.counters().received, 0u);
}

TEST(EndPoint, ARunIsNotIdleWhileMoreIsToCome) {
  Line line({.at = 50_us, .count = 1});
  EXPECT_EQ(line.context.clock.run_to(10_us), run_end::reached);
  EXPECT_TRUE(line.joint.pending());
  EXPECT_EQ(line.context.clock.run_to(100_us), run_end::idle);
  EXPECT_EQ(line.a.arrivals.size(), 1u);
}

TEST(EndPoint, AModuleOnALinkMakesAndTakesNoPackets) {
  const auto ended = [](talker::Plan plan, bool sends) {
    return outcome_in_child([&] {
      Line line(plan, module_joint::Place::middle);
      if (sends) line.a.send({.at = 1_us, .dst = 5});
      line.context.clock.run_to(10_us);
    });
  };
  EXPECT_EQ(ended({}, true),
            "ModelError: x_end_point: the module delivers a packet, and is no end point");
  EXPECT_NE(ended({.at = 1_us, .count = 1}, false)
                .find("x_end_point: the module makes a packet, and is no end point"),
            std::string::npos);
}

}  // namespace
}  // namespace horae::fabric::end_point_test
