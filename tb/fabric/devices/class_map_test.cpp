// A plain switch that gives packets classes of its own, by their DSCP.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::fabric::class_map_test {
namespace {

using test::link_of;
using test::probe;

constexpr Picoseconds delay = 500_ns;

/// Two senders and a receiver on a switch.
struct Star {
  Star(sim_context& context, SwitchConfig config)
      : a("a", context, 1, 0), b("b", context, 1, 1), receiver("receiver", context, 1, 2) {
    config.ports = 3;
    sw = std::make_unique<output_queued_switch>("sw", context, config);
    connect(*sw, 0, a, 0, link_of(100_Gbps, delay));
    connect(*sw, 1, b, 0, link_of(100_Gbps, delay));
    connect(*sw, 2, receiver, 0, link_of(10_Gbps, delay));
    for (std::uint16_t i = 0; i < 3; ++i) sw->routes().set(i, {i});
  }
  probe a, b, receiver;
  std::unique_ptr<output_queued_switch> sw;
};

SwitchConfig mapped(std::vector<ClassOfDscp> map) {
  SwitchConfig config;
  config.maps.dscp_to_class = std::move(map);
  config.maps.codes.dscp = {0, 10, 18, 26, 34, 46, 48, 56};
  return config;
}

/// Classes at the receiver where eight packets of class 1 come just before eight of class 3.
std::string order(const SwitchConfig& config) {
  return test::in_child([&] {
    sim_context context;
    Star star(context, config);
    for (int i = 0; i < 8; ++i) {
      star.a.send({.at = 1_ns, .dst = 2, .traffic_class = 1});
      star.b.send({.at = 2_ns, .dst = 2, .traffic_class = 3});
    }
    context.clock.run_to(1_ms);
    std::string out;
    for (const auto& arrival : star.receiver.arrivals) out += std::to_string(arrival.traffic_class);
    return out;
  });
}

// By their own numbers class 3 goes first, as soon as the first packet is on the wire. A switch
// that gives DSCP 10 to class 5 turns that round; either way packets leave as they came.
TEST(ClassMap, ClassesAreThoseOfTheSwitchInsideAndOfTheSenderOutside) {
  const std::string plain = "1333333331111111", turned = "1111111133333333";
  EXPECT_EQ(order({}), plain);
  EXPECT_EQ(order(mapped({{.dscp = {10}, .traffic_class = 5}})), turned);
  EXPECT_EQ(order(mapped({{.dscp = {12, 11}, .traffic_class = 5}})), plain) << "other codes";
  EXPECT_EQ(order(mapped({{.dscp = {10, 26}, .traffic_class = 0}})).size(), 16u);
}

// A switch pauses the priority of its own class. A sender that calls the class by another number
// goes on, as on real switches whose maps do not agree, and what finds no headroom is lost.
TEST(ClassMap, APauseIsOfTheClassHere) {
  const auto pauses = [](const SwitchConfig& base) -> std::string {
    sim_context context;
    SwitchConfig config = base;
    config.buffer = 1_MiB;
    config.pfc = {.xoff = 20_KiB,
                  .xon = 10_KiB,
                  .headroom = 20_KiB,
                  .priorities = std::vector<std::uint32_t>{3, 5}};
    Star star(context, config);
    for (int i = 0; i < 60; ++i) star.a.send({.at = 1_ns, .dst = 2, .traffic_class = 3});
    context.clock.run_to(1_ms);
    EXPECT_FALSE(star.a.pauses.empty());
    EXPECT_EQ(star.receiver.arrivals.size() + context.pool.dropped(DropCause::headroom_full), 60u);
    for (const auto& arrival : star.receiver.arrivals) EXPECT_EQ(arrival.traffic_class, 3u);
    return std::to_string(star.a.pauses.at(0).traffic_class);
  };
  EXPECT_EQ(test::in_child([&] { return pauses({}); }), "3");
  EXPECT_EQ(test::in_child([&] { return pauses(mapped({{.dscp = {26}, .traffic_class = 5}})); }),
            "5");
}

TEST(ClassMap, CodesWithoutAnEntryHaveThePlatformsClass) {
  ClassMaps maps{.dscp_to_class = std::vector<ClassOfDscp>{{.dscp = {0, 63}, .traffic_class = 6}},
                 .pcp_to_class = std::vector<ClassOfPcp>{{.pcp = {2}, .traffic_class = 4}}};
  maps.codes.dscp[3] = 26;
  EXPECT_EQ(maps.of_dscp(63), 6);
  EXPECT_EQ(maps.of_dscp(26), 3);
  EXPECT_EQ(maps.of_dscp(25), 3) << "class selector 24 / 8";
  EXPECT_EQ(maps.of_dscp(41), 5);
  EXPECT_EQ(maps.of_pcp(2), 4);
  EXPECT_EQ(maps.of_pcp(3), 3);
  EXPECT_EQ(maps.of_classes(), (std::array<std::uint8_t, 8>{6, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace horae::fabric::class_map_test
