// Contexts and translations that are not on the chip: what a miss costs. No SystemC.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "horae/rnic/host/host_addresses.hpp"
#include "horae/rnic/host/open_accesses.hpp"
#include "horae/rnic/memory/context_cache.hpp"
#include "horae/rnic/parts/queue_pair.hpp"

namespace horae::rnic {

/// Each packet sent or received uses its queue pair's context, and with payload a memory key and a
/// translation. What is not in the cache is read from host memory first; the packet waits for it.
/// `Host` has read, write and when_known as host_interface has them (a type, so that a hit pays no
/// virtual call). Times never decrease.
template <class Host>
class ContextFetcher {
 public:
  /// Entries read are counted in `misses`, which the caller keeps alive, as it does `host`.
  ContextFetcher(const OnChipMemoryConfig& memory, const CachesConfig& caches, Bytes mtu,
                 Host& host, std::uint64_t& misses)
      : cache_(memory, caches),
        page_(memory.page),
        mtu_(mtu),
        host_(host),
        misses_(misses),
        under_way_(caches.misses) {}

  const ContextCache& cache() const { return cache_; }
  /// Takes bytes from the cache for good (elaboration only).
  void reserve(Bytes bytes) { cache_.reserve(bytes); }

  /// Whether context and translation of the next new packet of `qp`, number `i`, are on the chip at
  /// `now`; if not, they are being fetched and here at QueuePair::context_ready.
  bool here(std::size_t i, QueuePair& qp, Picoseconds now) {
    // Contexts fetched for this packet serve it, even if others have evicted them meanwhile.
    if (qp.context_ready >= 0_ps) return qp.context_ready <= now;
    const Missing missing = use(i, qp, qp.next_new(), true, now);
    if (missing.reads() == 0) return true;
    qp.context_ready = fetch(missing, now);
    if (qp.context_ready == never) [[unlikely]]
      when_fetched([this, i, &qp](Picoseconds t, Picoseconds done, bool ok) {
        qp.context_ready = done;
        if (!ok && failed_) failed_(i, t);
      });
    return false;
  }
  /// Until when a packet received for `qp` waits; before `now`: it does not. At `now` it waits, for
  /// the packets in front of it, which go on at the same time. `never`: that is not known yet, and
  /// release_by() says who is told.
  Picoseconds receive(std::size_t i, QueuePair& qp, Psn psn, bool payload, Picoseconds now) {
    const Missing missing = use(i, qp, psn, payload, now);
    // Packets of a queue pair stay in order.
    if (missing.reads() == 0) return qp.receive_ready;
    const Picoseconds ready = fetch(missing, now);
    if (ready == never) [[unlikely]] {
      if (i >= received_.size()) received_.resize(i + 1);
      Received& waiting = received_[i];
      ++waiting.misses;
      waiting.ready =
          std::max({waiting.ready, now, qp.receive_ready == never ? now : qp.receive_ready});
      when_fetched([this, i, &qp](Picoseconds t, Picoseconds done, bool ok) {
        fetched_for_received(i, qp, t, done, ok);
      });
    }
    qp.receive_ready = std::max(qp.receive_ready, ready);
    return qp.receive_ready;
  }
  /// `released(qp, ready)`: packets that wait for a time that was not known go on at `ready`.
  /// `failed(qp, now)`: the host answered a read for a queue pair with an error.
  using Told = std::function<void(std::size_t qp, Picoseconds t)>;
  void release_by(Told released, Told failed) {
    released_ = std::move(released);
    failed_ = std::move(failed);
  }
  /// Queue pair `i` completes messages. Posted: nothing waits for the completion queue's context.
  void complete(std::size_t i, Picoseconds now) {
    const CacheAccess access = cache_.access(CacheKind::completion_queue, i);
    misses_ += access.reads;
    if (access.reads > 0) host_.read(now, host_address::contexts, entry_read);
    write_back(access, now);
  }

  /// Received packets that wait: one more, one less.
  void packet_waits() { ++waiting_; }
  void packet_goes_on() { --waiting_; }
  std::uint64_t waiting() const { return waiting_; }

 private:
  static constexpr Bytes entry_read = 64_B;  ///< one cache line of host memory

  /// Dependent reads of what a packet needs and is not on the chip, in this order.
  struct Missing {
    std::uint32_t contexts = 0, translations = 0;  ///< a memory key is one of the latter
    std::uint32_t reads() const { return contexts + translations; }
  };

  /// Uses what a packet needs.
  Missing use(std::size_t i, const QueuePair& qp, Psn psn, bool payload, Picoseconds now) {
    const CacheAccess context = cache_.access(CacheKind::queue_pair, i);
    CacheAccess translated;
    if (payload) {
      const std::int64_t page = page_.count();
      const std::int64_t pages = std::max<std::int64_t>(1, qp.config().buffer.count() / page);
      const std::int64_t at = std::int64_t{psn.value()} * mtu_.count() / page % pages;
      translated =
          cache_.translate(region(i, qp, at, pages),
                           static_cast<std::uint64_t>(static_cast<std::int64_t>(i) * pages + at));
    }
    write_back({0, context.write_back + translated.write_back}, now);
    misses_ += context.reads + translated.reads;
    return {context.reads, translated.reads};
  }
  /// Memory region of page `at` of `pages`; 0 is the one of queue pairs without their own.
  static std::uint64_t region(std::size_t i, const QueuePair& qp, std::int64_t at,
                              std::int64_t pages) {
    const std::int64_t regions = qp.config().regions;
    if (regions == 0) return 0;
    return 1 + (static_cast<std::uint64_t>(i) << 24) +
           static_cast<std::uint64_t>(at * regions / pages);
  }
  void write_back(const CacheAccess& access, Picoseconds now) {
    if (access.write_back > 0) {
      host_.write(now, host_address::contexts, Bytes(access.write_back));
    }
  }
  /// Each read depends on the one before and takes as long as the first does now; the later ones'
  /// share of the link is taken now as well. `never`: to be followed by when_fetched().
  Picoseconds fetch(const Missing& missing, Picoseconds now) {
    Fetch f{missing.reads(), now};
    for (std::uint32_t n = 0; n < missing.reads(); ++n) {
      const Picoseconds done = host_.read(
          now, n < missing.contexts ? host_address::contexts : host_address::translations,
          entry_read);
      if (done == never) [[unlikely]] {
        await(f, n);
        continue;
      }
      f.read(n, done);
    }
    return f.waits_for > 0 ? never : end_of(f);
  }
  struct Fetch {
    std::uint32_t reads;
    Picoseconds asked;
    Picoseconds done{}, one{};  ///< the last, and how long the first took
    std::uint32_t waits_for = 0;
    bool ok = true;
    HostThen then{};

    void read(std::uint32_t n, Picoseconds at) {
      done = std::max(done, at);
      if (n == 0) one = at - asked;
    }
  };
  Picoseconds end_of(const Fetch& f) {
    const Picoseconds takes =
        std::max(f.done - f.asked, f.one * static_cast<std::int64_t>(f.reads));
    if (under_way_.empty()) return f.asked + takes;
    // It begins when the first of those under way is done. The link was asked now: a miss that
    // waits takes its share of it early.
    std::pop_heap(under_way_.begin(), under_way_.end(), std::greater<>());
    under_way_.back() = std::max(f.asked, under_way_.back()) + takes;
    const Picoseconds done = under_way_.back();
    std::push_heap(under_way_.begin(), under_way_.end(), std::greater<>());
    return done;
  }
  /// The read just made, number `n`, will say when it is done.
  void await(Fetch& f, std::uint32_t n) {
    if (n == 0) awaited_ = std::make_shared<Fetch>(f);
    f.waits_for = ++awaited_->waits_for;
    host_.when_known([this, fetch = awaited_, n](Picoseconds now, Picoseconds done, bool ok) {
      fetch->read(n, done);
      fetch->ok &= ok;
      if (--fetch->waits_for > 0) return;
      const Picoseconds end = std::max(done, end_of(*fetch));
      if (fetch->then) fetch->then(now, end, fetch->ok);
    });
  }
  void when_fetched(HostThen then) { awaited_->then = std::move(then); }
  void fetched_for_received(std::size_t i, QueuePair& qp, Picoseconds now, Picoseconds done,
                            bool ok) {
    Received& waiting = received_[i];
    waiting.ready = std::max(waiting.ready, done);
    if (!ok && failed_) failed_(i, now);
    if (--waiting.misses > 0) return;
    // Those that waited go on together, with the last of what they waited for.
    qp.receive_ready = waiting.ready;
    if (released_) released_(i, waiting.ready);
  }

  ContextCache cache_;
  Bytes page_, mtu_;
  Host& host_;
  std::uint64_t& misses_;
  std::uint64_t waiting_ = 0;
  std::vector<Picoseconds>
      under_way_;  ///< ends of misses, a heap, the first on top; empty: no bound

  // With a host that does not answer at once.
  struct Received {
    std::uint32_t misses = 0;  ///< whose times are not known
    Picoseconds ready{};       ///< of the others
  };
  std::shared_ptr<Fetch> awaited_;  ///< the fetch made last
  std::vector<Received> received_;  ///< by queue pair
  Told released_{}, failed_{};
};

}  // namespace horae::rnic
