#include "horae/rnic/host/payload_fetcher.hpp"

#include <algorithm>
#include <iterator>

#include "horae/rnic/host/host_addresses.hpp"

namespace horae::rnic {
namespace {

constexpr std::int64_t wqe_block = 64;  // one send WQE basic block: rdma-core mlx5dv.h
constexpr std::int64_t write_wqe = 48;  // used of it by a WRITE of one buffer: likewise
constexpr std::int64_t cache_line = 64;
constexpr std::uint64_t payload_bytes = std::uint64_t{1} << 23;  // what perftest posts: reused

}  // namespace

PayloadFetcher::PayloadFetcher(const FetchConfig& config, Bytes tx_buffer, HostPort& host,
                               WqeEvent wqe_event)
    : config_(config),
      prefetch_(config.prefetch.value_or(FetchConfig::least_prefetch)),
      tx_buffer_(tx_buffer),
      host_(host),
      wqe_event_(std::move(wqe_event)) {}

void PayloadFetcher::add(QueuePair& qp) {
  Stream s;
  s.qp = &qp;
  s.next = qp.sends_from();
  streams_.push_back(std::move(s));
}

IdleCause PayloadFetcher::cause(std::size_t i) const {
  const Stream& s = streams_[i];
  if (!s.slots.empty()) return IdleCause::payload;
  if (!s.qp->posted(s.next)) return IdleCause::doorbell;
  const std::uint64_t message = s.qp->place_ahead(s.next).message;
  if (message >= s.rung) return IdleCause::doorbell;
  return message >= s.wqes ? IdleCause::wqe : IdleCause::payload;
}

void PayloadFetcher::rung(std::size_t i, std::uint64_t messages, Picoseconds now) {
  Stream& s = streams_[i];
  s.rung = std::max(s.rung, messages);
  want(i);
  pump(now);
}

void PayloadFetcher::pushed(std::size_t i, std::uint64_t messages, Picoseconds now) {
  Stream& s = streams_[i];
  s.wqes = s.wqes_coming = std::max(s.wqes, messages);
  rung(i, messages, now);
}

void PayloadFetcher::wqe_arrived(std::size_t i, Picoseconds now) {
  Stream& s = streams_[i];
  // A read of before a flush is void; memory may answer it before or after the one that counts.
  if (now != s.wqes_at) return;
  s.wqes_at = never;
  if (good_wqes_ && !good_wqes_(i, s.wqes, s.wqes_coming - s.wqes)) [[unlikely]]
    return failed_(i, now);
  s.wqes = s.wqes_coming;
  if (observer_ != nullptr) [[unlikely]]
    observer_->wqes_came(i, s.wqes, now);
  want(i);
  pump(now);
}

void PayloadFetcher::take(std::size_t i, Picoseconds now) {
  Stream& s = streams_[i];
  const Slot slot = s.slots.front();
  s.slots.pop_front();
  s.bytes -= slot.bytes;
  used_ -= slot.bytes;
  want(i);
  pump(now);
}

void PayloadFetcher::want(std::size_t i) {
  if (streams_[i].queued) return;
  streams_[i].queued = true;
  ring_.push_back(static_cast<std::uint16_t>(i));
}

void PayloadFetcher::pump(Picoseconds now) {
  if (halted_) return;
  while (!ring_.empty()) {
    const std::uint16_t i = ring_.front();
    const Fetched fetched = fetch(i, now);
    if (fetched == Fetched::no_space) return;  // keeps its turn
    const bool alone = std::next(ring_.begin()) == ring_.end();
    if (fetched == Fetched::payload && (alone || turn_read_ < turn_)) continue;
    turn_read_ = 0;
    ring_.pop_front();
    if (fetched == Fetched::payload) {
      ring_.push_back(i);
    } else {
      streams_[i].queued = false;  // whatever could change that calls want()
    }
  }
}

PayloadFetcher::Fetched PayloadFetcher::fetch(std::size_t i, Picoseconds now) {
  Stream& s = streams_[i];
  if (!s.qp->posted(s.next)) return Fetched::nothing;
  const PacketPlace place = s.qp->place_ahead(s.next);
  if (place.message >= s.rung) return Fetched::nothing;
  if (wants_wqes(s, place.message)) fetch_wqes(s, i, now);
  if (place.message >= s.wqes) return Fetched::nothing;
  const bool in_wqe = post_ && post_->in_wqe(s.qp->wqe_payload(place.message));
  const std::int32_t payload = in_wqe ? 0 : place.payload;
  if (s.bytes > 0 && s.bytes + payload > prefetch_.count()) return Fetched::nothing;
  if (used_ > 0 && used_ + payload > tx_buffer_.count()) return Fetched::no_space;
  Picoseconds ready = now;
  if (payload > 0) ready = read_payload(s, i, place, now);
  if (observer_ != nullptr && ready != never) [[unlikely]]
    observer_->payload_read(i, s.next, now, ready);
  if (waits_ != nullptr && s.slots.empty()) waits_->forget(i);
  s.slots.push_back({ready, payload, place.psns});
  s.bytes += payload;
  turn_read_ += place.payload;
  occupy(payload);
  s.next = s.next + static_cast<std::int32_t>(place.psns);
  return Fetched::payload;
}

Picoseconds PayloadFetcher::read_payload(const Stream& s, std::size_t i, const PacketPlace& place,
                                         Picoseconds now) {
  const std::uint64_t offset = (s.next.value() & last_slot_) * slot_;
  const std::uint64_t address = host_address::source(i, offset);
  counters_.payload_bytes += place.payload;
  // The data of a READ lies in one buffer.
  if (!post_ || post_->sges == 1 || !s.qp->has_source()) {
    ++counters_.payload_reads;
    const Picoseconds ready = host_.read(now, address, Bytes(place.payload));
    if (ready == never) [[unlikely]]
      wait_for_time(s, i, now, now);
    return ready;
  }
  const std::int64_t message = s.qp->message_bytes(place.message).count();
  // All packets but the last are as long as each other.
  const std::int64_t packet = place.payload;
  const std::int64_t before =
      place.left == 1 ? message - packet : ((message + packet - 1) / packet - place.left) * packet;
  Picoseconds ready = now;
  post_->gather(message, before, packet, [&](std::int64_t buffer, std::int64_t in, auto bytes) {
    const std::uint64_t at = static_cast<std::uint64_t>(buffer) * payload_bytes +
                             static_cast<std::uint64_t>(in % cache_line);
    ++counters_.payload_reads;
    const Picoseconds one = host_.read(now, address + at, Bytes(bytes));
    if (one == never) [[unlikely]]
      wait_for_time(s, i, now, now);
    ready = std::max(ready, one);
  });
  return ready;
}

void PayloadFetcher::wait_for_time(const Stream& s, std::size_t i, Picoseconds now,
                                   Picoseconds ready) {
  const bool another =
      !readings_.empty() && readings_.back().qp == i && readings_.back().psn == s.next;
  if (!another) readings_.push_back({++asked_, i, s.next, 0, ready, now});
  ++readings_.back().reads;
  host_.when_known([this, id = readings_.back().id](Picoseconds t, Picoseconds at, bool ok) {
    payload_known(id, t, at, ok);
  });
}

void PayloadFetcher::payload_known(std::uint64_t id, Picoseconds now, Picoseconds at, bool ok) {
  const auto reading = std::find_if(readings_.begin(), readings_.end(),
                                    [id](const Reading& r) { return r.id == id; });
  if (reading == readings_.end()) return;  // discarded meanwhile
  reading->ready = std::max(reading->ready, at);
  const Reading r = *reading;
  if (!ok) {
    readings_.erase(reading);
    if (failed_) failed_(r.qp, now);
    return;
  }
  if (--reading->reads > 0) return;
  readings_.erase(reading);
  Stream& s = streams_[r.qp];
  Psn psn = s.next;
  for (const Slot& slot : s.slots) psn = psn - static_cast<std::int32_t>(slot.psns);
  for (Slot& slot : s.slots) {
    if (psn == r.psn) slot.ready = r.ready;
    psn = psn + static_cast<std::int32_t>(slot.psns);
  }
  if (observer_ != nullptr) observer_->payload_read(r.qp, r.psn, r.asked, r.ready);
  if (waits_ != nullptr) waits_->forget(r.qp);
}

void PayloadFetcher::forget_readings(std::size_t i, Psn from) {
  std::erase_if(readings_, [&](const Reading& r) { return r.qp == i && !r.psn.before(from); });
}

void PayloadFetcher::fetch_wqes(Stream& s, std::size_t i, Picoseconds now) {
  std::uint64_t n = std::min<std::uint64_t>(config_.wqe_batch, s.rung - s.wqes);
  if (good_wqes_) n = std::min(n, wqe_slots - s.wqes % wqe_slots);  // not over their end
  const Picoseconds at = host_.read(now, wqe_address(i, s.wqes), Bytes(wqe_bytes(s, s.wqes, n)));
  s.wqes_coming = s.wqes + n;
  ++counters_.wqe_reads;
  counters_.wqes_read += n;
  if (at != never) [[likely]]
    return plan_wqes(s, i, at);
  s.wqes_asked = ++asked_;
  host_.when_known([this, i, asked = asked_](Picoseconds t, Picoseconds done, bool ok) {
    wqes_known(i, asked, t, done, ok);
  });
}

std::uint64_t PayloadFetcher::wqe_address(std::size_t i, std::uint64_t message) {
  return host_address::send_queue(i, message % wqe_slots * wqe_block);
}

void PayloadFetcher::plan_wqes(Stream& s, std::size_t i, Picoseconds at) {
  if (post_) at += post_->queue_read;
  s.wqes_at = at;
  wqe_event_(i, at);
}

void PayloadFetcher::wqes_known(std::size_t i, std::uint64_t asked, Picoseconds now, Picoseconds at,
                                bool ok) {
  Stream& s = streams_[i];
  if (s.wqes_asked != asked) return;
  if (ok) return plan_wqes(s, i, at);
  if (failed_) failed_(i, now);
}

std::int64_t PayloadFetcher::wqe_bytes(const Stream& s, std::uint64_t message,
                                       std::uint64_t n) const {
  const Bytes more = s.qp->wqe_more();
  if (!post_) {
    const std::int64_t blocks = (write_wqe + more.count() + wqe_block - 1) / wqe_block;
    return static_cast<std::int64_t>(n) * blocks * wqe_block;
  }
  std::int64_t sum = 0;
  for (std::uint64_t m = message; m < message + n; ++m)
    sum += post_->wqe_bytes(s.qp->wqe_payload(m), more);
  return sum;
}

void PayloadFetcher::forget(std::size_t i, Picoseconds now) {
  Stream& s = streams_[i];
  s.slots.clear();
  std::erase_if(readings_, [i](const Reading& r) { return r.qp == i; });
  counters_.discarded_bytes += s.bytes;
  used_ -= s.bytes;
  s.bytes = 0;
  s.wqes_asked = 0;
  s.next = s.qp->posted_end();
  pump(now);
}

void PayloadFetcher::flush(Picoseconds /*now*/) {
  halted_ = true;
  readings_.clear();
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& s = streams_[i];
    for (const Slot& slot : s.slots) s.next = s.next - static_cast<std::int32_t>(slot.psns);
    s.slots.clear();
    counters_.discarded_bytes += s.bytes;
    used_ -= s.bytes;
    s.bytes = 0;
    s.wqes_at = never;
    s.wqes_asked = 0;
    if (s.qp->posted(s.next)) s.wqes = std::min(s.wqes, s.qp->place_ahead(s.next).message);
    s.wqes_coming = s.wqes;
    want(i);
  }
}

void PayloadFetcher::resume(Picoseconds now) {
  halted_ = false;
  pump(now);
}

void PayloadFetcher::allocate(Bytes size, Picoseconds /*now*/) {
  while (used_ > 0 && used_ + size.count() > tx_buffer_.count()) {
    // From whoever has most read ahead: a small victim would be read again at once.
    const auto victim =
        std::max_element(streams_.begin(), streams_.end(),
                         [](const Stream& a, const Stream& b) { return a.bytes < b.bytes; });
    if (victim == streams_.end() || victim->slots.empty()) break;
    const std::int32_t bytes = victim->slots.back().bytes;
    victim->next = victim->next - static_cast<std::int32_t>(victim->slots.back().psns);
    victim->slots.pop_back();
    if (!readings_.empty())
      forget_readings(static_cast<std::size_t>(victim - streams_.begin()), victim->next);
    victim->bytes -= bytes;
    used_ -= bytes;
    counters_.discarded_bytes += bytes;
    want(static_cast<std::size_t>(victim - streams_.begin()));
  }
  occupy(size.count());
}

void PayloadFetcher::release(Bytes size, Picoseconds now) {
  used_ -= size.count();
  pump(now);
}

void PayloadFetcher::occupy(std::int64_t bytes) {
  used_ += bytes;
  most_used_ = std::max(most_used_, used_);
}

}  // namespace horae::rnic
