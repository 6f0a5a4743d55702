// Messages of the NIC that take receive WQEs: SENDs, and WRITEs with immediate data.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/codec/rnr_nak.hpp"
#include "horae/core/error.hpp"
#include "horae/core/verb.hpp"
#include "horae/rnic/rnic.hpp"
#include "shell/rnic_events.hpp"

namespace horae::rnic {

void check_unheard(const RnicConfig& config, const char* what) {
  const auto refuse = [what](std::string_view key, std::string_view value,
                             std::string_view expected) {
    throw InputError(
        fmt::format("{} with {} = '{}', which has none; expected {}", what, key, value, expected));
  };
  if (config.ordering.engine != "none") refuse("ordering.engine", config.ordering.engine, "'none'");
  if (!policy::find_entropy_scheme(config.entropy.scheme).constant)
    refuse("entropy.scheme", config.entropy.scheme, "'fixed'");
  const auto& congestion = policy::find_congestion_algorithm(config.congestion.algorithm);
  if (congestion.listens.acks || congestion.make_grants != nullptr)
    refuse("congestion.algorithm", congestion.name, "'none' or 'dcqcn'");
}

void check_sends(const RnicConfig& config) {
  const char* const what = "a verb that takes receive WQEs (send, write_imm)";
  const auto& transport = policy::find_transport(config.transport);
  if (transport.sends_by.empty()) {
    std::string expected;
    for (const auto& t : policy::transports()) {
      if (!t.sends_by.empty())
        expected += fmt::format("{}'{}'", expected.empty() ? "" : " or ", t.name);
    }
    throw InputError(fmt::format("{} with transport = '{}', which has none; expected {}", what,
                                 transport.name, expected));
  }
  // A SEND says nothing of its place in memory, which an engine orders by.
  if (config.ordering.engine != "none")
    throw InputError(fmt::format("{} with ordering.engine = '{}', which has none; expected 'none'",
                                 what, config.ordering.engine));
}

void check_receive_queues(const RnicConfig& config) {
  if (!config.receive || config.receive->batch <= config.receive->depth) return;
  throw InputError(fmt::format(
      "receive.batch = {}: found a queue of receive.depth = {}, which would never be posted again; "
      "expected a batch of at most {}",
      config.receive->batch, config.receive->depth, config.receive->depth));
}

void rnic::add_receive_queue(std::size_t i) {
  const ReceiveConfig config = config_.receive.value_or(ReceiveConfig{});
  shares_receives_ = config.shared;
  taken_at_once_ = 0;
  const std::size_t queue = receive_queue_of(i);
  if (queue >= receive_queues_.size()) receive_queues_.resize(queue + 1);
  if (!receive_queues_[queue]) receive_queues_[queue].emplace(config, host_.modelled());
}

void rnic::receive_in_turn(std::size_t i, Packet& p, Picoseconds now) {
  // Responses are of what it requested itself.
  if (is_read_response(p.opcode) || !waits_for_receive_wqe(i, p, now)) take_data(i, p, now);
}

void rnic::take_data(std::size_t i, Packet& p, Picoseconds now) {
  if (is_unreliable(p.opcode)) return take_unreliable(i, p, now);
  const bool message = p.opcode < Opcode::write_first || has_immediate(p.opcode);
  if (is_atomic(p.opcode)) {
    receive_atomic(i, p, now);
    return pool().deliver(p);
  }
  const bool there = p.opcode >= Opcode::read_request ? receive_read(i, p, now)
                     : message                        ? receive_message(i, p, now)
                                                      : receive_data(i, p, now);
  if (!there) return drop_received(p, fabric::DropCause::buffer_full, now);
  pool().deliver(p);
}

bool rnic::lacks_receive_wqe(std::size_t i, const Packet& p) {
  if (policy::UnreliableReceiver* const receiver = qps_[i].unreliable()) {
    if (!receiver->wants_receive_wqe({p.psn, operation_of(p.opcode)})) return false;
  } else if (!takes_receive_wqe(p.opcode) || p.psn != qps_[i].receiver().expected_psn()) {
    return false;
  }
  const ReceiveQueue& queue = *receive_queues_[receive_queue_of(i)];
  return queue.ready() && !queue.here();
}

bool rnic::waits_for_receive_wqe(std::size_t i, Packet& p, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (!qp.config().receives || (qp.packets_held == 0 && !lacks_receive_wqe(i, p))) return false;
  const std::size_t q = receive_queue_of(i);
  ReceiveQueue& queue = *receive_queues_[q];
  if (finds_no_room(p, now)) {
    drop_received(p, fabric::DropCause::buffer_full, now);
    return true;
  }
  read_receive_wqes(q, now);
  // Until it has a WQE, whichever read brings that.
  const RxBuffer::Queue place = RxBuffer::queue_of(p.ingress_port, p.traffic_class);
  if (host_.rx_buffer.keep(place, Bytes(p.payload))) [[unlikely]]
    pause_peer(place, now);
  queue.waiting.push_back(&p);
  ++qp.packets_held;
  ++receives_waiting_;
  ++counters_.receive_wqe_waits;
  return true;
}

bool rnic::receive_message(std::size_t i, const Packet& p, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (!qp.config().receives)
    throw ModelError(fmt::format("{}: a message for a queue pair without receive WQEs", name()));
  if (finds_no_room(p, now)) return false;
  const Psn expected = qp.receiver().expected_psn();
  if (p.psn == expected && !p.trimmed && takes_receive_wqe(p.opcode)) {
    ReceiveQueue& queue = *receive_queues_[receive_queue_of(i)];
    if (!queue.ready()) {
      ++counters_.data_received;
      ++qp.progress().received;
      ++counters_.discarded;
      answer(i, p, qp.receiver().not_ready(), now, now);
      return true;
    }
    queue.take();
    read_receive_wqes(receive_queue_of(i), now);
  }
  receive_data(i, p, now);
  if (ends_received_message(p.opcode) && qp.receiver().expected_psn() != expected)
    write_receive_cqe(i, now);
  return true;
}

void rnic::write_receive_cqe(std::size_t i, Picoseconds now) {
  if (!host_.modelled()) return received_found(i, now);
  if (host_.contexts) host_.contexts->complete(i, now);
  // Writes of one NIC are in memory in their order, so the payload is there before.
  const Picoseconds visible = config_.cq
                                  ? write_entries(i, 1, now)
                                  : host_.link->write(now, host_address::completion_queue(i), 64_B);
  const auto find = [this, i](Picoseconds at) {
    schedule(config_.cq ? found_at(at) : at, received_event, static_cast<std::uint16_t>(i),
             event_ordinal_++);
  };
  if (visible != never) [[likely]]
    return find(visible);
  host_.link->when_known([find](Picoseconds, Picoseconds at, bool) { find(at); });
}

void rnic::received_found(std::size_t i, Picoseconds now) {
  ++counters_.messages_received;
  const QueuePairConfig& config = qps_[i].config();
  if (config.exchange >= 0 || config.program >= 0) notify_from(i, 1, now, now);
  const std::size_t q = receive_queue_of(i);
  const auto posting = receive_queues_[q]->found(now);
  if (!posting) return;
  if (posting->at == now) return post_receives(q, posting->wqes, now);
  schedule(posting->at, repost_event, static_cast<std::uint16_t>(q), event_ordinal_++,
           posting->wqes);
}

void rnic::post_receives(std::size_t q, std::uint32_t wqes, Picoseconds now) {
  receive_queues_[q]->post(wqes);
  read_receive_wqes(q, now);
}

void rnic::read_receive_wqes(std::size_t q, Picoseconds now) {
  ReceiveQueue& queue = *receive_queues_[q];
  const std::uint32_t wqes = queue.to_read();
  if (wqes == 0) return;
  const Bytes wqe = config_.receive.value_or(ReceiveConfig{}).wqe;
  const std::uint64_t address = host_address::receive_queue(q, queue.offset());
  queue.read(wqes);
  const Picoseconds done = host_.link->read(now, address, wqe * static_cast<std::int64_t>(wqes));
  const auto arrive = [this, q, wqes](Picoseconds, Picoseconds at) {
    schedule(at, wqes_event, static_cast<std::uint16_t>(q), event_ordinal_++, wqes);
  };
  if (done == never) [[unlikely]]
    return host_.link->when_known([arrive](Picoseconds t, Picoseconds at, bool) { arrive(t, at); });
  arrive(now, done);
}

void rnic::receive_wqes_arrived(std::size_t q, std::uint32_t wqes, Picoseconds now) {
  ReceiveQueue& queue = *receive_queues_[q];
  queue.arrived(wqes);
  while (!queue.waiting.empty()) {
    Packet& p = *queue.waiting.front();
    const std::size_t i = qps_.index_of(p.dest_qp);
    if (lacks_receive_wqe(i, p)) break;
    host_.rx_buffer.free(RxBuffer::queue_of(p.ingress_port, p.traffic_class), Bytes(p.payload));
    queue.waiting.pop_front();
    --qps_[i].packets_held;
    --receives_waiting_;
    take_data(i, p, now);
  }
  read_receive_wqes(q, now);
  resume_freed(now);
}

void rnic::receive_rnr_nak(std::size_t i, const Packet& p, Picoseconds now) {
  ++counters_.rnr_naks_received;
  if (auto* t = recorder()) t->instant("received", fmt::format("RNR NAK {}", p.psn.value()), now);
  const auto code = static_cast<std::uint8_t>(p.syndrome & syndrome::rnr_timer_bits);
  const AckInfo ack{true, p.psn, 0, static_cast<std::uint8_t>(code + 1)};
  const auto due = acks_.arrives(false, now);
  if (listens_) [[unlikely]] {
    // It brings the feedback of the packet that was refused.
    const Feedback& f = feedback_of(p);
    if (!due) return apply_ack(i, ack, {i, f, now - f.sent}, now);
    heard_.push_back({i, f, now - f.sent});
  }
  if (!due) return take_response(i, ack, now);
  schedule(*due, response_event, static_cast<std::uint16_t>(i), acks_.next_ordinal(), ack.packed());
}

void rnic::put_off(std::size_t i, const AckInfo& ack, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (!qp.sender().accepts_nack(ack.psn)) return;
  if (qp.rnr_psn != ack.psn) qp.rnr_count = 0;
  qp.rnr_psn = ack.psn;
  const std::uint32_t retries = config_.reliability.rnr_retries();
  if (retries != policy::TransportConfig::rnr_without_end && qp.rnr_count == retries) {
    qp.progress().rnr_error = true;
    ++counters_.rnr_errors;
    return fail(i, now);
  }
  ++qp.rnr_count;
  qp.rnr_until = now + rnr_time(ack.rnr - 1u);
  qp.locked_until = std::max(qp.locked_until, qp.rnr_until);
  qp.sender().put_off(ack.psn, qp.rnr_until);
  refresh(i);
}

}  // namespace horae::rnic
