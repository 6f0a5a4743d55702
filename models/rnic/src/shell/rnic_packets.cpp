// Packets that the NIC puts on its wire: data, acknowledgements, CNPs.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/codec/rnr_nak.hpp"
#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {
namespace {

/// Largest remainder in the last packets of queue pairs' messages (remaining_tag).
constexpr std::uint32_t most_left = (1u << 14) - 1;
/// Four bytes of the AETH's form: the PSN a SACK, or a NACK of IRN, names beside the expected one.
constexpr int received_psn_bytes = 4;

}  // namespace

Packet& rnic::new_packet(const QueuePair& qp, Opcode opcode, Bytes payload) {
  Packet& p = pool().create();
  p.id = static_cast<std::uint64_t>(id_) << 40 | packets_created_++;
  p.created = cursor_;
  p.src = id_;
  p.dst = qp.config().peer;
  p.dest_qp = qp.config().remote;
  p.entropy = qp.config().entropy;
  p.pinned = !qp.config().spray;
  p.opcode = opcode;
  p.payload = static_cast<std::uint16_t>(payload.count());
  p.ecn = Ecn::ect0;
  return p;
}

void rnic::send_response() {
  const PendingResponse r = responses_.pop();
  answers_port_ = r.port;
  if (r.kind != ResponseKind::acknowledge) {
    if (r.kind == ResponseKind::segment) return send_waiting_segment(r.qp);
    if (r.kind == ResponseKind::pull) return send_pull(r);
    Packet& cnp = new_packet(qps_[r.qp], Opcode::cnp, Bytes(0));
    cnp.frame = static_cast<std::uint16_t>(frame_bytes(Opcode::cnp, Bytes(0)).count());
    cnp.traffic_class = static_cast<std::uint8_t>(config_.ack_traffic_class);
    ++counters_.cnps_sent;
    put_on_wire(cnp, "CNP");
    return;
  }
  Packet& p = new_packet(qps_[r.qp], Opcode::acknowledge, Bytes(0));
  // A NACK names the expected PSN, an ACK the one before it.
  p.psn = r.response.nack ? r.response.psn : r.response.psn - 1;
  p.msn = r.response.msn;
  p.syndrome = r.response.nack ? syndrome::nak_psn_sequence : syndrome::ack;
  if (r.response.rnr) [[unlikely]] {
    p.psn = r.response.psn;
    p.syndrome = static_cast<std::uint8_t>(syndrome::rnr_nak | config_.reliability.rnr_timer());
  }
  p.frame = static_cast<std::uint16_t>(frame_bytes(Opcode::acknowledge, Bytes(0)).count());
  p.traffic_class = static_cast<std::uint8_t>(config_.ack_traffic_class);
  if (echoes_) [[unlikely]]
    add_echo(p);
  if (r.response.received) {
    // The PSN that arrived, four bytes more on the wire; the model keeps its distance.
    p.bth_reserved = static_cast<std::uint16_t>(*r.response.received - r.response.psn);
    p.frame = static_cast<std::uint16_t>(p.frame + received_psn_bytes);
  }
  if (r.response.sack()) {
    p.psn = r.response.psn;
    p.syndrome = syndrome::sack;
    ++counters_.sacks_sent;
    return put_on_wire(p, "SACK");
  }
  ++(r.response.nack  ? counters_.nacks_sent
     : r.response.rnr ? counters_.rnr_naks_sent
                      : counters_.acks_sent);
  put_on_wire(p, r.response.nack ? "NACK" : r.response.rnr ? "RNR NAK" : "ACK");
}

void rnic::put_on_wire(Packet& response, const char* what) {
  if (config_.frames != Frames::roce) [[unlikely]]
    response.frame =
        static_cast<std::uint16_t>(other_frame(config_.frames, 0_B, Bytes(response.frame)).count());
  const Picoseconds start = cursor_;
  const std::uint32_t psn = response.psn.value();
  const bool numbered = response.opcode == Opcode::acknowledge;
  if (wire_ == nullptr) [[unlikely]] {
    // Back by the plane that its packet came by; what answers none by that of its value.
    const bool answers = answers_port_ != PendingResponse::no_port;
    return put_in_line(response, answers ? answers_port_ : response.entropy % ports_->count(),
                       true);
  }
  wire_->send(response, start, config_.tx_latency);
  cursor_ = wire_->busy_until();
  if (auto* t = recorder()) {
    t->span("wire", numbered ? fmt::format("{} {}", what, psn) : what, start, cursor_);
  }
}

void rnic::record_sent(const Packet& p, policy::SendKind kind, Picoseconds start) {
  timeline_->span("wire", fmt::format("PSN {} {}", p.psn.value(), name_of(kind)), start,
                  ports_ ? pipe_free_ : cursor_);
  if (host_.fetcher) timeline_->level("TX buffer, bytes", start, host_.fetcher->used().count());
}

Bytes rnic::tag_bytes(Opcode opcode) const {
  const bool reth = config_.reth_on_every_packet && is_write(opcode) && !has_reth(opcode);
  return Bytes((reth ? wire::reth : 0) + (ordering_.present() ? head_bytes : 0));
}

void rnic::add_tags(const QueuePair& qp, Packet& data, const PacketPlace& place) const {
  data.frame = static_cast<std::uint16_t>(data.frame + tag_bytes(place.opcode).count());
  if (config_.remaining_tag)
    data.bth_reserved = static_cast<std::uint16_t>(std::min<std::uint32_t>(place.left, most_left));
  if (ordering_.present()) {
    data.msn = qp.config().first_send.value();
    if (!qp.posted(data.psn + 1)) data.bth_reserved |= last_bit;
  }
}

void rnic::send_data(std::size_t i) {
  QueuePair& qp = qps_[i];
  const policy::Transmission t = qp.sender().next(cursor_);
  const PacketPlace place = qp.place(t.psn);
  Packet& p = new_packet(qp, place.opcode, Bytes(place.payload));
  p.psn = t.psn;
  p.ack_request = t.ack_request || ends_message(place.opcode);
  p.retransmission = t.kind != policy::SendKind::fresh;
  if (qp.timeouts.count != 0) [[unlikely]]
    p.again = qp.timeouts.in(context_.repetition) > context_.repetition.most;
  p.traffic_class = qp.traffic_class;
  p.frame = static_cast<std::uint16_t>(frame_bytes(place.opcode, Bytes(place.payload)).count());
  if (tags_) [[unlikely]]
    add_tags(qp, p, place);
  if (place.opcode >= Opcode::read_request) [[unlikely]]
    dress_read(i, p, place, t);
  if (dresses_) [[unlikely]] {
    add_header_options(qp, p, t);
    if (contents_ != nullptr) attach_contents(i, p, place, t.kind == policy::SendKind::fresh);
  }
  const auto kind = static_cast<std::size_t>(t.kind);
  ++counters_.sent[kind];
  counters_.sent_frames[kind] += p.frame;

  const Bytes wire = p.wire_size();
  const Picoseconds start = cursor_;
  if (nic_watcher_ != nullptr) [[unlikely]]
    notify_chosen(i, p, start);
  qp.context_ready = Picoseconds(-1);
  if (host_.fetcher) {
    if (t.kind == policy::SendKind::fresh) {
      host_.fetcher->take(i, start);
    } else if (place.payload > 0 &&
               (t.kind == policy::SendKind::rewind || t.kind == policy::SendKind::timeout)) {
      // Streamed from memory behind the first one, whose read was waited for.
      read_for_retransmission(host_address::retransmission(i, false), Bytes(place.payload), start);
    }
  }
  if (wire_ != nullptr) [[likely]] {
    wire_->send(p, start, config_.tx_latency);
    cursor_ = wire_->busy_until();
  } else {
    put_in_line(p, qp.port, false);
  }
  if (recorder() != nullptr) record_sent(p, t.kind, start);

  if (qp.reaction) qp.reaction->on_sent(wire, start);
  if (listens_) [[unlikely]] {
    if (t.kind == policy::SendKind::fresh) qp.sent_bytes += place.payload;
    watch_window(qp);
  }
  scheduler_.refresh(i, scheduler_.sent(qp, wire, start));
  watch_deadline(i);
  if (qp.responder() != nullptr) [[unlikely]]
    release_response(i);
}

}  // namespace horae::rnic
