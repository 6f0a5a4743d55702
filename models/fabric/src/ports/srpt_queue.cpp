#include "horae/fabric/ports/srpt_queue.hpp"

#include <algorithm>

namespace horae::fabric {

SrptQueue::Flow& SrptQueue::flow_of(const Packet& p) {
  const Key key{p.src, p.dst, p.dest_qp.value()};
  if (const auto it = flows_.find(key); it != flows_.end()) return *it;
  if (free_.empty()) free_.push_back(&slots_.emplace_back());
  Flow& flow = *free_.back();
  free_.pop_back();
  flow.key = key;
  if (flows_.size() == buckets_.size()) {
    std::vector<Flows::bucket_type> more(2 * buckets_.size());
    flows_.rehash({more.data(), more.size()});
    buckets_.swap(more);
  }
  flows_.insert(flow);
  return flow;
}

void SrptQueue::push(Packet& p) {
  Entry entry{.ordinal = ordinal_++,
              .sequence = 0,
              .flow = nullptr,
              .packet = nullptr,
              .remaining = static_cast<std::uint16_t>(p.bth_reserved & remaining_mask)};
  if (order_ == RemainingOrder::packet) {
    entry.packet = &p;
  } else {
    Flow& flow = flow_of(p);
    flow.packets.push_back(p);
    entry.sequence = flow.queued++;
    entry.flow = &flow;
  }
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), Entry::later);
  ++size_;
}

Packet& SrptQueue::pop() {
  if (order_ == RemainingOrder::packet) {
    std::pop_heap(heap_.begin(), heap_.end(), Entry::later);
    Packet& p = *heap_.back().packet;
    heap_.pop_back();
    --size_;
    return p;
  }
  while (heap_.front().gone()) {
    std::pop_heap(heap_.begin(), heap_.end(), Entry::later);
    heap_.pop_back();
  }
  Flow& flow = *heap_.front().flow;
  Packet& p = flow.packets.front();
  flow.packets.pop_front();
  ++flow.left;
  --size_;
  if (flow.packets.empty()) {
    flows_.erase(flows_.iterator_to(flow));
    free_.push_back(&flow);
  }
  tidy();
  return p;
}

void SrptQueue::tidy() {
  constexpr std::size_t few = 64;
  if (heap_.size() <= 2 * size_ + few) return;
  std::erase_if(heap_, [](const Entry& e) { return e.gone(); });
  std::make_heap(heap_.begin(), heap_.end(), Entry::later);
}

}  // namespace horae::fabric
