// Messages of the NIC: posted, completed, and received for others that wait for them.
#include <algorithm>

#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

void rnic::post(std::size_t i, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (qp.connecting) return;
  const bool on_demand = initiators_ && qp.config().service == Service::dc;
  if (on_demand && !has_turn(i, now)) return refresh(i);
  const std::uint64_t posted_before = qp.progress().posted_messages;
  const bool waits = qp.credited != nullptr && qp.waiting() > 0_B;
  const std::uint64_t received = exchanges_.received(qp.config().exchange);
  const Picoseconds due =
      on_demand ? qp.post_due(now, received, initiators_->left(i)) : qp.post_due(now, received);
  if (contents_ != nullptr) [[unlikely]]
    write_wqes(i, posted_before);
  if (nic_watcher_ != nullptr) [[unlikely]]
    notify_posted(i, posted_before, now);
  if (posting_ && qp.progress().posted_messages > posted_before) [[unlikely]] {
    hand_to_poster(i, qp.progress().posted_messages - posted_before, now);
  } else if (host_.fetcher && qp.progress().posted_messages > posted_before) {
    schedule(host_.link->doorbell(now), doorbell_event, static_cast<std::uint16_t>(i),
             event_ordinal_++, qp.progress().posted_messages);
  }
  if (config_.entropy.keeps() && posted_before == 0 && qp.progress().posted_messages > 0)
    inherit_state(qp);
  if (qp.credited != nullptr && qp.progress().posted_messages > posted_before)
    settle_credit(i, !waits, now);
  if (due != never) post_at(i, due);
  refresh(i);
  if (!on_demand) return;
  initiators_->posted(i, qp.progress().posted_messages - posted_before);
  end_turn(i, now);
}

void rnic::post_at(std::size_t i, Picoseconds at) {
  if (qps_[i].post_scheduled) return;
  qps_[i].post_scheduled = true;
  schedule(at, post_event, static_cast<std::uint16_t>(i), 0);
}

void rnic::use_completion_queue(std::size_t i, std::uint32_t messages, Picoseconds now) {
  if (host_.contexts) host_.contexts->complete(i, now);
  // A completion queue entry each.
  for (std::uint32_t n = 0; host_.modelled() && n < messages; ++n) {
    if (contents_ != nullptr) [[unlikely]]
      stage_cqe(i, messages - 1 - n);
    host_.link->write(now, host_address::completion_queue(i), 64_B);
  }
}

void rnic::complete(std::size_t i, std::uint32_t messages, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (nic_watcher_ != nullptr) [[unlikely]]
    notify_completed(i, messages, now);
  post(i, now);
  qps_.completed(qp);
  if (config_.entropy.keeps() && qp.finished()) finished_last_[qp.config().peer] = i;
  if (qp.config().completes >= 0) notify(qp.config().completes, messages, now);
  if (qp.config().program >= 0) [[unlikely]] {
    const auto program = static_cast<std::size_t>(qp.config().program);
    programs_[program].completed(qp.config().channel, messages, now);
    go_on(program, now);
  }
}

void rnic::in_memory(std::size_t i, std::uint32_t messages, Picoseconds now) {
  if (messages == 0) return;
  const QueuePair& qp = qps_[i];
  if (qp.written_until == never) [[unlikely]]
    return wait_for_writes(i, [this, i, messages, now](Picoseconds t, Picoseconds written) {
      notify_from(i, messages, std::max(now, written), t);
    });
  notify_from(i, messages, std::max(now, qp.written_until), now);
}

void rnic::notify_from(std::size_t i, std::uint32_t messages, Picoseconds there, Picoseconds now) {
  const Picoseconds at = there + qps_[i].config().notify_delay;
  if (at == now) return tell_received(i, messages, now);
  schedule(at, notify_event, static_cast<std::uint16_t>(i), event_ordinal_++, messages);
}

void rnic::notify(int exchange, std::uint64_t messages, Picoseconds now) {
  std::uint64_t passed_over = 0;
  for (const std::uint16_t waiting : exchanges_.count(exchange, messages)) {
    post(waiting, now);
    if (qps_[waiting].in_error()) passed_over += qps_[waiting].config().visit;
  }
  // Not for ever where all of them are in error.
  const auto& all = exchanges_.waiting(exchange);
  const auto goes_on = [this](std::uint16_t i) { return !qps_[i].in_error(); };
  if (passed_over > 0 && std::any_of(all.begin(), all.end(), goes_on)) [[unlikely]]
    notify(exchange, passed_over, now);
}

}  // namespace horae::rnic
