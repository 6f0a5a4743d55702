// A receive queue: WQEs of the host for messages that come, some of them on the chip. No SystemC.
#pragma once

#include <algorithm>
#include <boost/container/deque.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "horae/core/packet.hpp"
#include "horae/rnic/spec/receive_config.hpp"

namespace horae::rnic {

/// Counts the WQEs of a queue: the host posts them, the NIC reads them ahead, and a message takes
/// one. Packets that wait for the read of a WQE are kept here in their order. Times never decrease.
class ReceiveQueue {
 public:
  /// `reads`: whether WQEs lie in host memory and are read; else they are on the chip when posted.
  /// Those of the start are posted, and the first of them read.
  ReceiveQueue(const ReceiveConfig& config, bool reads)
      : config_(config),
        reads_(reads),
        posted_(config.depth),
        on_chip_(reads ? std::min(config.prefetch, config.depth) : config.depth) {}

  /// Whether a WQE is posted that no message has taken.
  bool ready() const { return posted_ > 0; }
  /// Whether one of them is on the chip.
  bool here() const { return on_chip_ > 0; }
  /// A message takes the first one, which is on the chip.
  void take() {
    --posted_;
    --on_chip_;
  }
  std::uint32_t posted() const { return posted_; }
  std::uint32_t on_chip() const { return on_chip_; }

  /// WQEs to read now; zero: none, as enough are on the chip, or under way, or posted no more.
  std::uint32_t to_read() const {
    const std::uint32_t held = on_chip_ + reading_;
    if (!reads_ || 2 * held > config_.prefetch) return 0;
    return std::min(config_.prefetch, posted_) - std::min(held, posted_);
  }
  /// Bytes from the start of the queue to the first of them.
  std::uint64_t offset() const {
    const auto wqe = static_cast<std::uint64_t>(config_.wqe.count());
    return next_read_ % config_.depth * wqe;
  }
  void read(std::uint32_t wqes) {
    reading_ += wqes;
    next_read_ += wqes;
  }
  /// They are on the chip.
  void arrived(std::uint32_t wqes) {
    reading_ -= wqes;
    on_chip_ += wqes;
  }
  std::uint32_t reading() const { return reading_; }

  /// Its thread found the CQE of a message at `now`: returns when it posts WQEs next, and how many;
  /// nothing while a batch is not full.
  struct Posting {
    Picoseconds at;
    std::uint32_t wqes;
  };
  std::optional<Posting> found(Picoseconds now) {
    busy_until_ = std::max(busy_until_, now) + config_.post;
    if (++taken_ < config_.batch) return std::nullopt;
    taken_ = 0;
    return Posting{busy_until_, config_.batch};
  }
  void post(std::uint32_t wqes) {
    posted_ += wqes;
    if (!reads_) on_chip_ += wqes;
  }

  /// Packets that wait for a WQE, or behind one of their queue pair that does.
  boost::container::deque<Packet*> waiting{};

 private:
  ReceiveConfig config_;
  bool reads_;
  std::uint32_t posted_;   ///< and not taken, on the chip or not
  std::uint32_t on_chip_;  ///< of them
  std::uint32_t reading_ = 0;
  std::uint64_t next_read_ = on_chip_;
  Picoseconds busy_until_{};  ///< its thread of the host
  std::uint32_t taken_ = 0;   ///< messages whose WQEs are still to be posted
};

}  // namespace horae::rnic
