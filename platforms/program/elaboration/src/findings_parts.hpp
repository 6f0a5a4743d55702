// Copies and sums of findings, shared by the code that makes them and the code that joins those of
// ranks.
#pragma once

#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/rnic/parts/queue_pair.hpp"

namespace horae::elaboration {

/// Copies the receiver's counters of a connection.
inline void copy_received(const rnic::QueuePair::Progress& from, rnic::QueuePair::Progress& to) {
  to.delivered_bytes = from.delivered_bytes;
  to.received = from.received;
  to.out_of_order = from.out_of_order;
  to.reorder_sum = from.reorder_sum;
  to.reorder_max = from.reorder_max;
}

inline void add(const fabric::output_queued_switch::Counters& more,
                fabric::output_queued_switch::Counters& sum) {
  sum.forwarded += more.forwarded;
  sum.marked += more.marked;
  sum.pauses_sent += more.pauses_sent;
  sum.dropped += more.dropped;
  sum.deflected += more.deflected;
  sum.trimmed += more.trimmed;
}

inline void subtract(const fabric::output_queued_switch::Counters& less,
                     fabric::output_queued_switch::Counters& from) {
  from.forwarded -= less.forwarded;
  from.marked -= less.marked;
  from.pauses_sent -= less.pauses_sent;
  from.dropped -= less.dropped;
  from.deflected -= less.deflected;
  from.trimmed -= less.trimmed;
}

}  // namespace horae::elaboration
