// NSCC: a window by marks and by the delay together, as Ultra Ethernet's simulator has it.
#pragma once

#include <optional>

#include "horae/policy/congestion/congestion.hpp"

namespace horae::policy {

struct NsccParameters {
  std::optional<Bytes> packet{};        ///< unit of windows, and the least one; absent: the MTU
  Picoseconds target = 6_us;            ///< T: delay of queues
  Bytes bdp = 416'856_B;                ///< bandwidth-delay product
  double gamma = 0.8;                   ///< strength of a decrease
  Picoseconds fast_delay = 1_us;        ///< a delay below it counts for the fast increase
  Bytes update_bytes = 8000_B;          ///< increases take effect after so many bytes ...
  Picoseconds update_interval = 12_us;  ///< ... or so much time
  Bytes initial_window = 616'986_B;
  Bytes max_window = 615'641_B;

  static const Schema<NsccParameters>& schema();
};

/// The parameters of the algorithm `nscc`; absent: all defaults.
struct NsccConfig {
  std::optional<NsccParameters> values{};

  static const Schema<NsccConfig>& schema();
};

/// Four cases by mark and delay (round trip less the smallest one): no mark and a delay below the
/// target: the window grows in proportion to what is missing; no mark and a longer delay: it grows
/// slowly; both: it is cut, at most once per round trip; a mark alone: nothing. A window without
/// any delay grows fast. After a loss, or with delays far above the target, what was delivered in
/// a round trip and a target becomes the window, if it is little. The rate is the line's.
class Nscc final : public ReactionPoint {
 public:
  Nscc(const NsccParameters& parameters, BitRate line, Bytes mtu);

  void on_cnp(Picoseconds) override {}
  void on_nack(Picoseconds now) override {
    on_lost({.payload = Bytes(static_cast<std::int64_t>(packet_))}, now);
  }
  void on_sent(Bytes, Picoseconds) override {}
  BitRate rate(Picoseconds) override { return line_; }
  void on_ack(const AckReport& ack, Picoseconds now) override;
  void on_timeout(Picoseconds now) override { on_nack(now); }
  void on_lost(const LossReport& loss, Picoseconds now) override;
  Bytes window() const override { return Bytes(static_cast<std::int64_t>(window_)); }

  double average_delay() const { return average_; }  ///< ps

 private:
  bool adapt_quickly(Picoseconds now);
  bool increase_fast(double bytes, bool marked, double delay);
  void decrease(Picoseconds now);
  void fulfil(double bytes, Picoseconds now);
  void clamp();

  NsccParameters p_;
  double packet_;  ///< bytes
  BitRate line_;
  double alpha_, fair_, eta_;  ///< bytes^2 / (ps byte), bytes^2 / byte, bytes
  double window_;
  double average_ = 0;        ///< of the delay, ps
  Picoseconds base_ = never;  ///< smallest round trip
  double increase_ = 0;       ///< to be divided by the window, bytes^2
  double since_update_ = 0;   ///< bytes acknowledged
  Picoseconds last_update_{};
  Picoseconds last_eta_{};
  Picoseconds last_decrease_{-1'000'000'000'000};
  double fast_bytes_ = 0;  ///< acknowledged without delay, in a row
  bool fast_ = false;
  // Quick adapt.
  Picoseconds adapt_end_{-1};  ///< of its interval; negative: none has begun
  double delivered_ = 0;       ///< bytes in the interval
  bool lost_ = false;          ///< something, in the interval
  double ignore_ = 0;          ///< bytes of acknowledgements that count no more
};

}  // namespace horae::policy
