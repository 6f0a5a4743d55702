// For plug-ins: one more policy. Each of these is called before anybody asks what there is, and
// refuses a name that is taken (Registry::add).
#pragma once

#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/congestion/congestion.hpp"
#include "horae/policy/congestion/nack_reaction.hpp"
#include "horae/policy/entropy/entropy.hpp"
#include "horae/policy/ordering/ordering.hpp"
#include "horae/policy/retransmit/retransmit.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::policy {

void add_load_balancer(BalancerEntry entry);
void add_entropy_scheme(EntropyEntry entry);
void add_transport(TransportEntry entry);
void add_congestion_algorithm(CongestionEntry entry);
void add_nack_reaction(NackReactionEntry entry);
void add_retransmit_policy(RetransmitEntry entry);
void add_ordering_engine(OrderingEntry entry);

}  // namespace horae::policy
