// The packet buffer of a chip: shared by all queues, counted in cells.
#pragma once

#include <algorithm>
#include <cstdint>

#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"

namespace horae::tofino {

/// A packet occupies whole cells from the time it is queued until it leaves its queue, or, on a
/// loopback port, until its header is parsed again.
class CellBuffer {
 public:
  CellBuffer(std::int64_t cells, Bytes cell)
      : cells_(cells), cell_(static_cast<std::uint32_t>(cell.count())) {}

  /// Cells that hold a packet of that length.
  std::int64_t cells_of(const Packet& p) const { return (p.frame + cell_ - 1) / cell_; }
  /// Whether that many cells are free.
  bool has_room(std::int64_t cells) const { return used_ + cells <= cells_; }

  /// Takes cells that are free (`has_room`).
  void take(std::int64_t cells) {
    used_ += cells;
    most_used_ = std::max(most_used_, used_);
  }
  void give_back(const Packet& p) { give_back(cells_of(p)); }
  void give_back(std::int64_t cells) { used_ -= cells; }
  /// For a packet that has just given its cells back and goes on in the buffer with the length that
  /// an egress pass left it. It is always taken and does not count for `most_used`.
  void take_again(const Packet& p) { take_again(cells_of(p)); }
  void take_again(std::int64_t cells) { used_ += cells; }

  /// Bytes of so many cells.
  std::int64_t bytes(std::int64_t cells) const { return cells * cell_; }
  std::int64_t used() const { return used_; }
  std::int64_t most_used() const { return most_used_; }

 private:
  std::int64_t cells_;
  std::uint32_t cell_;  ///< bytes
  std::int64_t used_ = 0;
  std::int64_t most_used_ = 0;
};

}  // namespace horae::tofino
