// Copies and sums of findings, shared by the code that makes them and the code that joins those of
// ranks.
#pragma once

#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/rnic/parts/queue_pair.hpp"

namespace horae::elaboration {

/// Adds the counters of another end of the connection.
inline void add_received(const rnic::QueuePair::Progress& more, rnic::QueuePair::Progress& sum) {
  sum.delivered_bytes += more.delivered_bytes;
  sum.received += more.received;
  sum.out_of_order += more.out_of_order;
  sum.reorder_sum += more.reorder_sum;
  sum.reorder_max = std::max(sum.reorder_max, more.reorder_max);
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
