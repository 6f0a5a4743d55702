// No congestion control: line rate always, and no CNPs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horae/core/error.hpp"
#include "horae/policy/congestion/nack_reaction.hpp"

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

void refuse_acting_reactions(const CongestionConfig& config, BitRate) {
  const NackReactionEntry& reaction = find_nack_reaction(config.nack_reaction);
  if (!reaction.acts) return;
  std::vector<std::string> others;
  for (const CongestionEntry& entry : congestion_algorithms()) {
    if (entry.controls_rates) others.push_back(fmt::format("'{}'", entry.name));
  }
  throw InputError(fmt::format(
      "nack_reaction = '{}' acts on the rates of algorithm = {}, but algorithm = 'none'",
      reaction.name, fmt::join(others, " or ")));
}

}  // namespace

CongestionEntry no_congestion() {
  return {
      .name = "none",
      .doc = "no congestion control: line rate, no CNPs",
      .make_reaction = [](const CongestionConfig&, BitRate line) -> std::unique_ptr<ReactionPoint> {
        return std::make_unique<LineRate>(line);
      },
      .make_notification = [](const CongestionConfig&) -> std::unique_ptr<NotificationPoint> {
        return std::make_unique<Silent>();
      },
      .check = refuse_acting_reactions,
      .controls_rates = false};
}

}  // namespace horae::policy
