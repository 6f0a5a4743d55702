#include "horae/fabric/devices/open_loop_host.hpp"

#include <algorithm>

namespace horae::fabric {

open_loop_host::open_loop_host(sc_core::sc_module_name name, sim_context& context,
                               const HostConfig& config,
                               std::unique_ptr<traffic::TrafficSource> source)
    : device(name, context, 1), config_(config), source_(std::move(source)) {}

void open_loop_host::handle_before(Picoseconds end) {
  if (watcher() != nullptr) [[unlikely]]
    return device::handle_before(end);
  take_before(
      end, [this](Packet& p, Picoseconds t) { receive(p, t); },
      [this](const Event& e) { handle(e); });
}

void open_loop_host::receive(Packet& p, Picoseconds t) {
  if (p.corrupted) [[unlikely]] {
    if (auto* w = watcher()) w->dropped(*this, p, DropCause::corrupted, t);
    pool().drop(p, DropCause::corrupted);
    return;
  }
  ++counters_.received;
  counters_.received_bytes += p.payload;
  counters_.marked += p.ecn == Ecn::ce ? 1 : 0;
  const Picoseconds latency = t - p.created;
  counters_.latency_sum += latency;
  counters_.last_arrival = t;
  counters_.latency_max = std::max(counters_.latency_max, latency);
  counters_.order_checksum =
      counters_.order_checksum * 0x100000001b3ULL ^ (static_cast<std::uint64_t>(t.count()) + p.id);
  pool().deliver(p);
}

void open_loop_host::handle(const Event& e) {
  switch (key_kind(e.key)) {
    case arrival_event:
      return receive(arrived(e), e.time);
    case pause_event:
      settle(e.time);
      if (e.payload == config_.traffic_class) paused_ = true;
      break;
    case resume_event:
      settle(e.time);
      if (e.payload == config_.traffic_class && paused_) {
        paused_ = false;
        resumed_ = e.time;
      }
      break;
    default:
      break;
  }
}

Picoseconds open_loop_host::next_start() const {
  if (!item_ || paused_) return never;
  return std::max({item_->at, tx(0).busy_until(), resumed_});
}

void open_loop_host::settle(Picoseconds end) {
  tx_port& wire = tx(0);
  while (item_ && !paused_) {
    const Picoseconds start = std::max({item_->at, wire.busy_until(), resumed_});
    if (start >= end) return;
    Packet& p = pool().create();
    p.id = static_cast<std::uint64_t>(config_.id) << 40 | counters_.sent;
    p.created = start;
    p.src = config_.id;
    p.dst = item_->dst;
    p.psn = Psn(static_cast<std::uint32_t>(counters_.sent));
    p.entropy = static_cast<std::uint16_t>(0xc000 | (item_->flow & 0x3fff));
    p.payload = static_cast<std::uint16_t>(item_->bytes.count());
    p.frame = static_cast<std::uint16_t>(frame_bytes(p.opcode, item_->bytes).count());
    p.ecn = Ecn::ect0;
    p.traffic_class = config_.traffic_class;
    p.bth_reserved = item_->remaining;
    ++counters_.sent;
    wire.send(p, start);
    item_ = source_->next();
  }
}

Picoseconds open_loop_host::next_own_time() const {
  return std::min(events_.next_time(), next_start());
}

}  // namespace horae::fabric
