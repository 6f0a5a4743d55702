#include "horae/replay/connection_learner.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "horae/core/verb.hpp"

namespace horae::replay {
namespace {

constexpr std::int64_t half_of_psns = 1 << 23;

}  // namespace

std::size_t ConnectionLearner::Hash::operator()(const Key& k) const {
  std::uint64_t h = (std::uint64_t{k.src} << 32 | k.dst) * 0x9e3779b97f4a7c15ULL ^ k.qp;
  h = (h ^ h >> 29) * 0xc2b2ae3d27d4eb4fULL;
  return h ^ h >> 32;
}

void ConnectionLearner::Range::extend(Psn psn) {
  last += psn - Psn(first + static_cast<std::int32_t>(last & 0xffffff));
  least = std::min(least, last);
  most = std::max(most, last);
}

void ConnectionLearner::see(const Packet& p, Picoseconds at) {
  // Packets of an atomic are numbered and answered as those of a WRITE are.
  const bool data = p.opcode <= Opcode::read_request || is_atomic(p.opcode);
  const bool answer = p.opcode == Opcode::acknowledge || p.opcode == Opcode::atomic_acknowledge;
  if (!data && !answer) return;
  const Key key =
      data ? Key{p.src, p.dst, p.dest_qp.value()} : Key{p.dst, p.src, p.dest_qp.value()};
  if (flows_.size() + responses_.size() >= ReplayConnections::most &&
      !(data ? flows_.contains(key) : responses_.contains(key))) {
    too_many_ += data ? 1 : 0;
    return;
  }
  if (data) {
    const auto [it, added] = flows_.try_emplace(key);
    Flow& flow = it->second;
    // Traces are read one after the other; the first packet is the earliest of all.
    if (added || at < flow.at) {
      if (added) flow.range.first = p.psn;
      flow.entropy = p.entropy;
      flow.at = at;
    }
    flow.range.extend(p.psn);
  } else {
    const auto [it, added] = responses_.try_emplace(key);
    if (added) it->second.first = p.psn;
    it->second.extend(p.psn);
  }
}

/// The smallest PSN, for paths reorder; of a flow that goes around, that of the packet seen first.
Psn ConnectionLearner::first_psn(const Range& data) {
  if (data.most - data.least >= half_of_psns) return data.first;
  return data.first + static_cast<std::int32_t>(data.least);
}

/// An acknowledgement names a packet that was sent, a NACK the one that is expected: one further at
/// most. Of a flow that goes around, any.
bool ConnectionLearner::encloses(const Range& data, const Range& responses) {
  if (data.most - data.least >= half_of_psns) return true;
  const std::int64_t offset = responses.first - data.first;
  return offset + responses.least >= data.least - 1 && offset + responses.most <= data.most + 1;
}

ReplayConnections ConnectionLearner::finish() const {
  // Between each two nodes: flows, and QPs that are answered to.
  struct Between {
    std::vector<std::pair<Key, const Flow*>> flows;
    std::vector<std::pair<Key, const Range*>> answered;
  };
  std::map<std::pair<NodeId, NodeId>, Between> pairs;
  for (const auto& [key, flow] : flows_) pairs[{key.src, key.dst}].flows.push_back({key, &flow});
  for (const auto& [key, range] : responses_) {
    const auto it = pairs.find({key.src, key.dst});
    if (it != pairs.end()) it->second.answered.push_back({key, &range});
  }
  struct Learned {
    Picoseconds at;
    Key key;
    programs::Connection connection;
  };
  std::vector<Learned> learned;
  ReplayConnections out;
  out.too_many = too_many_;
  constexpr std::size_t most_compared = 512;  // flows between two nodes; beyond, none is paired
  for (auto& [nodes, between] : pairs) {
    auto& flows = between.flows;
    auto& answered = between.answered;
    const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::sort(flows.begin(), flows.end(), by_key);
    std::sort(answered.begin(), answered.end(), by_key);
    std::vector<std::uint32_t> qp(flows.size(), 0);
    std::vector<bool> paired(answered.size(), false);
    const bool only = flows.size() == 1 && answered.size() == 1;
    bool changed = std::max(flows.size(), answered.size()) <= most_compared;
    while (changed) {
      changed = false;
      for (std::size_t a = 0; a < answered.size(); ++a) {
        if (paired[a]) continue;
        std::size_t candidate = 0, candidates = 0;
        for (std::size_t f = 0; f < flows.size() && candidates < 2; ++f) {
          if (qp[f] != 0 || !(only || encloses(flows[f].second->range, *answered[a].second)))
            continue;
          candidate = f;
          ++candidates;
        }
        if (candidates != 1) continue;
        qp[candidate] = answered[a].first.qp;
        paired[a] = changed = true;
      }
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
      const auto& [key, flow] = flows[f];
      out.unpaired += qp[f] == 0 ? 1 : 0;
      learned.push_back({flow->at,
                         key,
                         {.sender = key.src,
                          .receiver = key.dst,
                          .sender_qp = Qpn(qp[f]),
                          .receiver_qp = Qpn(key.qp),
                          .entropy = flow->entropy,
                          .first_psn = first_psn(flow->range)}});
    }
  }
  std::sort(learned.begin(), learned.end(), [](const Learned& a, const Learned& b) {
    return std::tie(a.at, a.key) < std::tie(b.at, b.key);
  });
  for (const auto& l : learned) out.list.push_back(l.connection);
  return out;
}

}  // namespace horae::replay
