#include "horae/policy/catalogue.hpp"

#include <fmt/format.h>

#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/congestion/nack_reaction.hpp"
#include "horae/policy/entropy/entropy.hpp"
#include "horae/policy/ordering/ordering.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/retransmit/retransmit.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::policy {
namespace {

template <class Entry>
std::vector<ListedPolicy> listed(const std::vector<Entry>& registry) {
  std::vector<ListedPolicy> out;
  for (const Entry& entry : registry) {
    std::string doc(entry.doc);
    if constexpr (requires { entry.hypothesis; })
      doc = fmt::format("{}: {}", entry.hypothesis, doc);
    out.push_back({entry.name, doc, schema_of(entry.parameters).describe()});
  }
  return out;
}

}  // namespace

const std::vector<ListedSeam>& policy_seams() {
  static const std::vector<ListedSeam> all = {
      {"balance", "balance", false, listed(load_balancers())},
      {"entropy", "entropy.scheme", false, listed(entropy_schemes())},
      {"transport", "transport", false, listed(transports())},
      {"congestion", "congestion.algorithm", false, listed(congestion_algorithms())},
      {"nack_reaction", "congestion.nack_reaction", false, listed(nack_reactions())},
      {"retransmit", "retransmit.policies", true, listed(retransmit_policies())},
      {"ordering", "ordering.engine", false, listed(ordering_engines())},
  };
  return all;
}

}  // namespace horae::policy
