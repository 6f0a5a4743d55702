// Connections that keep to one path in a switch that sprays all others.
#include <gtest/gtest.h>

#include <set>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::fabric::pinned_test {
namespace {

using test::link_of;
using test::probe;

/// Sends packets of one flow, of which every other one is pinned; entropy 1: those.
class sender final : public device {
 public:
  sender(sc_core::sc_module_name name, sim_context& context) : device(name, context, 1) {}

 protected:
  void begin() override {
    for (std::uint64_t i = 0; i < 400; ++i) schedule(1_us, device_events, 0, i, i);
  }
  void handle(const Event& e) override {
    if (key_kind(e.key) != device_events) return;
    Packet& p = context_.pool.create();
    p.frame = 64;
    p.dst = 5;
    p.pinned = e.payload % 2 == 1;
    p.entropy = p.pinned ? 1 : 0;
    tx(0).send(p, std::max(e.time, tx(0).busy_until()));
  }
};

TEST(Pinned, OnlyWhereTheSwitchIsTold) {
  for (const bool told : {true, false}) {
    const std::string done = test::in_child([&]() -> std::string {
      sim_context context;
      output_queued_switch sw("sw", context, {.ports = 9, .balance = "spray"});
      if (told) sw.pin_connections();
      sender from("from", context);
      probe sink("sink", context, 8);
      connect(from, 0, sw, 0, link_of(100_Gbps, 500_ns));
      std::vector<std::uint16_t> ports;
      for (unsigned i = 0; i < 8; ++i) {
        connect(sw, 1 + i, sink, i, link_of(100_Gbps, 500_ns));
        ports.push_back(static_cast<std::uint16_t>(1 + i));
      }
      sw.routes().set(5, ports);
      context.clock.run_to(100_us);
      std::set<unsigned> pinned, others;
      for (const auto& a : sink.arrivals) (a.entropy == 1 ? pinned : others).insert(a.port);
      EXPECT_EQ(others.size(), 8u);
      EXPECT_EQ(pinned.size(), told ? 1u : 8u);
      return "done";
    });
    EXPECT_EQ(done, "done");
  }
}

}  // namespace
}  // namespace horae::fabric::pinned_test
