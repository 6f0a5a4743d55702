// No congestion control: line rate always, and no CNPs.
#include "horae/policy/congestion/dcqcn.hpp"

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

std::unique_ptr<ReactionPoint> make_no_reaction(const CongestionConfig&, BitRate line) {
  return std::make_unique<LineRate>(line);
}
std::unique_ptr<NotificationPoint> make_no_notification(const CongestionConfig&) {
  return std::make_unique<Silent>();
}

}  // namespace horae::policy
