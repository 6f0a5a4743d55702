#include "horae/policy/congestion/nack_reaction.hpp"

namespace horae::policy {
namespace {

// Retransmission is the transport's, and nothing else happens.
class Ignore final : public NackReaction {
 public:
  void on_nack(RateLimiter&, Picoseconds) override {}
};

}  // namespace

std::unique_ptr<NackReaction> make_nack_ignore(const CongestionConfig&) {
  return std::make_unique<Ignore>();
}

}  // namespace horae::policy
