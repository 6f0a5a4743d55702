// Frames of packets whose payload is kept beside them.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "horae/core/codec.hpp"
#include "horae/core/wire_bytes.hpp"

namespace horae::encode_packet_test {
namespace {

TEST(EncodePacket, HasThePayloadAndTheRethOfItsContents) {
  Packet p;
  p.id = 7;
  p.src = 1;
  p.dst = 2;
  p.opcode = Opcode::write_only;
  p.payload = 5;
  p.frame = static_cast<std::uint16_t>(frame_bytes(p.opcode, Bytes(p.payload)).count());
  WireBytes all;
  EXPECT_EQ(all.find(p), nullptr);
  auto& contents = all.make(p);
  contents.payload = {1, 2, 3, 4, 250};
  contents.reth = Reth{.virtual_address = 0x123456789a, .remote_key = 0x4101, .dma_length = 5};
  const RoceFrame read = decode(encode_packet(p, nullptr, all.find(p)).bytes);
  EXPECT_TRUE(read.icrc_valid);
  EXPECT_EQ(read.payload, (std::vector<std::uint8_t>{1, 2, 3, 4, 250}));
  EXPECT_EQ(read.reth, contents.reth);
  // Those of another packet that was here before are not its own.
  p.id = 8;
  EXPECT_EQ(all.find(p), nullptr);
  EXPECT_EQ(decode(encode_packet(p).bytes).payload, std::vector<std::uint8_t>(5));
}

}  // namespace
}  // namespace horae::encode_packet_test
