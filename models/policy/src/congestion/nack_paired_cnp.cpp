#include "horae/policy/congestion/nack_reaction.hpp"

namespace horae::policy {
namespace {

// The simulator of ConWeave (SIGCOMM 2023) sends a CNP with every out-of-order NACK. The receiver
// does it (NackReactionEntry::cnp_with_nack), so it works where a switch drops the NACKs: CNPs
// pass. The sender has nothing to do with the NACK itself.
class PairedCnp final : public NackReaction {
 public:
  void on_nack(RateLimiter&, Picoseconds) override {}
};

}  // namespace

std::unique_ptr<NackReaction> make_nack_paired_cnp(const CongestionConfig&) {
  return std::make_unique<PairedCnp>();
}

}  // namespace horae::policy
