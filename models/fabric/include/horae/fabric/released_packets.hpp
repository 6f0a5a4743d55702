// Packets of one flow that were let go and of which nothing came back yet. No SystemC.
#pragma once

#include <algorithm>
#include <boost/container/deque.hpp>
#include <cstdint>

#include "horae/core/psn.hpp"

namespace horae::fabric {

/// In the order in which they were let go. What was let go before a packet that has arrived has
/// arrived as well, or is lost: a flow keeps its path. Each call that settles packets returns the
/// bytes that are no longer under way.
class ReleasedPackets {
 public:
  bool empty() const { return packets_.empty(); }

  void add(Psn psn, std::int64_t bytes) {
    if (packets_.empty() || newest_.before(psn)) newest_ = psn;
    packets_.push_back({psn, bytes});
  }
  /// Everything before `next` has arrived.
  std::int64_t settle_before(Psn next) {
    std::int64_t bytes = 0;
    while (!packets_.empty() && packets_.front().psn.before(next)) bytes += pop();
    return bytes;
  }
  /// This one has arrived, or comes again, for it is lost. What was let go before it is settled
  /// with it; a packet that was not let go settles nothing.
  std::int64_t settle_through(Psn psn) {
    if (packets_.empty() || newest_.before(psn)) return 0;
    const auto it = std::find_if(packets_.begin(), packets_.end(),
                                 [psn](const Released& r) { return r.psn == psn; });
    if (it == packets_.end()) return 0;
    std::int64_t bytes = 0;
    for (auto n = it - packets_.begin() + 1; n > 0; --n) bytes += pop();
    return bytes;
  }
  std::int64_t settle_all() {
    std::int64_t bytes = 0;
    while (!packets_.empty()) bytes += pop();
    return bytes;
  }

 private:
  struct Released {
    Psn psn;
    std::int64_t bytes;
  };
  std::int64_t pop() {
    const std::int64_t bytes = packets_.front().bytes;
    packets_.pop_front();
    return bytes;
  }

  boost::container::deque<Released> packets_;  ///< no memory while empty
  Psn newest_;                                 ///< the highest of them, and of some before
};

}  // namespace horae::fabric
