// READs of the NIC: requests and responses that arrive, and what goes again.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/core/verb.hpp"
#include "horae/rnic/rnic.hpp"
#include "shell/rnic_events.hpp"

namespace horae::rnic {

void check_reads(const RnicConfig& config) {
  const auto& transport = policy::find_transport(config.transport);
  if (!transport.reads) {
    std::string expected;
    for (const auto& t : policy::transports()) {
      if (t.reads) expected += fmt::format("{}'{}'", expected.empty() ? "" : " or ", t.name);
    }
    throw InputError(fmt::format("verb = 'read' with transport = '{}', which has none; expected {}",
                                 transport.name, expected));
  }
  const auto refuse = [](std::string_view key, std::string_view value, std::string_view expected) {
    throw InputError(fmt::format("verb = 'read' with {} = '{}', which has none; expected '{}'", key,
                                 value, expected));
  };
  if (config.ordering.engine != "none") refuse("ordering.engine", config.ordering.engine, "none");
  if (!policy::find_entropy_scheme(config.entropy.scheme).constant)
    refuse("entropy.scheme", config.entropy.scheme, "fixed");
  const auto& congestion = policy::find_congestion_algorithm(config.congestion.algorithm);
  // Responses are not acknowledged.
  if (congestion.listens.acks || congestion.make_grants != nullptr)
    refuse("congestion.algorithm", congestion.name, "dcqcn");
}

bool rnic::takes_part_in_reads() const {
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    if (qps_[i].config().reads > 0) return true;
  }
  return false;
}

bool rnic::receive_read(std::size_t i, const Packet& p, Picoseconds now) {
  if (p.opcode == Opcode::read_request) {
    receive_request(i, p, now);
    return true;
  }
  if (finds_no_room(p, now)) return false;
  receive_response(i, p, now);
  return true;
}

void rnic::receive_request(std::size_t i, const Packet& p, Picoseconds now) {
  QueuePair& qp = qps_[i];
  const Bytes asked(p.msn);
  const std::uint32_t responses = packets_of(asked, config_.mtu);
  allow_nack_again(qp, now);
  const policy::ReceiveOutcome out = qp.receiver().on_read(p.psn, responses);
  ++counters_.read_requests_received;
  switch (out.placement) {
    case policy::Placement::deliver:
      qp.answer(Verb::read, p.psn, asked, out.msn, now);
      if (host_.fetcher) host_.fetcher->pushed(i, qp.messages_begun(), now);
      break;
    case policy::Placement::duplicate:
      if (qp.responder()->sent(p.psn)) read_again(i, p.psn, responses, now);
      break;
    case policy::Placement::discard:
      break;
  }
  // Requests are no data: they do not count among packets out of order.
  answer(i, p, out.response, now, now);
  refresh(i);
}

void rnic::read_again(std::size_t i, Psn psn, std::uint32_t responses, Picoseconds now) {
  const std::uint64_t request = std::uint64_t{responses} << Psn::bits | psn.value();
  if (!host_.modelled()) return send_again(i, request, now);
  QueuePair& qp = qps_[i];
  // The first payload is waited for; the others are streamed behind it as they are sent.
  const Picoseconds read =
      read_for_retransmission(host_address::retransmission(i, false), config_.mtu, now);
  if (read == never) [[unlikely]]
    return await_read(i, [this, i, request](Picoseconds, Picoseconds at) {
      qps_[i].read_again = std::max(qps_[i].read_again, at);
      schedule(qps_[i].read_again, again_event, static_cast<std::uint16_t>(i), event_ordinal_++,
               request);
    });
  qp.read_again = std::max(qp.read_again, read);
  schedule(qp.read_again, again_event, static_cast<std::uint16_t>(i), event_ordinal_++, request);
}

void rnic::send_again(std::size_t i, std::uint64_t request, Picoseconds /*now*/) {
  const Psn psn(static_cast<std::uint32_t>(request));
  if (qps_[i].responder()->again(psn, static_cast<std::uint32_t>(request >> Psn::bits)))
    ++counters_.reads_answered_again;
  refresh(i);
}

void rnic::receive_response(std::size_t i, const Packet& p, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (p.trimmed) [[unlikely]] {
    // As one that was lost: its checksum is wrong.
    ++counters_.trimmed;
    return;
  }
  const policy::ReadOutcome out = qp.sender().on_response(p.psn);
  ++counters_.data_received;
  ++qp.progress().received;
  switch (out.placement) {
    case policy::Placement::deliver:
      counters_.delivered_bytes += p.payload;
      qp.progress().delivered_bytes += p.payload;
      if (host_.modelled()) place_payload(i, p, now);
      break;
    case policy::Placement::duplicate:
      ++counters_.duplicates;
      break;
    case policy::Placement::discard:
      ++counters_.discarded;
      break;
  }
  if (out.ahead > 0) count_out_of_order(qp, out.ahead);
  answer(i, p, std::nullopt, now, now);
  if (out.placement == policy::Placement::deliver) {
    const AckInfo ack{false, p.psn + 1, 0};
    const Picoseconds due = std::max(acks_.arrives(false, now).value_or(now), now);
    if (std::max(due, qp.written_until) == now) return take_response(i, ack, now);
    take_when_written(i, ack, due);
  }
  if (out.missing) request_again(i, *out.missing, now);
}

void rnic::request_again(std::size_t i, Psn psn, Picoseconds now) {
  ++counters_.reads_requested_again;
  const AckInfo as_nack{true, psn, 0};
  schedule(*acks_.arrives(true, now), response_event, static_cast<std::uint16_t>(i),
           acks_.next_ordinal(), as_nack.packed());
}

void rnic::dress_read(std::size_t i, Packet& p, const PacketPlace& place,
                      const policy::Transmission& t) {
  if (is_unreliable(p.opcode)) return dress_unreliable(i, p, t);
  QueuePair& qp = qps_[i];
  p.ack_request = false;
  p.msn = place.asks;
  if (place.opcode > Opcode::acknowledge) {
    const Bytes bytes = is_atomic(place.opcode) ? atomic_request : atomic_response;
    p.payload = static_cast<std::uint16_t>(bytes.count());
    p.frame = static_cast<std::uint16_t>(frame_bytes(place.opcode, bytes).count());
  }
  if (qp.responder() == nullptr) return;
  const auto on_wire = qp.responder()->on_wire(t.psn);
  p.psn = on_wire.psn;
  p.msn = on_wire.msn;
  p.syndrome = syndrome::ack;
  if (t.kind != policy::SendKind::rewind || !on_wire.restarts) return;
  // A response that is sent again begins as any does.
  if (p.opcode == Opcode::read_response_last) p.opcode = Opcode::read_response_only;
  if (p.opcode == Opcode::read_response_middle) p.opcode = Opcode::read_response_first;
  p.frame = static_cast<std::uint16_t>(frame_bytes(p.opcode, Bytes(p.payload)).count());
}

void rnic::release_response(std::size_t i) {
  if (const auto held = qps_[i].responder()->release())
    respond(i, held->port, false, held->response, cursor_);
}

}  // namespace horae::rnic
