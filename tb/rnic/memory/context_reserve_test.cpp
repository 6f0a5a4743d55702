// Memory of queue pairs on a limited chip before any context is in it.
#include <gtest/gtest.h>

#include <string>

#include "nic_parts.hpp"

namespace horae::rnic::context_reserve_test {
namespace {

// Each has its part of what the ordering engine provides, and its state of retransmissions; what
// the engine has without connections is taken once.
TEST(ContextReserve, AQueuePairTakesItsPartOfTheOrderingEngine) {
  for (const char* engine : {"none", "static", "eunomia", "irn"}) {
    const std::string done = test::in_child([&]() -> std::string {
      RnicConfig config = test::odd_latencies();
      config.transport = "go_back_n";
      config.host = HostModel::pcie;
      config.ordering.engine = engine;
      config.sram.limited = true;
      config.sram.total = 4096_KiB;
      const auto of = policy::make_ordering_engine(config.ordering);
      fabric::sim_context context;
      test::NicAndPeer line(context, config);
      const Bytes all = line.nic->cache()->capacity();
      for (std::uint32_t n = 1; n <= 5; ++n) {
        line.queue_pair(nullptr);
        const std::int64_t count = n;
        const Bytes order = of != nullptr
                                ? of->provided(n)
                                : config.sram.reorder_state(config.reliability.window) * count;
        EXPECT_EQ(all - line.nic->cache()->capacity(), order + config.sram.retransmit_state * count)
            << engine << " " << n;
      }
      return "done";
    });
    EXPECT_EQ(done, "done");
  }
}

}  // namespace
}  // namespace horae::rnic::context_reserve_test
