// TargetFlows: CNP_Cache and CNP_Store.
#include "reaction_point.hpp"

namespace horae::programs::pnp_trp {

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
      cnp_cache_(pipeline, in, "cnp_cache", config.cnp_cache_entries, 0,
                 {matches(flow_hash_), guarded_by(cnp_goes_out_), guarded_by(data_comes_in_)}),
      to_cpu_(pipeline, in, "cnp_to_cpu", {}, {guarded_by(cnp_goes_out_)}),
      is_uncached_(pipeline, in, "is_uncached", {.kind = ConditionKind::bit}, {},
                   {matches(cnp_cache_), guarded_by(data_comes_in_)}),
      cnp_store_(
          pipeline, in, "cnp_store",
          {.key_bits = 56, .entries = config.cnp_store_entries, .reads = {"key.node", "key.qp"}},
          {matches(data_key_), guarded_by(is_uncached_)}),
      is_target_(pipeline, in, "is_target",
                 {.kind = ConditionKind::bit, .bits = 1, .terms = 3, .join = Join::any}, {},
                 {matches(cnp_cache_), matches(cnp_store_), guarded_by(is_data)}) {}

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

std::optional<std::uint32_t> TargetFlows::peer(const Pass& pass) {
  const Packet& p = pass.header();
  if (!peer_qp_) {
    literal_key_->run(pass, [] {});
    return p.dest_qp.value();
  }
  const std::uint32_t* known = peer_qp_->lookup(pass, {p.dst, p.dest_qp.value()});
  return known == nullptr ? std::nullopt : std::optional(*known);
}

std::optional<std::uint32_t> TargetFlows::add(const Pass& pass, bool remote) {
  const Packet& p = pass.header();
  if (!is_cnp_.test(pass, number(p.opcode))) return std::nullopt;
  const auto qp = peer(pass);
  if (!cnp_goes_out_.test(pass, number(p.opcode), bit(remote), bit(qp.has_value())))
    return std::nullopt;
  const Endpoint flow{p.src, *qp};
  const std::uint32_t hash = flow_hash_.of(pass, {flow.node, flow.qp});
  cnp_cache_.apply(pass, hash % cnp_cache_.entries(), [&](std::uint32_t& cell) { cell = hash; });
  to_cpu_.run(pass, [&] { report(flow, hash); });
  return hash;
}

std::optional<std::uint32_t> TargetFlows::find(const Pass& pass, bool remote, bool looped) {
  const Packet& p = pass.header();
  const Endpoint flow{p.dst, p.dest_qp.value()};
  data_key_.run(pass, [] {});
  const std::uint32_t hash = flow_hash_.of(pass, {flow.node, flow.qp});
  bool cached = false, stored = false;
  if (data_comes_in_.test(pass, remote, looped)) {
    cached = cnp_cache_.apply(pass, hash % cnp_cache_.entries(),
                              [&](const std::uint32_t& cell) { return cell == hash; });
    if (is_uncached_.test(pass, !cached)) stored = cnp_store_.lookup(pass, flow) != nullptr;
  }
  if (!is_target_.test(pass, cached, stored, looped)) return std::nullopt;
  return hash;
}

void TargetFlows::report(const Endpoint& flow, std::uint32_t hash) {
  control_.begin([this, flow, hash] {
    if (cnp_store_.size() < cnp_store_.capacity())
      cnp_store_.insert(flow, {});
    else
      ++not_added_;  // as far as it goes: nothing says when a flow leaves the table again
    // The driver reads before it writes, so it clears no newer flow's.
    const std::size_t index = hash % cnp_cache_.entries();
    if (cnp_cache_.read(index) == hash) cnp_cache_.write(index, 0);
  });
}

void TargetFlows::install(const Connection& c) {
  if (!peer_qp_ || peer_qp_->size() == peer_qp_->capacity()) return;
  peer_qp_->insert({c.sender, c.sender_qp.value()}, c.receiver_qp.value());
}

}  // namespace horae::programs::pnp_trp
