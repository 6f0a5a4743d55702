// The NIC's ordering engine: its work in time, and the last packet of a WRITE.
#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

void rnic::set_ordering(std::unique_ptr<policy::OrderingEngine> engine) {
  if (!qps_.empty() || !ordering_.present()) {
    throw ModelError("an ordering engine takes the place of another before there are queue pairs");
  }
  ordering_.replace(std::move(engine));
}

Picoseconds rnic::engine_takes(const policy::OrderingAnswer& answer, Picoseconds now) {
  if (answer.rejection != policy::Rejection::none)
    ++counters_.rejected[static_cast<std::size_t>(answer.rejection)];
  counters_.ordering_words += answer.ops.words_read + answer.ops.words_written;
  counters_.ordering_cycles += answer.ops.cycles;
  counters_.ordering_searched += answer.ops.searched;
  ordering_.watch_memory(now);
  const OrderingUnit::Turn turn = ordering_.take(answer.ops.cycles, now);
  counters_.ordering_wait += turn.start - now;
  return turn.end;
}

void rnic::close_connection(std::size_t qp, Picoseconds now) {
  policy::OrderedReceiver* const ordered = qps_[qp].ordered();
  if (ordered == nullptr) return;
  ordered->close();
  ordering_.watch_memory(now);
}

bool rnic::hold_last(QueuePair& qp, const Packet& p) {
  if (config_.ordering.write_last != policy::WriteLast::receiver) return false;
  if (!is_write(p.opcode) || !ends_message(p.opcode)) return false;
  qp.held_writes.emplace_back(p.psn, p.payload);
  return true;
}

std::vector<std::pair<Psn, std::uint16_t>> rnic::release_held(QueuePair& qp, Psn expected) {
  const auto released =
      std::stable_partition(qp.held_writes.begin(), qp.held_writes.end(),
                            [&](const auto& held) { return !held.first.before(expected); });
  std::vector<std::pair<Psn, std::uint16_t>> out(released, qp.held_writes.end());
  qp.held_writes.erase(released, qp.held_writes.end());
  counters_.writes_held += out.size();
  return out;
}

void rnic::place_at(Picoseconds decided, std::size_t i, const Packet& p,
                    const policy::ReceiveOutcome& out, bool apart, Picoseconds now) {
  QueuePair& qp = qps_[i];
  const Bytes payload(out.placement == policy::Placement::deliver ? p.payload : 0);
  const RxBuffer::Queue queue = RxBuffer::queue_of(p.ingress_port, p.traffic_class);
  if (payload > 0_B && host_.rx_buffer.take(queue, payload)) pause_peer(queue, now);
  const bool counts = out.advanced > 0 && qp.config().receive_packets != 0;
  placements_.add({.qp = static_cast<std::uint16_t>(i),
                   .psn = p.psn,
                   .payload = payload,
                   .apart = apart,
                   .advanced = out.advanced > 0,
                   .expected = qp.receiver().expected_psn(),
                   .messages = counts ? qp.received_whole() : 0});
  schedule(decided, placement_event, static_cast<std::uint16_t>(i), event_ordinal_++);
}

void rnic::place(Picoseconds now) {
  const Placements::Step step = placements_.take();
  const std::uint16_t i = step.qp;
  QueuePair& qp = qps_[i];
  if (step.payload > 0_B) {
    const std::uint64_t address =
        step.apart ? host_address::kept_apart(i) : payload_address(i, step.psn);
    const Picoseconds written = host_.link->write(now, address, step.payload);
    if (written == never) [[unlikely]] {
      await_write(i, step.payload);
    } else {
      qp.written_until = std::max(qp.written_until, written);
      host_.rx_buffer.leaves(step.payload, written);
      plan_resumes(now);
    }
  }
  if (step.advanced && !qp.held_writes.empty()) {
    // Out of where it was kept, into where the application looks for it.
    for (const auto& [psn, payload] : release_held(qp, step.expected)) {
      if (payload > 0 && placements_.copy(i, psn, Bytes(payload))) plan_copy(i, now);
    }
  }
  if (!placements_.waits(i, step.messages)) in_memory(i, step.messages, now);
}

void rnic::plan_copy(std::uint16_t i, Picoseconds now) {
  const Picoseconds written = qps_[i].written_until;
  if (written != never) [[likely]]
    return schedule(std::max(now, written), copy_event, i, event_ordinal_++, 0);
  wait_for_writes(i, [this, i](Picoseconds t, Picoseconds at) {
    schedule(std::max(t, at), copy_event, i, event_ordinal_++, 0);
  });
}

void rnic::read_held(std::uint16_t i, Picoseconds now) {
  const Picoseconds read =
      host_.link->read(now, host_address::kept_apart(i), placements_.copying(i).payload);
  if (read != never) [[likely]]
    return schedule(read, copy_event, i, event_ordinal_++, 1);
  await_read(i, [this, i](Picoseconds, Picoseconds at) {
    schedule(at, copy_event, i, event_ordinal_++, 1);
  });
}

void rnic::write_held(std::uint16_t i, Picoseconds now) {
  const Placements::Copy copy = placements_.copying(i);
  QueuePair& qp = qps_[i];
  const Picoseconds written = host_.link->write(now, payload_address(i, copy.psn), copy.payload);
  if (written == never) [[unlikely]] {
    await_write(i, 0_B);
  } else {
    qp.written_until = std::max(qp.written_until, written);
  }
  in_memory(i, copy.messages, now);
  if (placements_.copied(i)) plan_copy(i, now);
}

}  // namespace horae::rnic
