// No congestion control: line rate always, and no CNPs.
#include "horae/policy/congestion/congestion.hpp"

namespace horae::policy {
namespace {

class LineRate final : public ReactionPoint {
 public:
  explicit LineRate(BitRate line) : line_(line) {}

  void on_cnp(Picoseconds) override {}
  void on_nack(Picoseconds) override {}
  void on_sent(Bytes, Picoseconds) override {}
  BitRate rate(Picoseconds) override { return line_; }

 private:
  BitRate line_;
};

class Silent final : public NotificationPoint {
 public:
  bool on_data(bool, Picoseconds) override { return false; }
  bool on_nack_sent(Picoseconds) override { return false; }
};

}  // namespace

CongestionEntry no_congestion() {
  return {.name = "none",
          .doc = "no congestion control: line rate, no CNPs",
          .make_reaction = [](const CongestionConfig&, BitRate line, Bytes)
              -> std::unique_ptr<ReactionPoint> { return std::make_unique<LineRate>(line); },
          .make_notification = [](const CongestionConfig&) -> std::unique_ptr<NotificationPoint> {
            return std::make_unique<Silent>();
          },
          .check = [](const CongestionConfig& config, BitRate) { refuse_acting_reactions(config); },
          .controls_rates = false};
}

}  // namespace horae::policy
