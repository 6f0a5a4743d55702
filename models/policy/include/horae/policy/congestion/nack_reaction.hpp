// What congestion control does about a NACK: reactions that act on the rate limiter of DCQCN.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "horae/policy/congestion/congestion.hpp"

namespace horae::policy {

/// What a reaction may do to a queue pair's rate.
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

/// Everything needed to list and build a reaction.
struct NackReactionEntry {
  std::string_view name;
  std::string_view doc;
  bool cnp_with_nack;  ///< the responder sends a CNP with a NACK
  std::unique_ptr<NackReaction> (*make)(const CongestionConfig&);
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

// The factories, one per file of src/congestion.
std::unique_ptr<NackReaction> make_nack_ignore(const CongestionConfig& config);
std::unique_ptr<NackReaction> make_nack_cnp(const CongestionConfig& config);
std::unique_ptr<NackReaction> make_nack_paired_cnp(const CongestionConfig& config);
std::unique_ptr<NackReaction> make_nack_saturating_cut(const CongestionConfig& config);
std::unique_ptr<NackReaction> make_nack_floor(const CongestionConfig& config);
std::unique_ptr<NackReaction> make_nack_slow_restart(const CongestionConfig& config);

}  // namespace horae::policy
