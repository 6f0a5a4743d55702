// A penalty for each value, as in STrack: what the artifact of the REPS paper calls BitMap.
#include <algorithm>

#include "powers.hpp"

namespace horae::policy {
namespace {

constexpr std::uint8_t penalty_bits = 4;
constexpr std::uint8_t most_penalty = 15;

std::vector<StateField> bitmap_state(const EntropyConfig& config, std::uint32_t) {
  // Index and word are as wide as a source port: 1056 bits for 256 values.
  return {{"penalties", std::uint64_t{penalty_bits} * config.values}, {"index", 16}, {"word", 16}};
}

/// Goes through the values in turns and skips those with a penalty. The first one that it skips for
/// a packet loses 1 of it. After a whole turn of them the next one is taken as it is. A mark adds
/// 1, a trimmed packet 4; a timeout sets the most, 15.
class Bitmap final : public DrawingEntropy {
 public:
  Bitmap(const EntropyConfig& config, const EntropyContext& context)
      : DrawingEntropy(config, context),
        bits_(total_bits(bitmap_state(config, 0))),
        turn_(config.values) {
    turn_.start(draw());
  }

  std::uint16_t next(Picoseconds) override {
    if (!penalties_.empty()) skip();
    const std::uint16_t value = turn_.value();
    advance();
    return fixed_value(value);
  }
  void feedback(const EntropyFeedback& feedback, Picoseconds) override {
    if (feedback.signal == PathSignal::good || feedback.value >= values()) return;
    if (penalties_.empty()) penalties_.resize(values());
    std::uint8_t& penalty = penalties_[feedback.value];
    penalty = static_cast<std::uint8_t>(
        std::min<unsigned>(penalty + weight(feedback.signal), most_penalty));
  }
  std::uint64_t bits() const override { return bits_; }

 private:
  static unsigned weight(PathSignal signal) {
    return signal == PathSignal::marked ? 1u : signal == PathSignal::trimmed ? 4u : most_penalty;
  }
  void advance() {
    turn_.advance([this] { return draw(); });
  }
  void skip() {
    for (std::uint32_t skipped = 0; skipped < values(); ++skipped) {
      std::uint8_t& penalty = penalties_[turn_.value()];
      if (penalty == 0) return;
      if (skipped == 0) --penalty;
      advance();
    }
  }

  std::uint64_t bits_;
  Turn turn_;
  std::vector<std::uint8_t> penalties_{};  ///< empty: none has one
};

}  // namespace

EntropyEntry bitmap_entropy() {
  return {.name = "bitmap",
          .doc = "all values in turn but for those with a penalty, 4 bits each (like STrack)",
          .make = [](const EntropyConfig& config, EntropyContext&& context)
              -> std::unique_ptr<Entropy> { return std::make_unique<Bitmap>(config, context); },
          .state = bitmap_state,
          .check = require_power_of_two};
}

}  // namespace horae::policy
