// DCQCN's reaction point and notification point.
#pragma once

#include <cstdint>
#include <memory>

#include "horae/policy/congestion/dcqcn_parameters.hpp"
#include "horae/policy/congestion/nack_reaction.hpp"

namespace horae::policy {

/// The reaction point: both forms, with any set of parameters.
///
/// Rates are whole bit/s: a cut rounds what it takes down, an increase rounds up, so that the rate
/// reaches its target. Alpha has 30 fraction bits and is rounded down. Timers run when asked: a
/// call first runs every timer expired by `now`, in time order, at equal times alpha, then
/// increase, then cut. The queue pair is limited from its first CNP, or first cut by a NACK, on;
/// until then there are no timers and no bytes are counted.
class Dcqcn final : public ReactionPoint, private RateLimiter {
 public:
  /// 1.0 of alpha.
  static constexpr std::uint64_t alpha_one = std::uint64_t{1} << 30;

  /// `reaction` not null; the least rate at most `line`.
  Dcqcn(const DcqcnParameters& parameters, BitRate line, std::unique_ptr<NackReaction> reaction);

  void on_cnp(Picoseconds now) override;
  void on_nack(Picoseconds now) override;
  void on_sent(Bytes wire, Picoseconds now) override;
  BitRate rate(Picoseconds now) override {
    if (now >= next_) [[unlikely]]
      run(now);
    return rate_;
  }

  // The rest of the state, as of `now`.
  BitRate target(Picoseconds now) { return rate(now), target_; }
  std::uint64_t alpha(Picoseconds now);  ///< out of `alpha_one`
  bool limited(Picoseconds now) { return rate(now), limited_; }
  std::uint32_t time_stage(Picoseconds now) { return rate(now), time_stage_; }
  std::uint32_t byte_stage(Picoseconds now) { return rate(now), byte_stage_; }

 private:
  void cnp(Picoseconds now) override;
  void cut(std::uint32_t kept, NackTarget target, Picoseconds now) override;
  void restart(Picoseconds now) override;
  void set_floor(BitRate floor) override;

  void run(Picoseconds now);
  void run_alpha(Picoseconds now);
  void limit(Picoseconds now);
  void release();
  void congestion_cut(Picoseconds now);
  void lower(BitRate rate);
  void restart_recovery(Picoseconds now);
  void rate_tick(Picoseconds now);
  void increase();
  void release_if_recovered();
  void plan() { next_ = rate_due_ < cut_due_ ? rate_due_ : cut_due_; }

  DcqcnParameters p_;
  BitRate line_;
  BitRate floor_;
  Bytes bytes_per_stage_;  // zero: the byte counter is off
  std::unique_ptr<NackReaction> reaction_;

  BitRate rate_;
  BitRate target_;
  Picoseconds next_ = never;  // rate_due_ or cut_due_, whichever is first
  Picoseconds rate_due_ = never;
  Picoseconds cut_due_ = never;  // `never` also while there is nothing to cut for
  Picoseconds monitor_start_{};  // the cut periods are counted from here
  Picoseconds alpha_due_ = never;
  std::uint64_t alpha_ = 0;
  Bytes bytes_{};  // since the last byte stage
  std::uint32_t time_stage_ = 0;
  std::uint32_t byte_stage_ = 0;
  bool alpha_saw_cnp_ = false;
  bool limited_ = false;
};

/// The receiver's side of DCQCN with the parameters of `config`.
std::unique_ptr<NotificationPoint> make_dcqcn_notification(const CongestionConfig& config);

}  // namespace horae::policy
