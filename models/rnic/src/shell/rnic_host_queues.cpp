// Work of the NIC's host for a message: threads post it, and a CQE is found.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

void check_host_queues(const RnicConfig& config) {
  if (config.post && config.post->sges > 1 && config.post->inline_most > 0_B)
    throw InputError(fmt::format(
        "sges = {} with inline = {}: payload in a WQE is gathered by who posts; expected sges = 1 "
        "or inline = 0 B",
        config.post->sges, to_text(config.post->inline_most)));
  if (config.host == HostModel::pcie) return;
  for (const auto& [table, there] :
       {std::pair{"post", config.post.has_value()}, {"cq", config.cq.has_value()}}) {
    if (!there) continue;
    throw InputError(
        fmt::format("table '{}' is of a NIC with its host, found host = \"none\"; expected host = "
                    "\"pcie\"",
                    table));
  }
}

void rnic::hand_to_poster(std::size_t i, std::uint64_t messages, Picoseconds now) {
  plan_posting(posting_->want(i, messages, now));
}

void rnic::plan_posting(const std::optional<Posting::Step>& step) {
  if (!step) return;
  schedule(step->done, written_event, step->thread, event_ordinal_++);
}

void rnic::written(std::size_t thread, Picoseconds now) {
  const Posting::Done done = posting_->done(thread, now);
  if (nic_watcher_ != nullptr) [[unlikely]] {
    const std::uint64_t rung =
        done.rings ? qps_[done.rings->qp].rung_messages + done.rings->messages : 0;
    nic_watcher_->wrote(*this, done.written.qp, rung, done.began, now);
  }
  if (done.rings) ring(done.rings->qp, done.rings->messages, now);
  plan_posting(done.next);
  plan_posting(done.proxy);
}

void rnic::ring(std::size_t i, std::uint32_t messages, Picoseconds now) {
  QueuePair& qp = qps_[i];
  const std::uint64_t before = qp.rung_messages;
  qp.rung_messages += messages;
  Picoseconds there{};
  if (config_.post->method == PostMethod::blue_flame) {
    constexpr std::int64_t line = 64;  // a write-combining buffer of the CPU
    std::int64_t bytes = 0;
    for (std::uint64_t m = before; m < qp.rung_messages; ++m)
      bytes += config_.post->wqe_bytes(qp.wqe_payload(m), qp.wqe_more());
    for (; bytes > 0; bytes -= line) there = host_.link->push_wqes(now, Bytes(line));
  } else {
    there = host_.link->doorbell(now);
  }
  schedule(there, doorbell_event, static_cast<std::uint16_t>(i), event_ordinal_++,
           qp.rung_messages);
}

void rnic::await_cqe(std::size_t i, std::uint32_t messages, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (messages == 0) return;
  const bool first = qp.without_cqe == 0;
  qp.without_cqe += messages;
  // The last message posted has a CQE; of others every n-th.
  const std::uint32_t rest = qp.unacknowledged() == 0 ? 0 : qp.without_cqe % config_.cq->messages;
  const std::uint32_t told = qp.without_cqe - rest;
  write_cqes(i, told, now);
  if (rest == 0 || config_.cq->hold == 0_ps) return;
  if (told == 0 && !first) return;  // the time of the first one runs already
  qp.cqe_due = now + config_.cq->hold;
  schedule(qp.cqe_due, cqe_event, static_cast<std::uint16_t>(i), event_ordinal_++);
}

void rnic::write_cqes(std::size_t i, std::uint32_t messages, Picoseconds now) {
  if (messages == 0) return;
  QueuePair& qp = qps_[i];
  qp.without_cqe -= messages;
  if (host_.contexts) host_.contexts->complete(i, now);
  const Picoseconds visible = write_entries(i, messages, now);
  if (visible != never) [[likely]]
    return cqes_visible(i, messages, now, visible);
  host_.link->when_known([this, i, messages, now](Picoseconds, Picoseconds at, bool) {
    cqes_visible(i, messages, now, at);
  });
}

void rnic::cqes_visible(std::size_t i, std::uint32_t messages, Picoseconds written,
                        Picoseconds visible) {
  if (nic_watcher_ != nullptr) [[unlikely]]
    nic_watcher_->cqe_written(*this, i, messages, written, visible, found_at(visible));
  schedule(found_at(visible), found_event, static_cast<std::uint16_t>(i), event_ordinal_++,
           messages);
}

Picoseconds rnic::write_entries(std::size_t i, std::uint32_t messages, Picoseconds now) {
  const std::uint32_t each = config_.cq->messages;
  const std::uint32_t entries = (messages + each - 1) / each;
  const std::uint64_t at = host_address::completion_queue(i);
  if (config_.cq->mini_cqe && entries > 1)
    return host_.link->write(now, at, Bytes(config_.cq->bytes_of(entries)));
  Picoseconds visible = now;
  for (std::uint32_t n = 0; n < entries; ++n) {
    if (contents_ != nullptr) [[unlikely]]
      stage_cqe(i, qps_[i].without_cqe + (entries - 1 - n) * each);
    visible = host_.link->write(now, at, config_.cq->cqe);
  }
  return visible;
}

Picoseconds rnic::found_at(Picoseconds visible) const {
  const Picoseconds interval = config_.cq->poll_interval;
  if (interval > 0_ps) visible = interval * ((visible + interval - 1_ps) / interval);
  return visible + config_.cq->poll;
}

void rnic::cqe_held(std::size_t i, Picoseconds now) {
  if (qps_[i].cqe_due == now) write_cqes(i, qps_[i].without_cqe, now);
}

void rnic::cqe_found(std::size_t i, std::uint32_t messages, Picoseconds now) {
  QueuePair& qp = qps_[i];
  const std::uint64_t bytes_before = qp.progress().completed_bytes;
  qp.complete_acknowledged(messages, now);
  counters_.messages_completed += messages;
  counters_.bytes_completed += qp.progress().completed_bytes - bytes_before;
  complete(i, messages, now);
}

}  // namespace horae::rnic
