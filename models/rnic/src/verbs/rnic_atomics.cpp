// Atomics at the NIC that executes them: a read of host memory, a change, a write.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "horae/core/error.hpp"
#include "horae/core/verb.hpp"
#include "horae/rnic/rnic.hpp"
#include "shell/rnic_events.hpp"

namespace horae::rnic {

void rnic::receive_atomic(std::size_t i, const Packet& p, Picoseconds now) {
  QueuePair& qp = qps_[i];
  allow_nack_again(qp, now);
  const policy::ReceiveOutcome out = qp.receiver().on_read(p.psn, 1);
  if (out.placement == policy::Placement::deliver) {
    const Verb verb = p.opcode == Opcode::compare_swap ? Verb::compare_swap : Verb::fetch_add;
    qp.answer(verb, p.psn, atomic_operand, out.msn, now);
    if (!atomics_) atomics_.emplace(config_.atomics.value_or(AtomicsConfig{}).slots);
    const AtomicOperation operation{static_cast<std::uint16_t>(i), p.psn, p.msn, now};
    if (atomics_->add(operation)) begin_atomic(operation, now);
  } else if (out.placement == policy::Placement::duplicate && qp.responder()->sent(p.psn)) {
    // It is not executed again: its response is kept (IBTA vol. 1, 9.7.5.1.2).
    send_again(i, std::uint64_t{1} << Psn::bits | p.psn.value(), now);
  }
  answer(i, p, out.response, now, now);
  refresh(i);
}

void rnic::begin_atomic(const AtomicOperation& operation, Picoseconds now) {
  counters_.atomic_wait += now - operation.accepted;
  const std::uint32_t slot = atomics_->slot_of(operation.address);
  const auto hold = config_.atomics.value_or(AtomicsConfig{}).hold;
  if (hold) schedule(now + *hold, slot_event, 0, event_ordinal_++, slot);
  const auto read = [this, operation, slot, hold, now](Picoseconds, Picoseconds at) {
    if (!hold) schedule(at, slot_event, 0, event_ordinal_++, slot);
    const Picoseconds ends = std::max(at, now + hold.value_or(Picoseconds(0)));
    schedule(ends, atomic_event, operation.qp, event_ordinal_++,
             std::uint64_t{operation.address} << Psn::bits | operation.psn.value());
  };
  if (!host_.modelled()) return read(now, now);
  const Picoseconds there =
      host_.link->read(now, host_address::atomic_words + operation.address, atomic_operand);
  if (there == never) [[unlikely]]
    return await_read(operation.qp, read);
  read(now, there);
}

void rnic::end_atomic(std::size_t i, std::uint64_t operation, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (host_.modelled()) {
    const std::uint64_t address = host_address::atomic_words + (operation >> Psn::bits);
    if (host_.link->write(now, address, atomic_operand) == never) [[unlikely]]
      await_write(i, 0_B);
  }
  ++counters_.atomics_executed;
  qp.atomic_done(Psn(static_cast<std::uint32_t>(operation) & Psn::mask), now);
  if (host_.fetcher) host_.fetcher->pushed(i, qp.messages_begun(), now);
  refresh(i);
}

}  // namespace horae::rnic
