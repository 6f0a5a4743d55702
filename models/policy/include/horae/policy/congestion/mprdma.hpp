// A window as MP-RDMA has it: every acknowledgement moves it by its own mark.
#pragma once

#include <optional>

#include "horae/policy/congestion/congestion.hpp"

namespace horae::policy {

struct MpRdmaWindow {
  std::optional<Bytes> packet{};  ///< unit of the increase, and the least window; absent: the MTU
  double decrease = 0.25;         ///< share of the bytes that a marked acknowledgement reports
  Bytes initial_window = 616'986_B;
  Bytes max_window = 615'641_B;

  static const Schema<MpRdmaWindow>& schema();
};

/// The parameters of the algorithm `mprdma`; absent: all defaults.
struct MpRdmaWindowConfig {
  std::optional<MpRdmaWindow> values{};

  static const Schema<MpRdmaWindowConfig>& schema();
};

/// An acknowledgement of n new bytes without a mark adds n * packet / window, up to `max_window`;
/// with a mark it takes `decrease` * n. A lost packet takes its size. The rate is the line's.
class MpRdmaReaction final : public ReactionPoint {
 public:
  MpRdmaReaction(const MpRdmaWindow& parameters, BitRate line, Bytes mtu);

  void on_cnp(Picoseconds) override {}
  void on_nack(Picoseconds) override { reduce(packet_); }
  void on_sent(Bytes, Picoseconds) override {}
  BitRate rate(Picoseconds) override { return line_; }
  void on_ack(const AckReport& ack, Picoseconds) override;
  void on_timeout(Picoseconds now) override { on_nack(now); }
  void on_lost(const LossReport& loss, Picoseconds) override {
    reduce(static_cast<double>(loss.payload.count()));
  }
  Bytes window() const override { return Bytes(static_cast<std::int64_t>(window_)); }

 private:
  void reduce(double bytes);

  MpRdmaWindow p_;
  double packet_;  ///< bytes
  BitRate line_;
  double window_;
};

}  // namespace horae::policy
