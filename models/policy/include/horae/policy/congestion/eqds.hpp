// EQDS (Olteanu et al., "An edge-queued datagram service for all datacenter traffic", NSDI 2022):
// after a start credit a sender sends what its receiver pulls.
#pragma once

#include <algorithm>
#include <boost/container/deque.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "horae/policy/congestion/credits.hpp"

namespace horae::policy {

struct EqdsCredits {
  Bytes start_credit = 615'641_B;
  double pull_share = 0.99;  ///< of the receiver's line, for all that it pulls

  static const Schema<EqdsCredits>& schema();
};

/// The parameters of the algorithm `eqds`; absent: all defaults.
struct EqdsConfig {
  std::optional<EqdsCredits> values{};

  static const Schema<EqdsConfig>& schema();
};

/// A packet goes while there is any credit. A message that is posted while nothing waits finds the
/// start credit less what is in flight; everything else is pulled. A packet that timed out gives
/// its credit back, as no queue holds it; one that was trimmed has to be pulled again.
class EqdsReaction final : public CreditedReaction {
 public:
  EqdsReaction(const EqdsCredits& parameters, BitRate line)
      : start_(parameters.start_credit.count()), line_(line) {}

  void on_cnp(Picoseconds) override {}
  void on_nack(Picoseconds) override {}
  void on_sent(Bytes, Picoseconds) override {}
  BitRate rate(Picoseconds) override { return line_; }
  void on_lost(const LossReport& loss, Picoseconds) override {
    if (loss.timeout) credit_ += loss.payload.count();
  }
  Bytes window() const override { return credit_ > 0 ? no_window : 0_B; }

  std::uint32_t on_spent(Bytes payload, Bytes waits) override;
  void on_pull(std::uint32_t granted) override;
  void settle(Bytes in_flight, bool fresh) override;
  void on_starved() override;

  /// Payload that may go now; the last packet may take it below zero.
  std::int64_t credit() const { return credit_; }

 private:
  std::int64_t start_;
  BitRate line_;
  std::int64_t credit_ = 0;
  std::uint32_t heard_ = 0;      ///< granted, by the last pull
  std::uint32_t from_ = 0;       ///< what is granted or taken to be lost: announcements add to it
  std::uint32_t announced_ = 0;  ///< most of all
  bool fresh_ = false;           ///< the start credit is due
};

/// One packet for each queue pair that needs any, in turn.
class EqdsGrants final : public GrantPoint {
 public:
  /// `packet`: payload of a grant. `interval`: from one to the next.
  EqdsGrants(Bytes packet, Picoseconds interval) : packet_(packet), interval_(interval) {}

  void on_announced(std::size_t qp, std::uint32_t needed) override;
  void on_trimmed(std::size_t qp) override;
  bool any() const override { return !turns_.empty(); }
  Grant next() override;
  Picoseconds interval() const override { return interval_; }

 private:
  struct Sender {
    std::uint32_t needed = 0;
    std::uint32_t granted = 0;
    bool waits = false;  ///< among `turns_`
    std::int64_t backlog() const { return bytes_from(granted, needed); }
  };
  Sender& sender(std::size_t qp);
  void queue(std::size_t qp, Sender& s);

  Bytes packet_;
  Picoseconds interval_;
  std::vector<Sender> senders_;  ///< by queue pair
  boost::container::deque<std::uint16_t> turns_;
};

}  // namespace horae::policy
