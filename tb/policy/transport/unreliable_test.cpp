// UC and UD: what a receiver takes of packets that are lost, come twice and overtake each other,
// beside the rules of IBTA vol. 1, 9.8 written apart.
#include "horae/policy/transport/unreliable.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/core/verb.hpp"

namespace horae::policy::unreliable_test {
namespace {

using Arrival = UnreliableReceiver::Arrival;
using Outcome = UnreliableReceiver::Outcome;

struct Message {
  Verb verb;
  std::uint32_t first, packets;
};

/// A packet, with the message that it is of.
struct Sent {
  std::size_t message;
  std::uint32_t index;
};

struct Stream {
  std::vector<Message> messages;
  std::vector<Sent> packets;
  Psn first;

  Arrival arrival(const Sent& s) const {
    const Message& m = messages[s.message];
    return {first + static_cast<std::int32_t>(m.first + s.index),
            data_opcode(m.verb, s.index == 0, s.index + 1 == m.packets)};
  }
};

Stream stream_of(RandomStream& random, std::uint32_t messages, std::uint32_t longest) {
  Stream out;
  out.first = Psn(random.chance(0.5) ? random.bits() : 0xfffff0u);
  const std::vector<Verb> verbs = {Verb::write, Verb::send, Verb::write_imm};
  std::uint32_t next = 0;
  for (std::uint32_t m = 0; m < messages; ++m) {
    out.messages.push_back({verbs[random.below(3)], next, 1 + random.below(longest)});
    next += out.messages.back().packets;
    for (std::uint32_t i = 0; i < out.messages.back().packets; ++i) out.packets.push_back({m, i});
  }
  return out;
}

/// Losses, copies, and neighbours that change places.
std::vector<Sent> pass(RandomStream& random, std::vector<Sent> packets, double loss, double twice,
                       double swapped) {
  std::vector<Sent> out;
  for (const Sent& s : packets) {
    if (random.chance(loss)) continue;
    out.push_back(s);
    if (random.chance(twice)) out.push_back(s);
  }
  for (std::size_t i = 1; i < out.size(); ++i) {
    if (random.chance(swapped)) std::swap(out[i - 1], out[i]);
  }
  return out;
}

/// A message is whole where all its packets came one behind the other, and nothing between them.
/// How often each is, by what arrived.
std::vector<std::uint32_t> whole_by_the_rules(const Stream& stream, const std::vector<Sent>& came) {
  std::vector<std::uint32_t> times(stream.messages.size());
  for (std::size_t at = 0; at < came.size(); ++at) {
    const std::size_t m = came[at].message;
    const std::uint32_t n = stream.messages[m].packets;
    bool all = at + n <= came.size();
    for (std::uint32_t i = 0; all && i < n; ++i)
      all = came[at + i].message == m && came[at + i].index == i;
    times[m] += all ? 1 : 0;
  }
  return times;
}

TEST(Unreliable, WhatArrivesInOnePieceIsDeliveredAndNothingElse) {
  std::uint64_t whole = 0, broken = 0, left = 0;
  const char* const asked = std::getenv("HORAE_HISTORIES");
  const std::uint64_t histories = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 4000;
  for (std::uint64_t seed = 1; seed <= histories; ++seed) {
    RandomStream random(seed, "unreliable");
    const Stream stream = stream_of(random, 1 + random.below(30), 1 + random.below(6));
    const auto came =
        pass(random, stream.packets, 0.2 * random.unit(), 0.1 * random.unit(), 0.2 * random.unit());
    UnreliableReceiver receiver(Service::uc, stream.first);
    std::vector<std::uint32_t> times(stream.messages.size());
    std::uint64_t taken = 0, needed = 0, broke = 0;
    for (const Sent& s : came) {
      const Arrival a = stream.arrival(s);
      const bool wants = receiver.wants_receive_wqe(a);
      const Outcome out = receiver.on_packet(a, true);
      ASSERT_EQ(out.takes_wqe, wants);
      ASSERT_FALSE(out.lacks_wqe);
      taken += out.takes_wqe ? 1 : 0;
      broke += out.broke ? 1 : 0;
      if (!out.completes) continue;
      ASSERT_TRUE(out.delivered);
      ++times[s.message];
      needed += takes_receive_wqe(stream.messages[s.message].verb) ? 1 : 0;
    }
    ASSERT_EQ(times, whole_by_the_rules(stream, came)) << "seed " << seed;
    // A WQE is with a message that is whole, or with one SEND that is under way or was lost.
    ASSERT_GE(taken, needed);
    ASSERT_LE(taken, needed + 1) << "seed " << seed;
    for (const std::uint32_t n : times) whole += n;
    broken += broke;
    left += taken - needed;
  }
  EXPECT_GT(whole, histories);
  EXPECT_GT(broken, histories / 4);
  EXPECT_GT(left, 0u);
}

/// With few receive WQEs: a message is dropped only where none is there and none was left.
TEST(Unreliable, AMessageWithoutAReceiveWqeIsDropped) {
  std::uint64_t dropped = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    RandomStream random(seed, "unreliable.wqes");
    const Stream stream = stream_of(random, 20, 3);
    const auto came = pass(random, stream.packets, 0.1 * random.unit(), 0, 0);
    UnreliableReceiver receiver(Service::uc, stream.first);
    std::uint32_t posted = random.below(4);
    const auto rules = whole_by_the_rules(stream, came);
    std::vector<std::uint32_t> times(stream.messages.size());
    std::vector<bool> lacked(stream.messages.size());
    for (const Sent& s : came) {
      posted += random.chance(0.2) ? 1 : 0;
      const Outcome out = receiver.on_packet(stream.arrival(s), posted > 0);
      ASSERT_FALSE(out.lacks_wqe && posted > 0);
      ASSERT_FALSE(out.lacks_wqe && out.delivered);
      posted -= out.takes_wqe ? 1 : 0;
      if (out.lacks_wqe) lacked[s.message] = true;
      times[s.message] += out.completes ? 1 : 0;
    }
    for (std::size_t m = 0; m < times.size(); ++m) {
      ASSERT_EQ(times[m], lacked[m] ? 0u : rules[m]) << "seed " << seed << " message " << m;
      dropped += lacked[m] ? 1 : 0;
    }
  }
  EXPECT_GT(dropped, 1000u);
}

TEST(Unreliable, AGapIsOneHoweverLongItLasts) {
  UnreliableReceiver receiver(Service::uc, Psn(0xffffff));
  const auto on = [&](std::int32_t psn, Opcode o) {
    return receiver.on_packet({Psn(0xffffff) + psn, o}, true);
  };
  EXPECT_TRUE(on(0, Opcode::write_first).delivered);
  const Outcome gap = on(2, Opcode::write_middle);
  EXPECT_TRUE(gap.gap && gap.broke && !gap.delivered);
  EXPECT_EQ(gap.ahead, 1);
  const Outcome again = on(5, Opcode::write_middle);
  EXPECT_TRUE(!again.gap && !again.broke && !again.delivered);
  EXPECT_FALSE(on(6, Opcode::write_last).delivered);
  EXPECT_TRUE(on(7, Opcode::write_only).completes);
  EXPECT_EQ(receiver.expected_psn(), Psn(0xffffff) + 8);
}

TEST(Unreliable, DatagramsKnowNothingOfEachOther) {
  UnreliableReceiver receiver(Service::ud, Psn(7));
  for (const std::uint32_t psn : {9u, 8u, 8u, 100u}) {
    const Outcome out = receiver.on_packet({Psn(psn), Opcode::send_only}, true);
    EXPECT_TRUE(out.completes && out.takes_wqe && !out.gap && !out.broke);
  }
  const Outcome out = receiver.on_packet({Psn(7), Opcode::send_only}, false);
  EXPECT_TRUE(out.lacks_wqe && !out.completes && !out.takes_wqe);
}

TEST(Unreliable, ASenderSendsOnceAndHearsWhatLeft) {
  const auto sender = unreliable_transport(Service::uc).make_sender({}, Psn(0xfffffe));
  sender->post(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(sender->can_send());
    const Transmission t = sender->next(1_us);
    EXPECT_EQ(t.psn, Psn(0xfffffe) + static_cast<std::int32_t>(i));
    EXPECT_FALSE(t.ack_request);
  }
  EXPECT_FALSE(sender->can_send());
  EXPECT_EQ(sender->next_deadline(), never);
  EXPECT_EQ(sender->on_ack(Psn(1), 2_us).newly_acked, 3u);
  EXPECT_FALSE(sender->accepts_nack(Psn(1)));
  EXPECT_EQ(sender->unacked(), 1u);
  EXPECT_EQ(sender->on_ack(Psn(9), 2_us).newly_acked, 0u);
}

TEST(Unreliable, OpcodesSayTheService) {
  EXPECT_EQ(static_cast<unsigned>(opcode_of(Service::uc, Opcode::write_first)), 0x26u);
  EXPECT_EQ(static_cast<unsigned>(opcode_of(Service::ud, Opcode::send_only)), 0x64u);
  EXPECT_EQ(opcode_of(Service::rc, Opcode::send_last), Opcode::send_last);
  unsigned uc = 0, ud = 0;
  for (unsigned code = 0; code < 256; ++code) {
    const auto o = static_cast<Opcode>(code);
    uc += is_uc(o) ? 1 : 0;
    ud += is_ud(o) ? 1 : 0;
    if (is_unreliable(o)) {
      EXPECT_EQ(opcode_of(is_uc(o) ? Service::uc : Service::ud, operation_of(o)), o);
    } else {
      EXPECT_EQ(operation_of(o), o);
    }
  }
  EXPECT_EQ(uc, 12u);  // SENDs and WRITEs: IBTA vol. 1, table 38
  EXPECT_EQ(ud, 2u);
  // A DETH is eight bytes in front of the payload.
  EXPECT_EQ(frame_of_service(static_cast<Opcode>(0x64), 100_B),
            frame_bytes(Opcode::send_only, 100_B) + 8_B);
}

}  // namespace
}  // namespace horae::policy::unreliable_test
