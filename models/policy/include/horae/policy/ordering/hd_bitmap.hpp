// Eunomia's hybrid-dynamic bitmap: how one packet is tracked in the blocks of its connection
// (Eunomia 3.3, Figures 5 to 7).
#pragma once

#include <cstdint>

#include "horae/policy/ordering/memory_controller.hpp"

namespace horae::policy {

/// A connection's state as its metadata hold it (Figure 7). Word by word from the start: head and
/// tail, two each, low word first; last_seq, likewise; head block (bits 7:0) and head index (15:8);
/// circular (7:0) and dynamic size (15:8) in blocks; the address of block 0, then those of the
/// others relative to it.
struct HdState {
  Psn head;                      ///< first missing PSN
  Psn tail;                      ///< highest PSN of the circular portion
  std::uint32_t last_seq = 0;    ///< highest PSN marked last, or `unknown`
  std::uint32_t head_block = 0;  ///< where the head's bit is
  std::uint32_t head_index = 0;
  std::uint32_t circular = 0;  ///< blocks of the circular portion: the first ones
  std::uint32_t dynamic = 0;   ///< all blocks; those past `circular` are the linear portion
  std::uint32_t base = 0;      ///< address of block 0

  static constexpr std::uint32_t unknown = 0xffffffff;
};

/// The logic of the bitmap; it keeps nothing of a connection itself. OrderingOps counts, for a
/// packet: nine words of state; an address word whenever a step looks up another block than block
/// 0; the bitmap words that a step reads (set the bit, clear the run, is the circular portion
/// clear, are all blocks clear), each step for itself; and the words of state that changed.
class HdBitmap {
 public:
  explicit HdBitmap(MemoryController& memory) : memory_(memory) {}

  /// Gives the connection metadata and one block, its head at `expected`.
  Rejection create(ConnectionId connection, Psn expected, OrderingOps& ops);
  /// Tracks a packet of a connection whose metadata start at `start`. A connection that needs its
  /// bitmap no more has been released.
  OrderingAnswer on_packet(ConnectionId connection, std::uint32_t start, Psn psn, bool last);
  /// Gives back all blocks, the metadata and the row of the index; nothing is erased. `located`:
  /// the block whose address the hardware looked up last, which it need not look up again.
  void release(ConnectionId connection, std::uint32_t start, OrderingOps& ops,
               std::uint32_t located = 0);

  /// The state at `start`, without being counted.
  HdState state(std::uint32_t start) const;

 private:
  class Packet;  // one packet on its way through the steps

  MemoryController& memory_;
};

}  // namespace horae::policy
