// Exclusions by published numbers without a simulation, at their roundings and at their tolerances.
#include "horae/explain/arithmetic.hpp"

#include <gtest/gtest.h>

namespace horae::explain::arithmetic_test {
namespace {

/// The numbers of the packet-spraying paper, 2.3, without their places: a TX share of 0.5 with a
/// goodput ratio of 0.935, and 0.48 Mpps of NACKs at 46.6 Gbps.
question::ObservationsFile published() {
  question::ObservationsFile file;
  for (const auto& [id, reaction] : {std::pair{"nocc.all", false}, {"dcqcn.all", true}}) {
    question::ConditionSpec c;
    c.id.value = id;
    c.reaction = reaction;
    file.conditions.push_back(c);
  }
  const auto add = [&](const char* id, const char* condition, const char* quantity, double value,
                       double rounding, double tolerance) {
    question::ObservationSpec o;
    o.id.value = id;
    o.condition.value = condition;
    o.quantity.value = quantity;
    o.value = value;
    o.rounding.value = rounding;
    o.tolerance.value = tolerance;
    file.observations.push_back(o);
  };
  add("nocc.tx", "nocc.all", "tx_share", 0.5, 0.005, 0.05);
  add("nocc.goodput", "nocc.all", "goodput_ratio", 0.935, 0.0005, 0.02);
  add("dcqcn.nacks", "dcqcn.all", "nack_rate", 0.48, 0.005, 0.1);
  add("dcqcn.tx", "dcqcn.all", "tx_rate", 46.6, 0.05, 5);
  return file;
}

SenderFacts senders(double payload) {
  // 62 bytes of headers and FCS, 20 of preamble and gap.
  return {100, 2, payload, payload + 82};
}

question::HypothesisSpec mechanism(std::optional<question::Serves> serves,
                                   std::optional<question::Stalls> stalls, std::uint32_t packets) {
  question::HypothesisSpec h;
  h.serves = serves;
  h.stalls = stalls;
  h.packets_per_nack = packets;
  return h;
}

std::vector<Exclusion> excluded(const question::HypothesisSpec& h, double payload,
                                question::Readings readings = {}, double tolerances = 0) {
  static const question::ObservationsFile numbers = published();
  return exclusions(h, {numbers, readings, senders(payload), tolerances});
}

using question::Serves;
using question::Stalls;

TEST(Arithmetic, ExcludesBlockingOnEveryNackWhereFramesAreTooLong) {
  // 594 bytes on the wire at 512, 1106 at 1024; at most 470 with two packets, 940 with one.
  const auto two = mechanism(Serves::every, Stalls::served, 2);
  const auto found = excluded(two, 512);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text,
            "every NACK stalls TX and brings 2 packets: dcqcn.nacks and dcqcn.tx allow at most "
            "1.11 us each, so nocc.tx and nocc.goodput allow frames of at most 452 B (470 B with "
            "roundings in its favour); ours have 594 B");
  EXPECT_NEAR(found[0].allowed, 470.0 / 594, 0.001);
  EXPECT_EQ(excluded(two, 1024).size(), 1u);
  const auto one = mechanism(Serves::every, Stalls::served, 1);
  EXPECT_TRUE(excluded(one, 512).empty());
  EXPECT_EQ(excluded(one, 1024).size(), 1u);
}

TEST(Arithmetic, NacksOfBothSendersAllowFramesTwiceAsLong) {
  const question::Readings both = {question::Readings::Rate::l1, question::Readings::Ratio::unique,
                                   question::Readings::Nacks::both};
  EXPECT_TRUE(excluded(mechanism(Serves::every, Stalls::served, 2), 512, both).empty());
  EXPECT_EQ(excluded(mechanism(Serves::every, Stalls::served, 2), 1024, both).size(), 1u);
  EXPECT_TRUE(excluded(mechanism(Serves::every, Stalls::served, 1), 1024, both).empty());
}

TEST(Arithmetic, LetsMechanismsBeThatMergeOrStallOtherwise) {
  for (const auto& h :
       {mechanism(Serves::merged, Stalls::served, 2), mechanism(Serves::every, Stalls::received, 2),
        mechanism({}, Stalls::window, 2), mechanism({}, {}, 2)}) {
    for (const double payload : {512.0, 1024.0}) EXPECT_TRUE(excluded(h, payload).empty());
  }
}

TEST(Arithmetic, ExcludesWhatNeverIdlesTheWire) {
  const auto found = excluded(mechanism({}, Stalls::none, 2), 512);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text, "it never idles the wire, so TX is line rate, but nocc.tx is 0.5 of it");
}

// An exclusion at some tolerances holds at all smaller ones.
TEST(Arithmetic, ExcludesLessAtLargerTolerances) {
  for (const auto& h :
       {mechanism(Serves::every, Stalls::served, 2), mechanism(Serves::every, Stalls::served, 1),
        mechanism({}, Stalls::none, 2)}) {
    for (const double payload : {256.0, 512.0, 1024.0, 4096.0}) {
      bool before = true;
      for (const double tolerances : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 20.0}) {
        const bool now = !excluded(h, payload, {}, tolerances).empty();
        EXPECT_TRUE(before || !now) << payload << " " << tolerances;
        before = now;
      }
      EXPECT_FALSE(before) << payload;  // at 20 times 0.05 of line anything may be
    }
  }
}

}  // namespace
}  // namespace horae::explain::arithmetic_test
