#include "horae/policy/congestion/nack_reaction.hpp"
#include "horae/policy/own_parameters.hpp"

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

const Schema<NackPairedCnp>& NackPairedCnp::schema() {
  static const Schema<NackPairedCnp> s =
      Schema<NackPairedCnp>("paired_cnp", "CNPs that go with NACKs.")
          .field("nack_cnp_paced", &NackPairedCnp::paced,
                 {.doc = "paired_cnp: CNPs sent with NACKs also keep to dcqcn.cnp_interval",
                  .source = "no public value; MIN_TIME_BETWEEN_CNPS names no exception",
                  .verified = false});
  return s;
}

NackReactionEntry paired_cnp_reaction() {
  return {.name = "paired_cnp",
          .doc = "the receiver sends a CNP with every NACK",
          .make = [](const PolicyParameters&) -> std::unique_ptr<NackReaction> {
            return std::make_unique<PairedCnp>();
          },
          .parameters = {keys_of<NackPairedCnp>()},
          .cnp_with_nack =
              [](const PolicyParameters& parameters) {
                return parameters.of<NackPairedCnp>().paced ? NackCnp::paced : NackCnp::at_once;
              }};
}

}  // namespace horae::policy
