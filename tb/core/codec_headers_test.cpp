// Headers of RoCEv2 frames, written and read.
#include <gtest/gtest.h>

#include <cstddef>

#include "codec_frames.hpp"
#include "horae/core/error.hpp"

namespace horae::codec_headers_test {
namespace {

using namespace codec_frames;

TEST(Codec, FieldsOfACapturedCnp) {
  const RoceFrame f = decode(captured_cnp);
  EXPECT_EQ(f.ethernet.dst, (MacAddress{0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2}));
  EXPECT_FALSE(f.vlan);
  const auto& ip = std::get<Ipv4Header>(f.ip);
  EXPECT_EQ(ip.dscp, 48);
  EXPECT_EQ(ip.ecn, Ecn::ect0);
  EXPECT_EQ(ip.identification, 0x718c);
  EXPECT_TRUE(ip.dont_fragment);
  EXPECT_EQ(ip.ttl, 64);
  EXPECT_EQ(ip.src, (Ipv4Address{10, 0, 17, 1}));
  EXPECT_EQ(f.bth.opcode, Opcode::cnp);
  EXPECT_TRUE(f.bth.becn);
  EXPECT_FALSE(f.bth.fecn);
  EXPECT_EQ(f.bth.dest_qp, Qpn(0x118));
  EXPECT_EQ(f.cnp_reserved, CnpReserved{});
  EXPECT_TRUE(f.payload.empty());
  EXPECT_EQ(Bytes(static_cast<std::int64_t>(captured_cnp.size()) + wire::fcs),
            frame_bytes(Opcode::cnp, 0_B));
}

TEST(Codec, UnknownOpcodeIsOpaquePayload) {
  const RoceFrame f = decode(uc_send);
  EXPECT_EQ(static_cast<int>(f.bth.opcode), 0x24);
  EXPECT_EQ(f.payload.size(), 18u);
  EXPECT_EQ(f.bth.pad_count, 2);
  EXPECT_FALSE(f.reth || f.aeth || f.immediate || f.cnp_reserved);
}

TEST(Codec, EveryHeaderComesBack) {
  RandomStream random(9, "roundtrip");
  auto opcodes = known_opcodes();
  for (const int unknown : {0x15, 0x44, 0x66, 0x80, 0xff}) {
    opcodes.push_back(static_cast<Opcode>(unknown));
  }
  for (const Opcode opcode : opcodes) {
    for (const bool ipv6 : {false, true}) {
      for (const bool vlan : {false, true}) {
        for (const bool ddp : {false, true}) {
          for (const std::size_t payload : {0, 1, 2, 3, 4, 61, 256, 1023, 4096}) {
            const auto f = random_frame(random, {opcode, ipv6, vlan, payload, ddp});
            const auto bytes = encode(f);
            const auto read = decode(bytes, {.reth_on_every_write = ddp});
            ASSERT_EQ(read, f) << "opcode " << static_cast<int>(opcode);
            ASSERT_EQ(encode(read), bytes);
            ASSERT_EQ(Bytes(static_cast<std::int64_t>(bytes.size()) + wire::fcs), frame_bytes(f));
          }
        }
      }
    }
  }
}

// Bytes of the padding to Ethernet's minimum belong to no header.
TEST(Codec, ShortFramesAreFilledUpToTheMinimum) {
  RandomStream random(10, "minimum");
  const auto f = random_frame(random, {.opcode = Opcode::send_only});
  const auto bytes = encode(f);
  EXPECT_EQ(bytes.size(), 60u);
  EXPECT_EQ(bytes[58], 0);
  EXPECT_EQ(bytes[59], 0);
  EXPECT_EQ(encode(f, {.fcs = true}).size(), 64u);
  EXPECT_EQ(decode(std::span(bytes).first(58)), f);
  auto longer = bytes;
  longer.resize(200, 0xaa);
  EXPECT_EQ(decode(longer), f);
}

}  // namespace
}  // namespace horae::codec_headers_test
