// Destination: copies, timers and what leaves for a NIC, in egress.
#include <utility>

#include "destination.hpp"

namespace horae::programs::conweave {

void Destination::egress(PassKind auto& pass) {
  Packet& p = pass.header();
  const std::uint8_t type = p.mirror_type;
  if (type == 0 && p.metadata == 0) return;  // no condition below holds; saves the model the tests
  if (is_control_copy_.test(pass, type == reply_copy, type == clear_copy, type == notify_copy)) {
    return to_control(pass);
  }
  if (is_new_timer_.test(pass, type)) {
    to_timer_.run(pass, [&] {
      p.psn = Psn(pass.mirror_header()[0]);
      p.msn = 0;
      p.ecn = Ecn::not_ect;
    });
  }
  if (is_timer_out_.test(pass, Bridge::of(p.metadata).timer)) return timer_egress(pass);
  to_nic(pass);
}

/// Back to the source ToR: by the port the packet came in by.
void Destination::to_control(PassKind auto& pass) {
  to_control_.run(pass, [&] {
    Packet& p = pass.header();
    Shim shim = Shim::of(p);
    shim.kind = p.mirror_type == notify_copy ? Kind::notify : Kind::reply;
    shim.rerouted = p.mirror_type == clear_copy;
    shim.marked = p.mirror_type == reply_copy && p.ecn == Ecn::ce;
    shim.request = false;
    shim.tail = false;
    shim.put(p);
    std::swap(p.src, p.dst);
    p.msn = 0;
    p.ecn = Ecn::not_ect;
    p.payload = 0;
    p.ack_request = false;
    p.retransmission = false;
    p.metadata = 0;
  });
}

/// Brings what egress knows to ingress: how many packets left the queue, whether the TAIL did.
void Destination::timer_egress(PassKind auto& pass) {
  Packet& p = pass.header();
  Bridge b = Bridge::of(p.metadata);
  if (!b.unqueued) {
    p.msn = 0;
    if (b.over)
      clear_left_.run(pass, b.queue);
    else
      p.msn = read_left_.run(pass, b.queue);
  }
  if (!waits_for_tail_.test(pass, b.pre_timeout)) return;
  if (!take_tail_left_.run(pass, p.psn.value(), Shim::of(p).epoch + 1)) return;
  b.pre_timeout = false;
  b.timeout = true;
  p.metadata = b.bits();
}

void Destination::to_nic(PassKind auto& pass) {
  Packet& p = pass.header();
  const Bridge b = Bridge::of(p.metadata);
  if (is_counted_.test(pass, b.queued)) count_left_.run(pass, b.queue);
  if (is_tail_.test(pass, b.releases)) {
    set_tail_left_.run(pass, p.msn >> 16, Shim::of(p).epoch + 1);
    release_.release(pass, pass.egress_port(), p.msn & 0x7f);
    ++counts_.by_tail;
    released_.insert(b.queue);
  }
  if (!is_last_hop_.test(pass, b.last_hop)) return;
  remove_header_.run(pass, [&] {
    p.bth_reserved = 0;
    p.msn = 0;
    p.frame = static_cast<std::uint16_t>(p.frame - stamp_bytes);
  });
}

template void Destination::egress(Pass&);
template void Destination::egress(TrustedPass&);

}  // namespace horae::programs::conweave
