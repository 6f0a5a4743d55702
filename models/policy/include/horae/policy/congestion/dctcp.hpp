// DCTCP: a window that a round trip's share of marks cuts (Alizadeh et al., SIGCOMM 2010; RFC
// 8257).
#pragma once

#include <cstdint>
#include <optional>

#include "horae/policy/congestion/congestion.hpp"

namespace horae::policy {

struct DctcpParameters {
  double gain = 1.0 / 16;  ///< g
  double initial_alpha = 1.0;
  std::optional<Bytes> increase{};  ///< per round trip, and the least window; absent: the MTU
  Bytes initial_window = 128_KiB;

  static const Schema<DctcpParameters>& schema();
};

/// The parameters of the algorithm `dctcp`; absent: all defaults.
struct DctcpConfig {
  std::optional<DctcpParameters> values{};

  static const Schema<DctcpConfig>& schema();
};

/// The window. A round ends when what was sent next at its begin is acknowledged. Then alpha moves
/// by `gain` towards the share of acknowledgements that were marked. The first mark cuts the window
/// by alpha / 2, a NACK by half; no other cut, and no increase, before what was sent by then is
/// acknowledged. Otherwise the window grows by `increase` a round. A timeout leaves one `increase`.
/// There is no slow start. The rate is the line's.
class Dctcp final : public ReactionPoint {
 public:
  Dctcp(const DctcpParameters& parameters, BitRate line, Bytes mtu);

  void on_cnp(Picoseconds) override {}
  void on_nack(Picoseconds) override { cut(0.5); }
  void on_sent(Bytes, Picoseconds) override {}
  BitRate rate(Picoseconds) override { return line_; }
  void on_ack(const AckReport& ack, Picoseconds now) override;
  void on_timeout(Picoseconds) override;
  Bytes window() const override { return Bytes(static_cast<std::int64_t>(window_)); }

  double alpha() const { return alpha_; }

 private:
  void cut(double share);

  DctcpParameters p_;
  double packet_;  ///< bytes
  BitRate line_;
  double window_;
  double alpha_;
  std::uint32_t acks_ = 0;    ///< of this round
  std::uint32_t marked_ = 0;  ///< of those
  std::optional<Psn> round_end_{};
  std::optional<Psn> reduced_until_{};  ///< it was cut: nothing changes before that is acknowledged
  Psn next_new_;                        ///< as of the last acknowledgement
};

}  // namespace horae::policy
