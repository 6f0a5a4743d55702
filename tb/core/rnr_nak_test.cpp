// The times of RNR NAKs, and which packets take receive WQEs.
#include "horae/core/codec/rnr_nak.hpp"

#include <gtest/gtest.h>

#include "horae/core/verb.hpp"

namespace horae::rnr_nak_test {
namespace {

TEST(RnrNak, TimesAreThoseOfTheTable) {
  EXPECT_EQ(rnr_time(0), Picoseconds(655'360'000'000));
  EXPECT_EQ(rnr_time(1), 10_us);
  EXPECT_EQ(rnr_time(4), 40_us);
  EXPECT_EQ(rnr_time(12), 640_us);
  EXPECT_EQ(rnr_time(31), Picoseconds(491'520'000'000));
  // From 20 us on each second code is twice as long, and the one between half as much again.
  for (std::uint32_t code = 4; code < 32; ++code)
    EXPECT_EQ(rnr_time(code), rnr_time(code - 2) * 2) << code;
  EXPECT_EQ(rnr_time(0), rnr_time(30) * 2);
}

TEST(RnrNak, OnePacketOfAMessageTakesAReceiveWqe) {
  for (const Verb verb : {Verb::write, Verb::read, Verb::send, Verb::write_imm}) {
    for (const int packets : {1, 2, 5}) {
      int takes = 0, ends = 0;
      for (int i = 0; i < packets; ++i) {
        const Opcode o = data_opcode(verb, i == 0, i + 1 == packets);
        takes += takes_receive_wqe(o) ? 1 : 0;
        ends += verb != Verb::read && ends_received_message(o) ? 1 : 0;
        EXPECT_EQ(is_one_of(plain_writes, o),
                  verb == Verb::write || (verb == Verb::write_imm && i + 1 < packets));
      }
      EXPECT_EQ(takes, takes_receive_wqe(verb) ? 1 : 0);
      EXPECT_EQ(ends, takes);
    }
  }
}

TEST(RnrNak, NoOtherOpcodeIsTakenForAPlainWrite) {
  for (int code = 0; code <= static_cast<int>(Opcode::fetch_add); ++code) {
    const auto o = static_cast<Opcode>(code);
    EXPECT_EQ(is_one_of(plain_writes, o), is_write(o) && !has_immediate(o)) << code;
  }
  for (const Opcode o : {Opcode::cnp, Opcode::pull, Opcode::none})
    EXPECT_FALSE(is_one_of(plain_writes, o));
}

}  // namespace
}  // namespace horae::rnr_nak_test
