// The parameters of the retransmit policies, for who sets them in C++. Each belongs to the file of
// its name in src/retransmit, which has its schema.
#pragma once

#include "horae/policy/retransmit/retransmit.hpp"

namespace horae::policy {

struct BlockingFetch {
  Merge merge = Merge::one_pending;
  std::uint32_t serial_reads = 2;

  static const Schema<BlockingFetch>& schema();
};

struct PipelineFlush {
  Merge merge = Merge::one_pending;
  Picoseconds flush = 200_ns;
  std::uint32_t serial_reads = 1;

  static const Schema<PipelineFlush>& schema();
};

struct StrictPriority {
  std::uint32_t serial_reads = 1;

  static const Schema<StrictPriority>& schema();
};

struct ContextLock {
  Picoseconds lock = 300_ns;
  bool acks = true;

  static const Schema<ContextLock>& schema();
};

struct WindowStall {
  std::uint32_t gap_window = 512;

  static const Schema<WindowStall>& schema();
};

struct RecoveryHandshake {
  /// Since when recovery holds new data back.
  enum class HoldFrom : std::uint8_t { nack, retransmission };

  HoldFrom hold_from = HoldFrom::nack;
  std::uint32_t serial_reads = 1;
  Picoseconds guard = 50_us;

  static const Schema<RecoveryHandshake>& schema();
};

struct BufferThrash {
  std::uint32_t serial_reads = 0;

  static const Schema<BufferThrash>& schema();
};

struct FirmwareEvent {
  Picoseconds event = 5_us;
  Scope stall = Scope::queue_pair;

  static const Schema<FirmwareEvent>& schema();
};

struct NackRateLimit {
  Picoseconds interval = 1_us;

  static const Schema<NackRateLimit>& schema();
};

/// Every part by itself. The policies above are points of this space.
struct RetransmitParts {
  /// When the next NACK of a queue pair may be served.
  enum class Until : std::uint8_t { fetched, sent };

  Scope server = Scope::none;
  Until until = Until::fetched;
  Merge merge = Merge::every;
  Scope stall = Scope::none;
  Picoseconds event{};
  std::uint32_t serial_reads = 0;
  bool flush = false;
  bool from_pool = false;
  bool hold = false;
  Picoseconds guard = 50_us;
  Picoseconds nack_lock{};
  Picoseconds ack_lock{};
  std::uint32_t gap_window = 0;
  Picoseconds nack_interval{};

  static const Schema<RetransmitParts>& schema();
};

}  // namespace horae::policy
