// Consequences of accesses that host memory of a user's own has not answered. No SystemC.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"

namespace horae::rnic {

/// Empty where memory answers at once. Queue pairs and slots of services are numbered from 0.
class Unanswered {
 public:
  /// Called when the time of an access is known, `now`: it is done at `at`, not before.
  using WhenDone = std::function<void(Picoseconds now, Picoseconds at)>;

  /// A queue pair has made another write.
  void write(std::size_t qp) { ++at(writes_, qp).made; }
  /// `then` is called when the writes that the queue pair has made are done.
  void after_writes(std::size_t qp, WhenDone then) {
    Writes& writes = at(writes_, qp);
    writes.wait.emplace_back(writes.made, std::move(then));
  }
  /// The first write that was not done is, at `done`. `all(t)` is called first if it was the last:
  /// `t` is when. Those that wait may make other writes.
  template <class All>
  void written(std::size_t qp, Picoseconds now, Picoseconds done, All&& all) {
    writes_[qp].last = std::max(writes_[qp].last, done);
    const std::uint64_t ended = ++writes_[qp].done;
    if (ended == writes_[qp].made) all(writes_[qp].last);
    while (!writes_[qp].wait.empty() && writes_[qp].wait.front().first <= ended) {
      const WhenDone then = std::move(writes_[qp].wait.front().second);
      writes_[qp].wait.pop_front();
      then(now, writes_[qp].last);
    }
  }

  /// A received packet waits for contexts; take_packets() gives all of a queue pair, as they came.
  void hold(std::size_t qp, Packet& p) { at(packets_, qp).push_back(&p); }
  std::vector<Packet*> take_packets(std::size_t qp) { return std::exchange(at(packets_, qp), {}); }

  /// A service reads; end_read() says with each end whether it was the last, and then when.
  void begin_read(std::size_t slot) { ++at(services_, slot).waits_for; }
  bool end_read(std::size_t slot, Picoseconds& done) {
    Service& service = services_[slot];
    service.done = std::max(service.done, done);
    if (--service.waits_for > 0) return false;
    done = std::exchange(service.done, Picoseconds(0));
    return true;
  }

 private:
  struct Writes {
    std::uint64_t made = 0, done = 0;
    Picoseconds last{};                                   ///< when that one was in memory
    std::deque<std::pair<std::uint64_t, WhenDone>> wait;  ///< for so many to be done
  };
  struct Service {
    unsigned waits_for = 0;
    Picoseconds done{};  ///< of its reads that are
  };
  template <class T>
  static T& at(std::vector<T>& all, std::size_t i) {
    if (i >= all.size()) all.resize(i + 1);
    return all[i];
  }

  std::vector<Writes> writes_;
  std::vector<std::vector<Packet*>> packets_;
  std::vector<Service> services_;
};

}  // namespace horae::rnic
