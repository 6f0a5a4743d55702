// Reactions of congestion control to a NACK: they act on the rate limiter of DCQCN.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "horae/policy/congestion/congestion.hpp"

namespace horae::policy {

/// Effect of a NACK's cut on the target rate, to which the rate recovers.
enum class NackTarget {
  keep,      ///< nothing: recovery leads back to where it led before
  previous,  ///< the rate before the cut
  reset,     ///< the rate after the cut: only increases raise it again
};

/// Actions of a reaction on a queue pair's rate.
class RateLimiter {
 public:
  virtual ~RateLimiter() = default;
  /// As if a CNP had come.
  virtual void cnp(Picoseconds now) = 0;
  /// Leaves `kept` percent of the rate, though no less than the least rate; recovery starts over.
  /// A queue pair that was not limited is from now on, with the alpha of a first CNP.
  virtual void cut(std::uint32_t kept, NackTarget target, Picoseconds now) = 0;
  /// Alpha, its timer and the stages as after a first CNP; a CNP not yet acted on is forgotten.
  virtual void restart(Picoseconds now) = 0;
  /// No cut of any kind leaves less, from now on.
  virtual void set_floor(BitRate floor) = 0;
};

/// A reaction, one per queue pair.
class NackReaction {
 public:
  virtual ~NackReaction() = default;
  virtual void on_nack(RateLimiter& limiter, Picoseconds now) = 0;
  /// Once, before anything else.
  virtual void start(RateLimiter&, BitRate /*line*/) {}
};

/// Whether the responder sends a CNP with a NACK.
enum class NackCnp {
  none,
  paced,    ///< no sooner than the interval between CNPs allows
  at_once,  ///< always
};

/// Everything needed to list, read and build a reaction.
struct NackReactionEntry {
  std::string_view name;
  std::string_view doc;
  std::unique_ptr<NackReaction> (*make)(const PolicyParameters&);
  /// Keys of its own beside those of the algorithms.
  std::vector<OwnParameters> parameters = {};
  /// Null: NackCnp::none.
  NackCnp (*cnp_with_nack)(const PolicyParameters&) = nullptr;
  /// False: it does nothing, and goes with an algorithm that controls no rates.
  bool acts = true;
};

/// All reactions, by name.
const std::vector<NackReactionEntry>& nack_reactions();
/// An unknown name is an InputError with the nearest one.
const NackReactionEntry& find_nack_reaction(std::string_view name);

/// At most one event per `gap`; the first is free.
class MinGap {
 public:
  explicit MinGap(Picoseconds gap) : gap_(gap) {}
  /// Whether an event may happen at `now`; if so, it did.
  bool take(Picoseconds now) {
    if (now < next_) return false;
    next_ = now + gap_;
    return true;
  }

 private:
  Picoseconds gap_;
  Picoseconds next_{};
};

// Parameters of the reactions, for who sets them in C++.

/// Parameters of `paired_cnp`.
struct NackPairedCnp {
  bool paced = true;  ///< its CNPs keep the interval between CNPs

  static const Schema<NackPairedCnp>& schema();
};

/// Parameters of `saturating_cut` and `slow_restart`.
struct NackCut {
  std::uint32_t rate_kept = 50;      ///< percent of the rate that a cut leaves
  Picoseconds min_gap = 300_us;      ///< between two cuts
  std::optional<NackTarget> target;  ///< absent: as the reaction has it

  static const Schema<NackCut>& schema();
};

/// Parameters of `floor`.
struct NackFloor {
  std::uint32_t percent = 50;  ///< of the line rate

  static const Schema<NackFloor>& schema();
};

}  // namespace horae::policy
