// Promises of all ordering engines, what each rejects, and what each costs.
#include <gtest/gtest.h>

#include <string>

#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/ordering/irn.hpp"
#include "horae/policy/ordering/memory_controller.hpp"
#include "horae/policy/ordering/ordering.hpp"
#include "ordering_script.hpp"

namespace horae::policy::ordering_engines_test {
namespace {

OrderingConfig with(std::string_view engine) {
  OrderingConfig config;
  config.engine = engine;
  return config;
}

std::unique_ptr<OrderingEngine> make(std::string_view engine) {
  return make_ordering_engine(with(engine));
}

std::string refusal(const OrderingConfig& config) {
  try {
    make_ordering_engine(config);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OrderingEngines, NoneIsNoEngine) { EXPECT_EQ(make("none"), nullptr); }

TEST(OrderingEngines, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_EQ(refusal(with("eunomai")), "unknown engine 'eunomai', did you mean 'eunomia'?");
}

TEST(OrderingEngines, DefaultsOfTheSchemaAreThoseOfTheStructAndBuildEveryEngine) {
  OrderingConfig::schema();  // throws when it contradicts its defaults
  for (const OrderingEntry& entry : ordering_engines()) {
    EXPECT_EQ(make(entry.name) == nullptr, entry.name == "none") << entry.name;
  }
}

TEST(OrderingEngines, EunomiaRefusesWhatItsWordsCannotHold) {
  OrderingConfig c = with("eunomia");
  auto& reach = c.parameters.of<BitmapReach>();
  auto& sizes = c.parameters.of<EunomiaMemorySizes>();
  sizes.block_bits = 24;
  EXPECT_EQ(refusal(c),
            "block_bits = 24 must be a multiple of 16 up to 256: bitmaps are kept in two-byte "
            "words, and the head's index has 8 bits");
  sizes.block_bits = 272;
  EXPECT_NE(refusal(c), "accepted");
  sizes.block_bits = 48;
  EXPECT_EQ(refusal(c), "bits = 256 is not a multiple of block_bits = 48");
  reach.bits = 16 * 256;
  sizes.block_bits = 16;
  EXPECT_EQ(refusal(c),
            "bits = 4096 are 256 blocks of block_bits = 16; the size of a bitmap has 8 bits: at "
            "most 255");
  reach.bits = 16 * 255;
  EXPECT_EQ(refusal(c), "accepted");
  reach.bits = 256;
  sizes.blocks = 24;  // metadata alone
  EXPECT_EQ(refusal(c),
            "blocks = 24 must be 25 .. 65536: the metadata (24 blocks with bits = 256, block_bits "
            "= 16) and one bitmap block of a connection, and addresses of 16 bits");
  sizes.blocks = 25;
  EXPECT_EQ(refusal(c), "accepted");
  sizes.blocks = 65537;
  EXPECT_NE(refusal(c), "accepted");
  c.engine = "static";  // which does not look at blocks
  EXPECT_EQ(refusal(c), "accepted");
}

class Engines : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Engines,
                         testing::Values("ideal", "static", "irn", "mp_rdma", "eunomia"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(Engines, APacketInOrderAdvancesByOne) {
  const auto engine = make(GetParam());
  Arrivals a(*engine, 3, Psn(100));
  for (int i = 0; i < 300; ++i) {
    const OrderingAnswer answer = a.offer(i, i == 299);
    ASSERT_EQ(answer.tracking, Tracking::in_order);
    ASSERT_EQ(answer.advanced, 1u);
    ASSERT_EQ(a.expected(answer), i + 1);
    ASSERT_EQ(answer.completed, i == 299);
  }
}

TEST_P(Engines, TheFirstMissingPacketBringsTheRunBehindIt) {
  const auto engine = make(GetParam());
  Arrivals a(*engine, 0, Psn(0xffffe0));  // the PSNs wrap on the way
  for (int i = 1; i < 64; ++i) {
    const OrderingAnswer answer = a.offer(i);
    ASSERT_EQ(answer.tracking, Tracking::out_of_order) << i;
    ASSERT_EQ(answer.advanced, 0u);
    ASSERT_EQ(a.expected(answer), 0);
  }
  const OrderingAnswer answer = a.offer(0);
  EXPECT_EQ(answer.tracking, Tracking::in_order);
  EXPECT_EQ(answer.advanced, 64u);
  EXPECT_EQ(answer.expected, Psn(0x20));
}

TEST_P(Engines, WhatWasTrackedIsADuplicate) {
  const auto engine = make(GetParam());
  Arrivals a(*engine, 0, Psn(0xfffffe));
  a.offer({0, 1, 5});
  for (const int again : {0, 1, 5}) {
    const OrderingAnswer answer = a.offer(again, true);
    EXPECT_EQ(answer.tracking, Tracking::duplicate) << again;
    EXPECT_EQ(answer.advanced, 0u);
    EXPECT_EQ(a.expected(answer), 2);
    EXPECT_FALSE(answer.completed);
  }
  // Nor does the mark of a duplicate count.
  EXPECT_FALSE(a.offer({2, 3, 4}).completed);
}

TEST_P(Engines, EverythingUpToTheLastPacketCompletesOnce) {
  const auto engine = make(GetParam());
  Arrivals a(*engine, 0, Psn(0xfffff8));
  EXPECT_FALSE(a.offer(15, true).completed);
  EXPECT_FALSE(a.offer_run(1, 15).completed);
  const OrderingAnswer answer = a.offer(0);
  EXPECT_TRUE(answer.completed);
  EXPECT_EQ(answer.advanced, 16u);
  EXPECT_FALSE(a.offer(16).completed);
}

TEST_P(Engines, ALastPacketIsPassedTogetherWithLaterOnes) {
  const auto engine = make(GetParam());
  Arrivals a(*engine, 0);
  a.offer(1, true);
  a.offer({2, 3});
  const OrderingAnswer answer = a.offer(0);
  EXPECT_EQ(answer.advanced, 4u);
  EXPECT_TRUE(answer.completed);
  EXPECT_FALSE(a.offer(4).completed);
}

TEST_P(Engines, ConnectionsDoNotKnowEachOther) {
  const auto engine = make(GetParam());
  Arrivals a(*engine, 0, Psn(1000));
  Arrivals b(*engine, 700, Psn(1000));
  a.offer({1, 3});
  b.offer({2, 4});
  EXPECT_EQ(a.offer(0).advanced, 2u);
  EXPECT_EQ(b.offer(0).advanced, 1u);
  EXPECT_EQ(b.offer(1).advanced, 2u);
  EXPECT_EQ(a.offer(2).advanced, 2u);
}

TEST_P(Engines, CloseGivesEverythingBackAndForgets) {
  const auto engine = make(GetParam());
  const OrderingMemory before = engine->memory();
  EXPECT_EQ(before.total(), 0_B);
  Arrivals a(*engine, 9, Psn(7));
  a.offer({0, 2, 40});
  EXPECT_GT(engine->memory().total(), 0_B);
  a.close();
  a.close();
  engine->close(12345);
  EXPECT_EQ(engine->memory().total(), 0_B);
  Arrivals again(*engine, 9, Psn(0x800000));
  EXPECT_EQ(again.offer(40).tracking, Tracking::out_of_order);
  EXPECT_EQ(again.offer(0).advanced, 1u);
}

TEST_P(Engines, ANumberThatIsNoConnectionIsADefect) {
  const auto engine = make(GetParam());
  EXPECT_THROW(engine->on_packet({.connection = 1u << 24, .psn = {}, .head = {}, .last = false}),
               ModelError);
}

struct Reach {
  std::string_view engine;
  std::int32_t packets;
};
class Reaches : public testing::TestWithParam<Reach> {};
INSTANTIATE_TEST_SUITE_P(All, Reaches,
                         testing::Values(Reach{"static", 256}, Reach{"irn", 100},
                                         Reach{"mp_rdma", 64}, Reach{"eunomia", 256}),
                         [](const auto& test) { return std::string(test.param.engine); });

TEST_P(Reaches, APacketBeyondIsRejectedAndChangesNothing) {
  const std::int32_t reach = GetParam().packets;
  const auto engine = make(GetParam().engine);
  Arrivals a(*engine, 0, Psn(0xffff00));
  a.offer({0, 1, 2});
  EXPECT_EQ(a.offer(3 + reach - 1).tracking, Tracking::out_of_order);
  const OrderingMemory before = engine->memory();
  const OrderingAnswer answer = a.offer(3 + reach, true);
  EXPECT_EQ(answer.tracking, Tracking::rejected);
  EXPECT_EQ(answer.rejection, Rejection::reach);
  EXPECT_EQ(a.expected(answer), 3);
  EXPECT_EQ(engine->memory().total(), before.total());
  EXPECT_EQ(a.offer_run(3, 3 + reach - 1).advanced, 2u);
  EXPECT_EQ(a.offer(3 + reach).advanced, 1u);  // it comes again
}

TEST(StaticOrdering, CoversAnySizeAndCosts41BytesAt256Bits) {
  OrderingConfig config = with("static");
  EXPECT_EQ(make_ordering_engine(config)->provided(20), 20 * 41_B);
  for (const std::uint32_t bits : {1u, 63u, 64u, 65u, 100u, 200u, 1000u}) {
    config.parameters.of<BitmapReach>().bits = bits;
    const auto engine = make_ordering_engine(config);
    Arrivals a(*engine, 0, Psn(0xffff80));
    const auto n = static_cast<std::int32_t>(bits);
    std::int32_t base = 0;
    for (int round = 0; round < 9; ++round) {  // the head stands at many places of the bitmap
      EXPECT_EQ(a.offer(base + n).tracking, Tracking::rejected);
      for (std::int32_t i = n - 1; i > 0; --i) {
        ASSERT_EQ(a.offer(base + i).tracking, Tracking::out_of_order) << bits << " " << i;
      }
      ASSERT_EQ(a.offer(base).advanced, bits);
      base += n;
      ASSERT_EQ(a.offer(base).advanced, 1u);
      ++base;
    }
    EXPECT_EQ(engine->memory().bitmap, Bytes((n + 7) / 8));
    EXPECT_EQ(engine->memory().fixed, 9_B);
    EXPECT_EQ(engine->memory().metadata, 0_B);
  }
}

TEST(StaticOrdering, MemoryIsThatOfOpenConnectionsWhateverTheyDo) {
  const auto engine = make("static");
  Arrivals a(*engine, 0);
  Arrivals b(*engine, 1);
  a.offer(0);
  b.offer(200);
  EXPECT_EQ(engine->memory().total(), 82_B);
  a.offer(1, true);
  EXPECT_EQ(engine->memory().total(), 82_B);
  a.close();
  EXPECT_EQ(engine->memory().total(), 41_B);
}

TEST(IrnOrdering, CostsFiveBitmapsOfTwoBitsPerPacketOfTheBdp) {
  OrderingConfig config = with("irn");
  const auto engine = make_ordering_engine(config);
  Arrivals(*engine, 0).offer(0);
  EXPECT_EQ(engine->memory().bitmap, 125_B);
  EXPECT_EQ(engine->memory().fixed, 20_B);
  config.parameters.of<IrnBitmap>().bdp = 110;
  EXPECT_EQ(make_ordering_engine(config)->provided(1), 138_B + 20_B);
}

TEST(MpRdmaOrdering, Costs66Bytes) {
  const auto engine = make("mp_rdma");
  Arrivals(*engine, 0).offer(0);
  EXPECT_EQ(engine->memory().bitmap, 17_B);
  EXPECT_EQ(engine->memory().fixed, 49_B);
  EXPECT_EQ(engine->provided(1), 66_B);
}

TEST(IdealOrdering, TracksWhateverIsAhead) {
  const auto engine = make("ideal");
  Arrivals a(*engine, 0, Psn(0xfffff0));
  constexpr std::int32_t furthest = (1 << 23) - 1;
  EXPECT_EQ(a.offer(70).tracking, Tracking::out_of_order);
  EXPECT_EQ(a.offer(furthest).tracking, Tracking::out_of_order);
  EXPECT_EQ(a.offer(furthest).tracking, Tracking::duplicate);
  EXPECT_EQ(a.offer(70).tracking, Tracking::duplicate);
  EXPECT_EQ(a.offer_run(0, 70).advanced, 2u);
}

TEST(IdealOrdering, MemoryIsTheWordsFromTheExpectedToTheHighestPacket) {
  const auto engine = make("ideal");
  Arrivals a(*engine, 0, Psn(0));
  a.offer(0);
  EXPECT_EQ(engine->memory().total(), 0_B);
  a.offer(2);
  EXPECT_EQ(engine->memory().total(), 8_B);
  a.offer(63);
  EXPECT_EQ(engine->memory().total(), 8_B);
  a.offer(64);
  EXPECT_EQ(engine->memory().total(), 16_B);
  a.offer(64 * 100);
  EXPECT_EQ(engine->memory().total(), 101 * 8_B);
  a.offer_run(1, 63);
  EXPECT_EQ(engine->memory().total(), 100 * 8_B);
  a.offer_run(65, 64 * 100);
  EXPECT_EQ(engine->memory().total(), 0_B);
}

}  // namespace
}  // namespace horae::policy::ordering_engines_test
