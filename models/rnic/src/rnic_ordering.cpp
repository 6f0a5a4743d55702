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

void rnic::place_held(std::size_t i, Picoseconds now) {
  QueuePair& qp = qps_[i];
  const Psn expected = qp.receiver().expected_psn();
  std::erase_if(qp.held_writes, [&](const auto& held) {
    const auto [psn, payload] = held;
    if (!psn.before(expected)) return false;
    ++counters_.writes_held;
    if (host_.modelled() && payload > 0) {
      // Out of where it was kept, into where the application looks for it.
      const Bytes size(payload);
      const Picoseconds read =
          host_.link->read(std::max(now, qp.written_until), host_address::kept_apart(i), size);
      const Picoseconds placed = host_.link->write(read, host_address::payload(i, psn), size);
      qp.written_until = std::max(qp.written_until, placed);
    }
    return true;
  });
}

}  // namespace horae::rnic
