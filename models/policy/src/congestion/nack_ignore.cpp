#include "horae/policy/congestion/nack_reaction.hpp"

namespace horae::policy {
namespace {

// Retransmission is the transport's, and nothing else happens.
class Ignore final : public NackReaction {
 public:
  void on_nack(RateLimiter&, Picoseconds) override {}
};

}  // namespace

NackReactionEntry ignore_reaction() {
  return {.name = "ignore",
          .doc = "a NACK does not change the rate",
          .make = [](const PolicyParameters&) -> std::unique_ptr<NackReaction> {
            return std::make_unique<Ignore>();
          },
          .acts = false};
}

}  // namespace horae::policy
