// Links that spoil packets, and impairments of data alone.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "leaf_spine.hpp"

namespace horae::fabric::bit_errors_test {
namespace {

using test::in_child;
using test::LeafSpine;
using test::plausible;
using test::probe;
using test::value_in;

TEST(BitErrors, TheEndPointDropsWhatALinkSpoilt) {
  LeafSpine s;
  s.sw = {.balance = "spray"};
  s.fabric_link.bit_errors = 0.05;
  s.stops = {5_ms};
  s.drains = true;
  const std::string text = in_child([&] { return s.run(); });
  const auto created = static_cast<double>(value_in(text, "created"));
  // With four hosts at each leaf 12 of 15 others are elsewhere, two links away.
  const double share = 12.0 / 15 * (1 - 0.95 * 0.95);
  const auto corrupted = static_cast<double>(value_in(text, "corrupted"));
  EXPECT_TRUE(plausible(corrupted, created, share)) << corrupted << " of " << created;
  EXPECT_EQ(value_in(text, "created"), value_in(text, "delivered") + value_in(text, "corrupted"));
  // It took its place in every queue on the way.
  LeafSpine clean = s;
  clean.fabric_link.bit_errors = 0;
  const std::string without = in_child([&] { return clean.run(); });
  EXPECT_EQ(value_in(text, "forwarded"), value_in(without, "forwarded"));
}

TEST(BitErrors, TheyAreTheSameHoweverDevicesRun) {
  LeafSpine s;
  s.sw = {.queue_limit = 20'000_B, .balance = "spray"};
  s.fabric_link.bit_errors = 0.02;
  s.fabric_link.loss = 0.01;
  const std::string windowed = in_child([&] { return s.run(); });
  s.time.mode = scheduling::exact_wake;
  EXPECT_EQ(in_child([&] { return s.run(); }), windowed);
}

TEST(BitErrors, OfDataAloneTheRestPasses) {
  sim_context context;
  probe a("a", context), b("b", context);
  LinkConfig link;
  link.loss = 0.5;
  link.bit_errors = 0.5;
  link.outages = {{0_ps, 20_us}};
  link.data_only = true;
  connect(a, 0, b, 0, link);
  for (int i = 0; i < 50; ++i) {
    a.send({.at = 1_us, .frame = 64_B, .opcode = Opcode::acknowledge});
    a.send({.at = 2_us, .frame = 64_B});
  }
  context.clock.run_to(100_us);
  EXPECT_EQ(b.arrivals.size(), 50u);
  EXPECT_EQ(a.tx(0).counters().cut, 50u);
  EXPECT_EQ(a.tx(0).counters().corrupted, 0u);
}

}  // namespace
}  // namespace horae::fabric::bit_errors_test
