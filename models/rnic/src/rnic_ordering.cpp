// The NIC's ordering engine: its work in time, its memory over time, and the last packet of a
// WRITE.
#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

void rnic::set_ordering(std::unique_ptr<policy::OrderingEngine> engine) {
  if (!qps_.empty() || !ordering_) {
    throw ModelError("an ordering engine takes the place of another before there are queue pairs");
  }
  ordering_ = std::move(engine);
}

Picoseconds rnic::engine_takes(const policy::OrderingOps& ops, Picoseconds now) {
  counters_.ordering_words += ops.words_read + ops.words_written;
  counters_.ordering_cycles += ops.cycles;
  counters_.ordering_searched += ops.searched;
  const Picoseconds start = std::max(now, ordering_busy_);
  counters_.ordering_wait += start - now;
  ordering_busy_ =
      start + Clock(config_.ordering.clock).edge(Cycles(static_cast<std::int64_t>(ops.cycles)));
  return ordering_busy_;
}

void rnic::watch_ordering(const policy::OrderingAnswer& answer, Picoseconds now) {
  if (answer.rejection != policy::Rejection::none)
    ++counters_.rejected[static_cast<std::size_t>(answer.rejection)];
  watch_memory(now);
}

void rnic::close_connection(std::size_t qp, Picoseconds now) {
  policy::OrderedReceiver* const ordered = qps_[qp]->ordered();
  if (ordered == nullptr) return;
  ordered->close();
  watch_memory(now);
}

void rnic::watch_memory(Picoseconds now) {
  Watch& w = ordering_watch_;
  const auto memory = ordering_->memory();
  if (memory.total() == w.now.total() && memory.bitmap == w.now.bitmap) return;
  add_time(w, now);
  w.last = now;
  w.now = memory;
  w.most = std::max(w.most, memory.total());
}

void rnic::add_time(Watch& w, Picoseconds now) {
  const std::int64_t lasted = (now - w.last).count();
  w.byte_ps += detail::Wide{1} * static_cast<std::uint64_t>(w.now.total().count()) *
               static_cast<std::uint64_t>(lasted);
  w.bitmap_byte_ps += detail::Wide{1} * static_cast<std::uint64_t>(w.now.bitmap.count()) *
                      static_cast<std::uint64_t>(lasted);
}

rnic::OrderingUse rnic::ordering_use(Picoseconds now) const {
  Watch w = ordering_watch_;
  const auto whole = static_cast<double>((now - w.since).count());
  if (whole <= 0) return {.most = w.most};
  add_time(w, now);
  return {static_cast<double>(w.byte_ps) / whole, static_cast<double>(w.bitmap_byte_ps) / whole,
          w.most};
}

std::uint64_t rnic::kept_apart(std::size_t i) { return (std::uint64_t{1} << 49) + i * 4096; }

bool rnic::hold_last(QueuePair& qp, const Packet& p) {
  if (config_.ordering.write_last != policy::WriteLast::receiver) return false;
  if (!is_write(p.opcode) || !ends_message(p.opcode)) return false;
  qp.held_writes.emplace_back(p.psn, p.payload);
  return true;
}

void rnic::place_held(std::size_t i, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  const Psn expected = qp.receiver().expected_psn();
  std::erase_if(qp.held_writes, [&](const auto& held) {
    const auto [psn, payload] = held;
    if (!psn.before(expected)) return false;
    ++counters_.writes_held;
    if (host_ && payload > 0) {
      // Out of where it was kept, into where the application looks for it.
      const Bytes size(payload);
      const Picoseconds read = host_->read(std::max(now, qp.written_until), kept_apart(i), size);
      const Picoseconds placed = host_->write(read, payload_address(i, psn), size);
      qp.written_until = std::max(qp.written_until, placed);
    }
    return true;
  });
}

}  // namespace horae::rnic
