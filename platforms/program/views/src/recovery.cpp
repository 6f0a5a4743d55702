#include "horae/views/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/elaboration/simulation.hpp"
#include "time_summary.hpp"

namespace horae::views {

Picoseconds RecoveryRecorder::Recovery::begin() const {
  Picoseconds first = never;
  for (const Picoseconds t : at) {
    if (t >= 0_ps) first = std::min(first, t);
  }
  return first;
}

RecoveryRecorder::RecoveryRecorder(const ViewFilter& filter,
                                   const elaboration::Simulation& simulation, std::uint64_t most)
    : filter_(filter), simulation_(simulation), most_(most) {
  for (std::size_t i = 0; i < simulation.flows().size(); ++i) {
    const auto& c = simulation.flows()[i];
    if (!filter.wants_flow(i) || c.reads) continue;
    flows_[{true, c.sender->id(), c.sender_qp}] = static_cast<std::uint32_t>(i);
    flows_[{false, c.receiver->id(), c.receiver_qp}] = static_cast<std::uint32_t>(i);
  }
}

std::optional<std::uint32_t> RecoveryRecorder::flow_of(const rnic::rnic& nic, std::size_t qp,
                                                       bool sends) const {
  const auto it = flows_.find({sends, nic.id(), qp});
  return it == flows_.end() ? std::nullopt : std::optional(it->second);
}

RecoveryRecorder::Recovery* RecoveryRecorder::find(std::uint32_t flow, Psn psn) {
  const auto it = open_.find({flow, psn.value()});
  return it == open_.end() ? nullptr : &it->second;
}

bool RecoveryRecorder::room(Picoseconds at) {
  if (!filter_.overlaps(at, at)) return false;
  if (kept_ < most_) return ++kept_, true;
  full_at_ = std::min(full_at_, at);
  return false;
}

RecoveryRecorder::Recovery* RecoveryRecorder::begin(std::uint32_t flow, Psn psn, Picoseconds at) {
  if (Recovery* const there = find(flow, psn)) return there;
  if (!room(at)) return nullptr;
  Recovery& r = open_[{flow, psn.value()}];
  const auto& c = simulation_.flows()[flow];
  r.flow = flow;
  r.psn = psn.value();
  r.message = c.sender->queue_pair(c.sender_qp).place(psn).message;
  return &r;
}

void RecoveryRecorder::note(Recovery* r, Mark mark, Picoseconds at) {
  if (r == nullptr) return;
  Picoseconds& first = r->at[static_cast<std::size_t>(mark)];
  if (first < 0_ps) first = at;
}

void RecoveryRecorder::keep_beside(Beside b) {
  if (room(b.from)) beside_.push_back(std::move(b));
}

void RecoveryRecorder::sent(const fabric::device& d, unsigned /*port*/, const Packet& p,
                            Picoseconds /*start*/, Picoseconds first_bit,
                            Picoseconds /*last_bit*/) {
  const rnic::rnic* const nic = as_nic(d);
  if (nic == nullptr || nic->id() != p.src || (!p.is_nack() && !p.retransmission)) return;
  const auto whose = filter_.owner(p);
  if (!whose || !filter_.wants_flow(whose->flow) || simulation_.flows()[whose->flow].reads) return;
  Recovery* const r = find(static_cast<std::uint32_t>(whose->flow), p.psn);
  if (p.is_nack() && whose->reply) {
    note(r, Mark::nack_sent, first_bit);
    if (r != nullptr) ++r->nacks;
  } else if (p.is_data() && !whose->reply) {
    note(r, Mark::resent, first_bit);
    if (r != nullptr) {
      ++r->resends;
    } else {
      ++resent_unasked_;
    }
  }
}

void RecoveryRecorder::arrived(const fabric::device& d, unsigned /*port*/, const Packet& p,
                               Picoseconds at, Picoseconds ready) {
  const rnic::rnic* const nic = as_nic(d);
  if (nic == nullptr || p.corrupted) return;
  const bool cnp = p.opcode == Opcode::cnp;
  if (!cnp && !p.is_nack() && !p.is_data()) return;
  const auto whose = filter_.owner(p);
  if (!whose || !filter_.wants_flow(whose->flow)) return;
  const auto flow = static_cast<std::uint32_t>(whose->flow);
  if (cnp) return keep_beside({"CNP", nic->name(), ready, ready, flow});
  if (p.is_nack() && whose->reply) return note(find(flow, p.psn), Mark::nack_received, ready);
  if (p.is_data() && !whose->reply && !p.trimmed) note(find(flow, p.psn), Mark::arrived, at);
}

void RecoveryRecorder::dropped(const fabric::device& d, const Packet& p, fabric::DropCause cause,
                               Picoseconds at) {
  if (!p.is_data()) return;
  const auto whose = filter_.owner(p);
  if (!whose || whose->reply || !filter_.wants_flow(whose->flow) ||
      simulation_.flows()[whose->flow].reads)
    return;
  Recovery* const r = begin(static_cast<std::uint32_t>(whose->flow), p.psn, at);
  if (r == nullptr) return;
  if (r->losses++ == 0) {
    r->place = d.name();
    r->cause = name_of(cause);
  }
  note(r, Mark::lost, at);
}

void RecoveryRecorder::injected(const fabric::device& d, unsigned /*port*/, const Packet& p,
                                fabric::Injection::Action action, Picoseconds at) {
  const auto whose = filter_.owner(p);
  if (!whose || !filter_.wants_flow(whose->flow)) return;
  keep_beside({fmt::format("{} psn {}", fabric::name_of(action), p.psn.value()), d.name(), at, at,
               static_cast<std::uint32_t>(whose->flow)});
}

void RecoveryRecorder::paused(const fabric::device& d, unsigned port, unsigned traffic_class,
                              bool pause, Picoseconds at) {
  const std::tuple key(std::string(d.name()), port, traffic_class);
  if (pause) {
    paused_since_.emplace(key, at);
    return;
  }
  const auto it = paused_since_.find(key);
  if (it == paused_since_.end()) return;
  if (filter_.overlaps(it->second, at))
    keep_beside({fmt::format("pause of class {}", traffic_class),
                 fmt::format("{}:{}", d.name(), port), std::max(it->second, filter_.from()), at});
  paused_since_.erase(it);
}

void RecoveryRecorder::nack_decided(const rnic::rnic& nic, std::size_t qp, const Packet& /*cause*/,
                                    Psn expected, Picoseconds at) {
  if (const auto flow = flow_of(nic, qp, false))
    note(begin(*flow, expected, at), Mark::nack_decided, at);
}

void RecoveryRecorder::nack_served(const rnic::rnic& nic, std::size_t qp, Psn psn,
                                   Picoseconds /*start*/, Picoseconds end, bool resend) {
  const auto flow = flow_of(nic, qp, true);
  if (flow && resend) note(find(*flow, psn), Mark::served, end);
}

void RecoveryRecorder::timed_out(const rnic::rnic& nic, std::size_t qp, Psn oldest,
                                 Picoseconds at) {
  const auto flow = flow_of(nic, qp, true);
  if (!flow) return;
  // The timer is of the oldest packet without an acknowledgement, which may have arrived: what was
  // lost behind it is sent again because of it.
  bool any = false;
  for (auto it = open_.lower_bound({*flow, 0}); it != open_.end() && it->first.first == *flow;
       ++it) {
    if (it->second.losses == 0 || it->second[Mark::arrived] >= 0_ps) continue;
    note(&it->second, Mark::timed_out, at);
    any = true;
  }
  if (!any) note(begin(*flow, oldest, at), Mark::timed_out, at);
}

void RecoveryRecorder::completed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first,
                                 std::uint64_t count, Picoseconds at) {
  const auto flow = flow_of(nic, qp, true);
  if (!flow) return;
  for (auto it = open_.lower_bound({*flow, 0}); it != open_.end() && it->first.first == *flow;) {
    if (it->second.message >= first + count) {
      ++it;
      continue;
    }
    note(&it->second, Mark::completed, at);
    done_.push_back(std::move(it->second));
    it = open_.erase(it);
  }
}

void RecoveryRecorder::finish(Picoseconds end) {
  for (auto& [key, r] : open_) done_.push_back(std::move(r));
  open_.clear();
  for (const auto& [key, since] : paused_since_) {
    const auto& [device, port, traffic_class] = key;
    if (filter_.overlaps(since, end))
      keep_beside({fmt::format("pause of class {}", traffic_class),
                   fmt::format("{}:{}", device, port), std::max(since, filter_.from()), end});
  }
  paused_since_.clear();
  std::stable_sort(done_.begin(), done_.end(), [](const Recovery& a, const Recovery& b) {
    return std::tuple(a.begin(), a.flow, a.psn) < std::tuple(b.begin(), b.flow, b.psn);
  });
  for (Recovery& r : done_) {
    const auto& c = simulation_.flows()[r.flow];
    r.name = fmt::format("{}-{}:{:#x}", c.sender->name(), c.receiver->name(),
                         rnic::rnic::first_qpn + c.sender_qp);
  }
  std::stable_sort(beside_.begin(), beside_.end(), [](const Beside& a, const Beside& b) {
    return std::tie(a.from, a.what, a.where) < std::tie(b.from, b.what, b.where);
  });
}

}  // namespace horae::views
