// Contexts and translations that are not on the chip: what a miss costs.
#include <algorithm>

#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {
namespace {

constexpr Bytes entry_read = 64_B;  // one cache line of host memory
constexpr std::uint64_t context_memory = std::uint64_t{1} << 57;

}  // namespace

std::uint32_t rnic::use_context(std::size_t i, Psn psn, bool payload, Picoseconds now) {
  CacheAccess access = cache_->access(CacheKind::queue_pair, i);
  if (payload) {
    const std::int64_t page = config_.sram.page.count();
    const std::int64_t pages = std::max<std::int64_t>(1, qps_[i]->config().buffer.count() / page);
    const std::int64_t at = std::int64_t{psn.value()} * config_.mtu.count() / page % pages;
    const CacheAccess translated =
        cache_->translate(0, static_cast<std::uint64_t>(static_cast<std::int64_t>(i) * pages + at));
    access.reads += translated.reads;
    access.write_back += translated.write_back;
  }
  if (access.write_back > 0) host_->write(now, context_memory, Bytes(access.write_back));
  counters_.context_misses += access.reads;
  return access.reads;
}

void rnic::use_completion_queue(std::size_t i, Picoseconds now) {
  // Posted: nothing waits for it.
  const CacheAccess access = cache_->access(CacheKind::completion_queue, i);
  counters_.context_misses += access.reads;
  if (access.reads > 0) host_->read(now, context_memory, entry_read);
  if (access.write_back > 0) host_->write(now, context_memory, Bytes(access.write_back));
}

Picoseconds rnic::fetch_context(std::uint32_t reads, Picoseconds now) {
  // Each read depends on the one before and takes as long as the first does now; the later ones'
  // share of the link is taken now as well.
  Picoseconds done{};
  const Picoseconds one = host_->read(now, context_memory, entry_read) - now;
  for (std::uint32_t n = 1; n < reads; ++n) {
    done = std::max(done, host_->read(now, context_memory, entry_read));
  }
  return std::max(done, now + one * static_cast<std::int64_t>(reads));
}

bool rnic::context_here(std::size_t i, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  // What was fetched for this packet serves it, even if others have evicted it meanwhile.
  if (qp.context_ready >= 0_ps) return qp.context_ready <= now;
  const std::uint32_t reads = use_context(i, qp.next_new(), true, now);
  if (reads == 0) return true;
  qp.context_ready = fetch_context(reads, now);
  return false;
}

Picoseconds rnic::receive_ready(const Packet& p, Picoseconds now) {
  const std::size_t i = index_of(p.dest_qp);
  QueuePair& qp = *qps_[i];
  const std::uint32_t reads = use_context(i, p.psn, p.is_data(), now);
  const Picoseconds own = reads == 0 ? now : fetch_context(reads, now);
  // Packets of a queue pair stay in order.
  qp.receive_ready = std::max(qp.receive_ready, own);
  return qp.receive_ready;
}

}  // namespace horae::rnic
