// HPCC: the window that keeps what is in flight just below the capacity of the fullest link (Li et
// al., SIGCOMM 2019).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "horae/policy/congestion/congestion.hpp"

namespace horae::policy {

struct HpccParameters {
  double utilisation = 0.95;       ///< eta
  std::uint32_t max_stage = 5;     ///< additive steps in a row
  Bytes additive_increase = 80_B;  ///< W_AI
  Picoseconds base_rtt = 13_us;    ///< T
  bool window = true;              ///< new data also waits for the window; false: the rate only
  BitRate min_rate{100'000'000};   ///< least W / T
  std::uint32_t max_hops = 14;     ///< longer stacks are not used
  Picoseconds stale = 8_ms;        ///< a stack is not compared with one that is older

  static const Schema<HpccParameters>& schema();
};

/// The parameters of the algorithm `hpcc`; absent: all defaults.
struct HpccConfig {
  std::optional<HpccParameters> values{};

  static const Schema<HpccConfig>& schema();
};

/// Algorithm 1 of the paper. W is in bytes of the wire, as the records count them, and R = W / T.
/// Starts at the line's rate. A first stack, one from other switches than the last one, and one
/// that comes long after it are only kept.
class Hpcc final : public ReactionPoint {
 public:
  Hpcc(const HpccParameters& parameters, BitRate line);

  void on_cnp(Picoseconds) override {}
  void on_nack(Picoseconds) override {}
  void on_sent(Bytes, Picoseconds) override {}
  BitRate rate(Picoseconds) override { return rate_; }
  void on_ack(const AckReport& ack, Picoseconds now) override;
  Bytes window() const override {
    return p_.window ? Bytes(static_cast<std::int64_t>(w_)) : no_window;
  }

  // State, for tests and those who watch.
  double window_bytes() const { return w_; }
  double reference() const { return wc_; }
  double in_flight() const { return u_; }  ///< U: what is in flight, over B x T
  std::uint32_t stage() const { return stage_; }

 private:
  bool comparable(const AckReport& ack, Picoseconds now) const;
  void keep(const AckReport& ack, Picoseconds now);
  void measure(const AckReport& ack);
  void react(bool whole_round);

  HpccParameters p_;
  double line_bytes_;  ///< B x T of the NIC: W at the start, and at most
  double least_;
  BitRate line_;
  BitRate rate_;
  double w_;
  double wc_;
  double u_ = 1.0;
  std::uint32_t stage_ = 0;
  Psn round_end_;  ///< lastUpdateSeq
  std::array<HopRecord, Feedback::most_hops> last_{};
  std::uint32_t hops_ = 0;  ///< of `last_`; 0: none
  std::uint16_t path_ = 0;
  Picoseconds last_at_{};
};

}  // namespace horae::policy
