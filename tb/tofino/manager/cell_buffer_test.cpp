// The packet buffer as a part: whole cells, room to the last one, the most that was used.
#include "horae/tofino/cell_buffer.hpp"

#include <gtest/gtest.h>

namespace horae::tofino::cell_buffer_test {
namespace {

Packet packet(std::uint16_t frame) {
  Packet p;
  p.frame = frame;
  return p;
}

TEST(CellBuffer, APacketOccupiesWholeCells) {
  const CellBuffer buffer(10, 176_B);
  EXPECT_EQ(buffer.cells_of(packet(1)), 1);
  EXPECT_EQ(buffer.cells_of(packet(176)), 1);
  EXPECT_EQ(buffer.cells_of(packet(177)), 2);
  EXPECT_EQ(buffer.cells_of(packet(4158)), 24);
}

TEST(CellBuffer, ThereIsRoomToTheLastCell) {
  CellBuffer buffer(10, 176_B);
  EXPECT_TRUE(buffer.has_room(10));
  EXPECT_FALSE(buffer.has_room(11));
  buffer.take(8);
  EXPECT_TRUE(buffer.has_room(2));
  EXPECT_FALSE(buffer.has_room(3));
  buffer.give_back(packet(177));
  EXPECT_EQ(buffer.used(), 6);
  EXPECT_TRUE(buffer.has_room(4));
  EXPECT_EQ(buffer.most_used(), 8);
}

// A packet stays in the buffer after an egress pass without another check for room.
TEST(CellBuffer, APacketThatGrewInItsPassKeepsItsPlace) {
  CellBuffer buffer(2, 176_B);
  Packet p = packet(352);
  buffer.take(buffer.cells_of(p));
  buffer.give_back(p);
  p.frame = 353;
  buffer.take_again(p);
  EXPECT_EQ(buffer.used(), 3);
  EXPECT_EQ(buffer.most_used(), 2);
  EXPECT_FALSE(buffer.has_room(1));
  buffer.give_back(p);
  EXPECT_EQ(buffer.used(), 0);
}

}  // namespace
}  // namespace horae::tofino::cell_buffer_test
