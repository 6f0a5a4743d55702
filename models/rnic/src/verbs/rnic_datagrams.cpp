// Queue pairs of the NIC that acknowledge nothing: UC and UD.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/core/service.hpp"
#include "horae/rnic/rnic.hpp"
#include "shell/rnic_events.hpp"

namespace horae::rnic {

void check_unreliable(const RnicConfig& config) {
  const char* const what = "a service without acknowledgements (uc, ud)";
  check_unheard(config, what);
  if (config.tx_latency == 0_ps)
    throw InputError(
        fmt::format("{} with tx_latency = 0, from whose end on a message is completed; "
                    "expected more",
                    what));
}

bool rnic::has_unreliable() const {
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    if (is_unreliable(qps_[i].config().service)) return true;
  }
  return false;
}

void rnic::dress_unreliable(std::size_t i, Packet& p, const policy::Transmission& t) {
  p.ack_request = false;
  // The DETH names the sender's queue pair.
  if (is_ud(p.opcode)) p.msn = number_of(i).value();
  p.frame = static_cast<std::uint16_t>(frame_of_service(p.opcode, Bytes(p.payload)).count());
  if (!ends_message(operation_of(p.opcode))) return;
  ++counters_.messages_left;
  const Bytes frame = config_.frames == Frames::roce
                          ? Bytes(p.frame)
                          : other_frame(config_.frames, Bytes(p.payload), Bytes(p.frame));
  // No window is longer than the latency (add_queue_pair): what is decided in one completes behind
  // it.
  const Picoseconds leaves = cursor_ + config_.tx_latency +
                             (wire_ != nullptr ? wire_->serialisation(l1_bytes(frame))
                                               : serialisation_time(l1_bytes(frame), line_rate_));
  const AckInfo left{false, t.psn + 1, 0};
  schedule(leaves, response_event, static_cast<std::uint16_t>(i), acks_.next_ordinal(),
           left.packed());
}

void rnic::take_unreliable(std::size_t i, Packet& p, Picoseconds now) {
  QueuePair& qp = qps_[i];
  policy::UnreliableReceiver* const receiver = qp.unreliable();
  // The service of a packet that is none of its queue pair's: it is dropped (IBTA vol. 1, 9.6.1.1).
  if (receiver == nullptr) return drop_received(p, fabric::DropCause::unknown_qp, now);
  if (finds_no_room(p, now)) return drop_received(p, fabric::DropCause::buffer_full, now);
  ReceiveQueue* const queue =
      qp.config().receives ? &*receive_queues_[receive_queue_of(i)] : nullptr;
  const auto out =
      receiver->on_packet({p.psn, operation_of(p.opcode)}, queue != nullptr && queue->ready());
  ++counters_.data_received;
  ++qp.progress().received;
  counters_.psn_gaps += out.gap ? 1 : 0;
  counters_.messages_broken += out.broke ? 1 : 0;
  counters_.messages_unwanted += out.lacks_wqe ? 1 : 0;
  if (out.broke) qp.arriving = 0;
  if (out.takes_wqe) {
    queue->take();
    read_receive_wqes(receive_queue_of(i), now);
  }
  if (out.delivered) {
    qp.arriving += p.payload;
    if (host_.modelled()) place_payload(i, p, now);
  } else {
    ++counters_.discarded;
  }
  if (out.completes) {
    ++counters_.messages_whole;
    // A message counts when it is whole.
    counters_.delivered_bytes += static_cast<std::uint64_t>(qp.arriving);
    qp.progress().delivered_bytes += static_cast<std::uint64_t>(qp.arriving);
    qp.arriving = 0;
    if (ends_received_message(operation_of(p.opcode))) write_receive_cqe(i, now);
  }
  if (nic_watcher_ != nullptr) [[unlikely]]
    notify_placed(i, p, now);
  if (out.ahead > 0) count_out_of_order(qp, out.ahead);
  if (qp.notification) answer(i, p, {}, now, now);
  pool().deliver(p);
}

}  // namespace horae::rnic
