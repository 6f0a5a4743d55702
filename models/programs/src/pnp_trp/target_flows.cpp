#include "target_flows.hpp"

#include <algorithm>

namespace horae::programs::pnp_trp {
namespace {

/// With two places to look, and as a packet that loops is a target anyway.
ConditionSpec any_of(std::uint32_t terms) {
  return {.kind = ConditionKind::bit, .bits = 1, .terms = terms, .join = Join::any};
}

}  // namespace

TargetFlows::Cache::Cache(dataplane::Pipeline& pipeline, std::size_t entries,
                          const dataplane::Needs& needs)
    : array(pipeline, in, "cnp_cache", entries, 0, needs),
      set(pipeline, array, "set"),
      is(pipeline, array, "is") {}

TargetFlows::TargetFlows(dataplane::Pipeline& pipeline, const PnpTrpConfig& config,
                         ControlPlane& control, const dataplane::Gateway& is_data,
                         const dataplane::Object& routes)
    : control_(control),
      is_cnp_(pipeline, in, "is_cnp", {.bits = 8, .reads = {"bth.opcode"}}, {number(Opcode::cnp)}),
      cnp_key_(key_of_cnp(pipeline, config)),
      data_key_(pipeline, in, "data_key", {.writes = {"key"}}, {guarded_by(is_data)}),
      flow_hash_(pipeline, in, "flow_hash",
                 {.input_bits = 56, .output_bits = 32, .reads = {"key.node", "key.qp"}},
                 {matches(*cnp_key_), matches(data_key_)}),
      // A CNP that leaves and whose flow is known.
      cnp_goes_out_(pipeline, in, "cnp_goes_out",
                    {.bits = 8, .terms = 3, .reads = {"bth.opcode", "remote", "key.known"}},
                    {number(Opcode::cnp), 1, 1}, {matches(routes), matches(*cnp_key_)}),
      data_comes_in_(pipeline, in, "data_comes_in",
                     {.bits = 8, .terms = 2, .reads = {"remote", "loop.valid"}}, {0, 0},
                     {matches(routes), guarded_by(is_data)}),
      is_target_(pipeline, in, "is_target", any_of(config.target == TargetLookup::both ? 3 : 2), {},
                 make_tables(pipeline, config, is_data)) {}

/// A CNP names the client's queue pair, the data that is to be slowed the server's: the paper
/// hashes the one and the other and takes them for the same, which they are not. The table finds
/// the server's; without it the fields are taken as the paper has them.
const dataplane::Object* TargetFlows::key_of_cnp(dataplane::Pipeline& pipeline,
                                                 const PnpTrpConfig& config) {
  if (config.peer_entries == 0) {
    return &literal_key_.emplace(pipeline, in, "cnp_key", dataplane::ActionSpec{.writes = {"key"}},
                                 dataplane::Needs{guarded_by(is_cnp_)});
  }
  return &peer_qp_.emplace(pipeline, in, "peer_qp",
                           dataplane::MatchSpec{.key_bits = 56,
                                                .entries = config.peer_entries,
                                                .data_bits = 24,
                                                .reads = {"ip.dst", "bth.dest_qp"}},
                           dataplane::Needs{guarded_by(is_cnp_)});
}

/// Where data packets look; what `is_target` needs of it.
dataplane::Needs TargetFlows::make_tables(dataplane::Pipeline& pipeline, const PnpTrpConfig& config,
                                          const dataplane::Gateway& is_data) {
  using dataplane::Needs;
  Needs needs;
  const dataplane::Gateway* looks_in_store = &data_comes_in_;
  if (config.target != TargetLookup::store) {
    cnp_cache_.emplace(
        pipeline, config.cnp_cache_entries,
        Needs{matches(flow_hash_), guarded_by(cnp_goes_out_), guarded_by(data_comes_in_)});
    needs.push_back(matches(cnp_cache_->array));
  }
  if (config.target != TargetLookup::cache)
    to_cpu_.emplace(pipeline, in, "cnp_to_cpu", dataplane::ActionSpec{},
                    Needs{guarded_by(cnp_goes_out_)});
  if (config.target == TargetLookup::both) {
    looks_in_store = &is_uncached_.emplace(
        pipeline, in, "is_uncached", ConditionSpec{.kind = ConditionKind::bit},
        std::vector<std::uint64_t>{},
        Needs{matches(cnp_cache_->array), guarded_by(data_comes_in_)});
  }
  if (config.target != TargetLookup::cache) {
    cnp_store_.emplace(
        pipeline, in, "cnp_store",
        dataplane::MatchSpec{
            .key_bits = 56, .entries = config.cnp_store_entries, .reads = {"key.node", "key.qp"}},
        Needs{matches(data_key_), guarded_by(*looks_in_store)});
    needs.push_back(matches(*cnp_store_));
  }
  needs.push_back(guarded_by(is_data));
  return needs;
}

std::optional<std::uint32_t> TargetFlows::peer(const PassKind auto& pass) {
  const Packet& p = pass.header();
  if (!peer_qp_) {
    literal_key_->run(pass, [] {});
    return p.dest_qp.value();
  }
  const std::uint32_t* known = peer_qp_->lookup(pass, {p.dst, p.dest_qp.value()});
  return known == nullptr ? std::nullopt : std::optional(*known);
}

std::optional<Target> TargetFlows::add(const PassKind auto& pass, bool remote) {
  const Packet& p = pass.header();
  if (!is_cnp_.test(pass, number(p.opcode))) return std::nullopt;
  const auto qp = peer(pass);
  if (remote && !qp) ++counts_.unknown;
  if (!cnp_goes_out_.test(pass, number(p.opcode), bit(remote), bit(qp.has_value())))
    return std::nullopt;
  Target target{.flow = {p.src, *qp}};
  target.hash = flow_hash_.of(pass, {target.flow.node, target.flow.qp});
  if (cnp_cache_) {
    cnp_cache_->set.run(pass, target.hash % cnp_cache_->array.entries(), target.hash);
  }
  if (to_cpu_) to_cpu_->run(pass, [&] { report(target); });
  return target;
}

std::optional<Target> TargetFlows::find(const PassKind auto& pass, bool remote, bool looped) {
  const Packet& p = pass.header();
  Target target{.flow = {p.dst, p.dest_qp.value()}};
  data_key_.run(pass, [] {});
  target.hash = flow_hash_.of(pass, {target.flow.node, target.flow.qp});
  const bool comes_in = data_comes_in_.test(pass, remote, looped);
  bool cached = false, stored = false;
  if (comes_in && cnp_cache_) {
    cached = cnp_cache_->is.run(pass, target.hash % cnp_cache_->array.entries(), target.hash);
  }
  if (comes_in && cnp_store_ && (!is_uncached_ || is_uncached_->test(pass, !cached)))
    stored = cnp_store_->lookup(pass, target.flow) != nullptr;
  const bool is_one = cnp_cache_ && cnp_store_ ? is_target_.test(pass, cached, stored, looped)
                                               : is_target_.test(pass, cached || stored, looped);
  return is_one ? std::optional(target) : std::nullopt;
}

void TargetFlows::report(const Target& target) {
  control_.begin([this, target] {
    if (!over_ || !over_(target)) store(target);
    // The driver reads before it writes, so it clears no newer flow's.
    if (!cnp_cache_) return;
    const std::size_t index = target.hash % cnp_cache_->array.entries();
    if (cnp_cache_->array.read(index) == target.hash) cnp_cache_->array.write(index, 0);
  });
}

void TargetFlows::store(const Target& target) {
  if (cnp_store_->size() == cnp_store_->capacity() && !stored(target)) {
    ++counts_.not_stored;
    return;
  }
  cnp_store_->insert(target.flow, {});
  counts_.most_stored = std::max<std::uint64_t>(counts_.most_stored, cnp_store_->size());
}

void TargetFlows::remove(const Target& target) {
  cnp_store_->erase(target.flow);
  ++counts_.removed;
}

void TargetFlows::install(const Connection& c) {
  if (!peer_qp_) return;
  if (peer_qp_->size() == peer_qp_->capacity()) {
    ++counts_.no_peer;
    return;
  }
  peer_qp_->insert({c.sender, c.sender_qp.value()}, c.receiver_qp.value());
  counts_.most_peers = std::max<std::uint64_t>(counts_.most_peers, peer_qp_->size());
}

std::optional<Target> TargetFlows::uninstall(const Connection& c) {
  if (peer_qp_) peer_qp_->erase({c.sender, c.sender_qp.value()});
  // Without the table of peers the CNPs' queue pair stood for the data's.
  const Qpn named = peer_qp_ ? c.receiver_qp : c.sender_qp;
  Target target{.flow = {c.receiver, named.value()}};
  if (!stored(target)) return std::nullopt;
  target.hash = flow_hash_.value({target.flow.node, target.flow.qp});
  cnp_store_->erase(target.flow);
  return target;
}

void TargetFlows::add_occupancies(std::vector<Occupancy>& out) const {
  if (peer_qp_) out.push_back({"peer_qp", peer_qp_->size(), peer_qp_->capacity()});
  if (cnp_store_) out.push_back({"cnp_store", cnp_store_->size(), cnp_store_->capacity()});
}

template std::optional<Target> TargetFlows::add(const Pass&, bool);
template std::optional<Target> TargetFlows::add(const TrustedPass&, bool);
template std::optional<Target> TargetFlows::find(const Pass&, bool, bool);
template std::optional<Target> TargetFlows::find(const TrustedPass&, bool, bool);

}  // namespace horae::programs::pnp_trp
