// PFC that the NIC sends: a slow host fills the RX buffer, and whoever sends to it waits.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

void check_pauses(const RnicConfig& config) {
  if (!config.pfc) return;
  if (config.host == HostModel::none) {
    throw InputError(
        "pfc of a NIC without a host: nothing fills its RX buffer; expected host = \"pcie\"");
  }
  const RxPauseConfig& pfc = *config.pfc;
  if (pfc.xon > pfc.xoff) {
    throw InputError(
        fmt::format("pfc.xon = {} is above pfc.xoff = {}", to_text(pfc.xon), to_text(pfc.xoff)));
  }
}

void rnic::begin_pauses() {
  if (!config_.pfc) return;
  host_.rx_buffer.pause_by(*config_.pfc, ports());
  paused_peers_.resize(std::size_t{ports()} * RxBuffer::classes);
}

void rnic::send_pause(RxBuffer::Queue queue, bool pause, Picoseconds now) {
  const unsigned port = queue / RxBuffer::classes;
  tx(port).send_pause(now, queue % RxBuffer::classes, pause);
  // The wire was decided up to here without it.
  if (!ports_) cursor_ = std::max(cursor_, tx(port).busy_until());
}

void rnic::pause_peer(RxBuffer::Queue queue, Picoseconds now) {
  ++counters_.pauses_sent;
  paused_peers_[queue].since = now;
  pausing_.push_back(queue);
  send_pause(queue, true, now);
  plan_resume(queue, now);
}

void rnic::plan_resume(RxBuffer::Queue queue, Picoseconds now) {
  PausedPeer& peer = paused_peers_[queue];
  if (peer.planned) return;
  const Picoseconds at = host_.rx_buffer.resumes_at(queue);
  if (at == never) return;
  peer.planned = true;
  schedule(std::max(at, now), rx_pause_event, queue, event_ordinal_++);
}

void rnic::resume_peers(RxBuffer::Queue queue, Picoseconds now) {
  paused_peers_[queue].planned = false;
  host_.rx_buffer.empty_until(now);
  resume_freed(now);
}

void rnic::resume_freed(Picoseconds now) {
  for (const RxBuffer::Queue free : host_.rx_buffer.take_resumed()) {
    PausedPeer& peer = paused_peers_[free];
    peer.before += now - peer.since;
    peer.since = Picoseconds(-1);
    std::erase(pausing_, free);
    send_pause(free, false, now);
  }
  plan_resumes(now);
}

Picoseconds rnic::paused_peers(Picoseconds now) const {
  Picoseconds sum{};
  for (const PausedPeer& peer : paused_peers_) {
    sum += peer.before;
    if (peer.since >= 0_ps) sum += now - peer.since;
  }
  return sum;
}

}  // namespace horae::rnic
