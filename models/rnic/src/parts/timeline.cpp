#include "horae/rnic/timeline.hpp"

namespace horae::rnic {

bool Timeline::service_begins(Picoseconds now) {
  if (now < from_ || until_ != never) return false;
  triggered_ = true;
  ++open_;
  return true;
}

void Timeline::service_ends(Picoseconds now) {
  // Among services that overlap the first, the last to end closes the record.
  if (--open_ == 0) until_ = now + margin;
}

void Timeline::add(Entry entry) {
  if (done_) return;
  if (entry.start > until_) {
    done_ = true;
    return;
  }
  const Picoseconds now = entry.start;
  entries_.push_back(std::move(entry));
  if (triggered_) return;
  while (entries_.front().end + margin < now) entries_.pop_front();
}

}  // namespace horae::rnic
