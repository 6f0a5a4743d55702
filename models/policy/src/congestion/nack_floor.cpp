#include "horae/policy/congestion/nack_reaction.hpp"

namespace horae::policy {
namespace {

// The floor holds for CNPs too: it is a limit of the queue pair's rate, not of one cause.
class Floor final : public NackReaction {
 public:
  explicit Floor(const CongestionConfig& config) : percent_(config.nack_floor) {}

  void start(RateLimiter& limiter, BitRate line) override {
    limiter.set_floor(line * percent_ / 100);
  }
  void on_nack(RateLimiter& limiter, Picoseconds now) override { limiter.cnp(now); }

 private:
  std::uint32_t percent_;
};

}  // namespace

std::unique_ptr<NackReaction> make_nack_floor(const CongestionConfig& config) {
  return std::make_unique<Floor>(config);
}

}  // namespace horae::policy
