// The file of transactions.
#pragma once

#include <ostream>

#include "horae/views/trace_record.hpp"

namespace horae::views {

/// The text format of the SystemC Verification Library's transaction recording (scv_tr_text), which
/// SCViewer and others read: streams, generators, transactions with begin, end and attributes, and
/// relations between them. Times are in ps. Begins and ends stand in the order of time.
///
/// A packet is a transaction of its maker's stream "packets", from when it was chosen to go to its
/// end; its attribute `fate` is "delivered", "dropped" or "in_flight". Its hops, one for each step
/// through a block, are transactions of the block's stream, each with a relation "hop" from the
/// packet. So are messages ("part_of" from a packet to its message), accesses to host memory, NACK
/// services, pauses and drops. Arrows of the trace are relations by their category.
void write_transactions(const TraceRecord& record, std::ostream& out);

}  // namespace horae::views
