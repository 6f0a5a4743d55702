// Which entries of a table have had no hit for long.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/units.hpp"
#include "horae/dataplane/design/design.hpp"

namespace horae::dataplane {

/// Idle timers of a table's entries, which its `idle_bits` pay for: with b bits a timer has 2^b
/// states, a sweep counts it up and a hit sets it to zero, so an entry is told of when 2^b - 1
/// sweeps have passed since its last hit. A sweep is each `period`; the entry has been idle for
/// between (2^b - 2) and (2^b - 1) periods then.
template <class K>
class IdleTimes {
 public:
  IdleTimes(const std::string& name, const MatchSpec& spec, Picoseconds period)
      : full_((1u << spec.idle_bits) - 1), period_(period) {
    if (spec.idle_bits == 0 || period <= Picoseconds(0))
      throw ModelError(name + ": idle timers need idle_bits and a period");
  }

  /// The entry is new, or had a hit at `t`; times never decrease.
  void hit(const K& key, Picoseconds t) { last_[key] = sweeps(t); }
  void forget(const K& key) { last_.erase(key); }

  /// Control plane: entries that have become idle by `t`, by key; each is told once, until it
  /// has another hit.
  std::vector<K> idle(Picoseconds t) {
    std::vector<K> out;
    for (auto i = last_.begin(); i != last_.end();) {
      if (sweeps(t) - i->second >= full_) {
        out.push_back(i->first);
        i = last_.erase(i);
      } else {
        ++i;
      }
    }
    return out;
  }

 private:
  std::int64_t sweeps(Picoseconds t) const { return t / period_; }

  std::int64_t full_;
  Picoseconds period_;
  std::map<K, std::int64_t> last_;  ///< sweeps before the last hit
};

}  // namespace horae::dataplane
