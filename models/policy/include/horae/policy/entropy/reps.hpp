// REPS, recycled entropy packet spraying (Bonato et al., EuroSys 2026): values that came back
// without a mark are used again, once each.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "horae/policy/entropy/drawing.hpp"

namespace horae::policy {

/// Treatment of the ring when freezing ends.
enum class RepsExit : std::uint8_t { keep, clear };
/// On which feedback freezing may end.
enum class RepsExitOn : std::uint8_t { any, good };
/// Which slot a frozen ring gives next.
enum class RepsFrozenRead : std::uint8_t { paper, artifact };

struct RepsParameters {
  std::uint32_t ring = 8;  ///< B: slots
  bool freezing = true;
  std::optional<Picoseconds> freezing_timeout{};  ///< must be given where `freezing` is set
  RepsExit exit = RepsExit::keep;
  RepsExitOn exit_on = RepsExitOn::any;
  RepsFrozenRead frozen_read = RepsFrozenRead::paper;
  std::optional<std::uint32_t> explore_packets{};  ///< absent: a BDP of them, at most 255
  double suspect_rtt = 1.65;
  std::optional<Picoseconds> freeze_at{};  ///< absent: only failures freeze

  static const Schema<RepsParameters>& schema();
};

/// The ring of one queue pair with the paper's Algorithms 1 and 2.
///
/// A good value is stored at `head`, over the oldest one when all are valid. A packet gets the
/// oldest valid value, whose slot is not valid then, or a random value where there is none. In
/// order of use the valid slots are the last `valid()` before `head()`.
///
/// A timeout that looks like a failure freezes it, unless packets explore still. Frozen it stores
/// as before, but uses slots again that are not valid rather than draw. With switches that trim,
/// every timeout looks like a failure. Without, only one after round trips that were all short: the
/// longest since a window began that the first ACK after two timeouts' time starts anew is less
/// than `suspect_rtt` of the shortest ever (paper, appendix A; artifact). The first feedback after
/// the freezing timeout ends it, and the next packets get random values: they explore.
///
/// Where the paper leaves it open: slots that never held a value are not read; the time of the end
/// does not wrap.
class Reps final : public DrawingEntropy {
 public:
  Reps(const EntropyConfig& config, const EntropyContext& context);

  std::uint16_t next(Picoseconds now) override;
  void feedback(const EntropyFeedback& feedback, Picoseconds now) override;
  /// Whatever explores; nothing where freezing is off.
  void freeze(Picoseconds now) override;
  bool frozen() const override { return frozen_; }
  std::uint64_t bits() const override {
    return 57 + std::uint64_t{slot_bits(values())} * ring_.size();
  }

  /// A slot's value and its valid bit: 17 of 65,536 values, as in Table 1 of the paper, 9 of 256.
  static std::uint32_t slot_bits(std::uint32_t values) {
    return static_cast<std::uint32_t>(std::bit_width(values - 1)) + 1;
  }

  // State for tests.
  std::uint32_t head() const { return head_; }
  std::uint32_t valid() const { return valid_; }
  bool valid_at(std::uint32_t slot) const { return ring_[slot].valid; }
  std::uint32_t exploring() const { return explore_; }

 private:
  struct Slot {
    std::uint16_t value = 0;
    bool valid = false;
  };

  std::uint16_t next_frozen();
  void store(std::uint16_t value);
  void learn_rtt(Picoseconds rtt, Picoseconds now);
  bool suspicious() const;
  void leave(Picoseconds now);
  std::uint32_t after(std::uint32_t slot) const { return slot + 1 == ring_.size() ? 0 : slot + 1; }

  std::vector<Slot> ring_;
  std::uint32_t head_ = 0;         ///< next slot to write
  std::uint32_t valid_ = 0;        ///< slots that are valid
  std::uint32_t filled_ = 0;       ///< slots that ever held a value: the first ones
  std::uint32_t frozen_head_ = 0;  ///< next slot to read, frozen, as the artifact has it
  std::uint32_t explore_ = 0;      ///< packets that get random values yet
  bool frozen_ = false;
  Picoseconds exit_time_{};
  Picoseconds frozen_since_{};

  // The transport measures these anyway; Table 1 does not count them.
  Picoseconds shortest_rtt_;
  Picoseconds longest_rtt_{};  ///< of the window
  Picoseconds window_end_{-1};

  Picoseconds rto_;
  Picoseconds timeout_;
  Picoseconds freeze_at_;  ///< the first acknowledgement or NACK from then on freezes it
  std::uint32_t explore_packets_;
  double suspect_rtt_;
  RepsExit exit_;
  RepsExitOn exit_on_;
  RepsFrozenRead frozen_read_;
  bool freezing_;
  bool trimming_;
};

}  // namespace horae::policy
