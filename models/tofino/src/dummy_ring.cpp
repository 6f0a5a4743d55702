#include "horae/tofino/dummy_ring.hpp"

#include <algorithm>

namespace horae::tofino {

DummyRing::DummyRing(Bytes bytes, BitRate rate, Picoseconds lap) : lap_(lap) {
  for (Bytes left = bytes; left.count() > 0; left -= size) {
    const Picoseconds on_wire = serialisation_time(std::min(left, size), rate);
    dummies_.push_back({Picoseconds(0), on_wire});
    round_ += on_wire;
  }
}

Picoseconds DummyRing::serve_next(Picoseconds free_at) {
  Dummy& dummy = dummies_[next_];
  next_ = next_ + 1 == dummies_.size() ? 0 : next_ + 1;
  free_at = std::max(free_at, dummy.queued) + dummy.on_wire;
  dummy.queued = free_at + lap_;
  return free_at;
}

Picoseconds DummyRing::serve(Picoseconds t, Picoseconds free_at) {
  if (dummies_.empty()) return free_at;
  if (t - dummies_[next_].queued > (round_ + lap_) * 4) skip_rounds(t, free_at);
  while (dummies_[next_].queued <= t) free_at = serve_next(free_at);
  return free_at;
}

/// A round after which every dummy is as much later as all others repeats itself.
void DummyRing::skip_rounds(Picoseconds t, Picoseconds& free_at) {
  for (int tries = 0; tries < 3; ++tries) {
    const Picoseconds begun = dummies_[next_].queued;
    Picoseconds period{};
    bool same = true;
    for (std::size_t i = 0; i < dummies_.size(); ++i) {
      const Picoseconds before = dummies_[next_].queued;
      const std::size_t at = next_;
      free_at = serve_next(free_at);
      const Picoseconds later = dummies_[at].queued - before;
      if (i == 0) period = later;
      same &= later == period;
    }
    if (!same || begun + period * 2 > t) continue;
    const auto rounds = (t - dummies_[next_].queued).count() / period.count();
    for (Dummy& dummy : dummies_) dummy.queued += period * rounds;
    free_at += period * rounds;
    return;
  }
}

}  // namespace horae::tofino
