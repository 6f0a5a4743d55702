#include "horae/policy/congestion/nack_reaction.hpp"

namespace horae::policy {
namespace {

// No vendor documents it; the simplest reaction that would slow a sender which gets NACKs.
class AsCnp final : public NackReaction {
 public:
  void on_nack(RateLimiter& limiter, Picoseconds now) override { limiter.cnp(now); }
};

}  // namespace

NackReactionEntry cnp_reaction() {
  return {.name = "cnp",
          .doc = "a NACK acts like a CNP",
          .make = [](const PolicyParameters&) -> std::unique_ptr<NackReaction> {
            return std::make_unique<AsCnp>();
          }};
}

}  // namespace horae::policy
