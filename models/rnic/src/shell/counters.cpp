#include "horae/rnic/counters.hpp"

namespace horae::rnic {
namespace {

/// Applies `op` to every pair of counters.
template <class Op>
void combine(RnicCounters& a, const RnicCounters& b, Op op) {
  for (std::size_t i = 0; i < policy::send_kinds; ++i) {
    op(a.sent[i], b.sent[i]);
    op(a.sent_frames[i], b.sent_frames[i]);
  }
  op(a.acks_sent, b.acks_sent);
  op(a.nacks_sent, b.nacks_sent);
  op(a.sacks_sent, b.sacks_sent);
  op(a.acks_received, b.acks_received);
  op(a.sacks_received, b.sacks_received);
  op(a.nacks_received, b.nacks_received);
  op(a.nacks_served, b.nacks_served);
  op(a.nacks_stale, b.nacks_stale);
  op(a.nacks_merged, b.nacks_merged);
  op(a.nacks_suppressed, b.nacks_suppressed);
  op(a.cnps_sent, b.cnps_sent);
  op(a.cnps_received, b.cnps_received);
  op(a.pulls_sent, b.pulls_sent);
  op(a.pulls_received, b.pulls_received);
  op(a.read_requests_received, b.read_requests_received);
  op(a.reads_answered_again, b.reads_answered_again);
  op(a.reads_requested_again, b.reads_requested_again);
  op(a.atomics_executed, b.atomics_executed);
  op(a.atomic_wait, b.atomic_wait);
  op(a.rnr_naks_sent, b.rnr_naks_sent);
  op(a.rnr_naks_received, b.rnr_naks_received);
  op(a.rnr_errors, b.rnr_errors);
  op(a.messages_received, b.messages_received);
  op(a.receive_wqe_waits, b.receive_wqe_waits);
  op(a.messages_left, b.messages_left);
  op(a.messages_whole, b.messages_whole);
  op(a.messages_broken, b.messages_broken);
  op(a.messages_unwanted, b.messages_unwanted);
  op(a.psn_gaps, b.psn_gaps);
  op(a.dc_connects, b.dc_connects);
  op(a.services, b.services);
  op(a.service_time, b.service_time);
  op(a.retransmit_reads, b.retransmit_reads);
  op(a.retransmit_read_bytes, b.retransmit_read_bytes);
  op(a.context_misses, b.context_misses);
  for (std::size_t k = 0; k < cache_kinds; ++k) {
    op(a.cache_misses[k], b.cache_misses[k]);
  }
  op(a.rx_buffer_drops, b.rx_buffer_drops);
  op(a.pauses_sent, b.pauses_sent);
  op(a.lock_time, b.lock_time);
  op(a.timeouts, b.timeouts);
  op(a.data_received, b.data_received);
  op(a.out_of_order, b.out_of_order);
  op(a.duplicates, b.duplicates);
  op(a.discarded, b.discarded);
  op(a.trimmed, b.trimmed);
  op(a.delivered_bytes, b.delivered_bytes);
  op(a.messages_completed, b.messages_completed);
  op(a.bytes_completed, b.bytes_completed);
  op(a.messages_failed, b.messages_failed);
  op(a.errors, b.errors);
  op(a.bitmap_words, b.bitmap_words);
  for (std::size_t i = 0; i < policy::rejections; ++i) op(a.rejected[i], b.rejected[i]);
  op(a.ordering_words, b.ordering_words);
  op(a.ordering_cycles, b.ordering_cycles);
  op(a.ordering_searched, b.ordering_searched);
  op(a.ordering_wait, b.ordering_wait);
  op(a.writes_held, b.writes_held);
  for (std::size_t i = 0; i < idle_causes; ++i) op(a.idle[i], b.idle[i]);
  for_each_pair(a.engine, b.engine, op);
  op(a.entropy.recycled, b.entropy.recycled);
  op(a.entropy.random, b.entropy.random);
  op(a.entropy.frozen, b.entropy.frozen);
  op(a.entropy.fixed, b.entropy.fixed);
  op(a.entropy.freezes, b.entropy.freezes);
  op(a.entropy.frozen_time, b.entropy.frozen_time);
}

}  // namespace

RnicCounters operator-(RnicCounters a, const RnicCounters& b) {
  combine(a, b, [](auto& x, const auto& y) { x -= y; });
  return a;
}
RnicCounters operator+(RnicCounters a, const RnicCounters& b) {
  combine(a, b, [](auto& x, const auto& y) { x += y; });
  return a;
}

}  // namespace horae::rnic
