// A device whose packets take time between the decision to send and the wire.
#include <gtest/gtest.h>

#include <string>

#include "fabric_parts.hpp"
#include "horae/fabric/observer.hpp"

namespace horae::fabric::pipeline_test {
namespace {

using test::link_of;
using test::probe;

constexpr Picoseconds decided = 10_us, pipeline = 50'017_ps, delay = 1_us;
constexpr Bytes frame = 1230_B;  // 100 ns at 100 Gbps

class late final : public device {
 public:
  late(sc_core::sc_module_name name, sim_context& context) : device(name, context, 1) {}

 protected:
  void begin() override { schedule(decided, device_events, 0, 0); }
  void handle(const Event& e) override {
    if (key_kind(e.key) != device_events) return;
    Packet& p = context_.pool.create();
    p.frame = static_cast<std::uint16_t>(frame.count());
    tx(0).send(p, e.time, pipeline);
    EXPECT_EQ(tx(0).busy_until(), decided + 100_ns);  // for decisions
  }
};

struct Notes final : observer {
  void sent(const device&, unsigned, const Packet&, Picoseconds start, Picoseconds first_bit,
            Picoseconds last_bit) override {
    EXPECT_EQ(start, decided);
    EXPECT_EQ(first_bit, decided + pipeline);
    EXPECT_EQ(last_bit, decided + pipeline + 100_ns);
  }
  void dropped(const device&, const Packet&, DropCause cause, Picoseconds at) override {
    EXPECT_EQ(cause, DropCause::link_down);
    EXPECT_EQ(at, decided + pipeline + 100_ns + delay);
  }
};

/// Whether it arrives when the link fails from `from` to `to`.
bool arrives(Picoseconds from, Picoseconds to) {
  return test::in_child([&] {
           Notes notes;
           sim_context context;
           context.watcher = &notes;
           late a("a", context);
           probe b("b", context);
           connect(a, 0, b, 0, link_of(100_Gbps, delay, 0.0, {{from, to}}));
           context.clock.run_to(100_us);
           for (const auto& arrival : b.arrivals)
             EXPECT_EQ(arrival.at, decided + pipeline + 100_ns + delay);
           EXPECT_EQ(context.pool.live(), 0u);
           return std::to_string(b.arrivals.size());
         }) == "1";
}

// It is on the link from its first bit on the wire to its last bit at the other end.
TEST(Pipeline, AnOutageTakesWhatIsOnTheLink) {
  const Picoseconds first_bit = decided + pipeline, there = first_bit + 100_ns + delay;
  EXPECT_TRUE(arrives(1_us, first_bit));
  EXPECT_FALSE(arrives(1_us, first_bit + 1_ps));
  EXPECT_FALSE(arrives(there - 1_ps, 50_us));
  EXPECT_TRUE(arrives(there, 50_us));
}

}  // namespace
}  // namespace horae::fabric::pipeline_test
