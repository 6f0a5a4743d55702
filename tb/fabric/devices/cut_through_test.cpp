// A device that takes packets before they are whole: when they arrive, and when the rest is there.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fabric_parts.hpp"

namespace horae::fabric::cut_through_test {
namespace {

using test::link_of;
using test::probe;

constexpr Bytes part = 100_B;
constexpr Picoseconds pipe = 7'013_ps;

class early final : public device {
 public:
  early(sc_core::sc_module_name name, sim_context& context) : device(name, context, 1) {
    arrive_after(part);
    set_receive_latency(pipe);
  }
  struct Arrival {
    Picoseconds at, whole;
    bool operator==(const Arrival&) const = default;
  };
  std::vector<Arrival> arrivals;

 protected:
  void handle(const Event& e) override {
    Packet& p = arrived(e);
    arrivals.push_back({e.time, e.time + still_to_come(p, key_entity(e.key))});
    context_.pool.deliver(p);
  }
};

// Its preamble and the first bytes of its frame are in, and it has been through the receive side;
// the last bit, with the gap behind it, comes later. A frame that is shorter comes with its last.
void arrives(scheduling mode) {
  const std::string result = test::in_child([&]() -> std::string {
    const BitRate rate = 40_Gbps;
    sim_context context({.mode = mode});
    early to("to", context);
    probe from("from", context);
    connect(from, 0, to, 0, link_of(rate, 1_us));
    std::vector<early::Arrival> expected;
    for (const std::int64_t frame : {64, 99, 100, 101, 1500, 9000}) {
      const Picoseconds at = 10_us * static_cast<std::int64_t>(expected.size() + 1);
      from.send({.at = at, .frame = Bytes(frame)});
      const Picoseconds in =
          at + serialisation_time(Bytes(8 + std::min(frame, part.count())), rate);
      const Picoseconds whole = at + serialisation_time(l1_bytes(Bytes(frame)), rate);
      expected.push_back({in + 1_us + pipe, whole + 1_us + pipe});
    }
    context.clock.run_to(100_us);
    EXPECT_EQ(to.arrivals, expected);
    EXPECT_EQ(context.pool.live(), 0u);
    return "done";
  });
  EXPECT_EQ(result, "done");
}

TEST(CutThrough, APacketArrivesWithItsFirstBytes) { arrives(scheduling::windowed); }
TEST(CutThrough, AlsoWithExactWakeUps) { arrives(scheduling::exact_wake); }

}  // namespace
}  // namespace horae::fabric::cut_through_test
