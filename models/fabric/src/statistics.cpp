// Counters of devices of the fabric, for reports at the end of a run.
#include <fmt/format.h>

#include <cmath>

#include "horae/core/stats.hpp"
#include "horae/fabric/devices/open_loop_host.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::fabric {

void device::port_statistics(StatTree& tree, Layer layer, Picoseconds end) const {
  for (unsigned i = 0; i < ports(); ++i) {
    if (!tx(i).connected()) continue;
    const auto& c = tx(i).counters();
    StatTree& port = tree.group(fmt::format("port{}", i));
    port.value("tx_packets", c.packets, "packets");
    // For a packet that has begun, the part that has left, in whole bytes.
    const auto left = static_cast<std::int64_t>(std::ceil(tx(i).bits_left(end).in(layer) / 8));
    if (end.count() > 0) port.rate("tx_rate", c.bytes(layer) - Bytes(left), end);
    if (c.lost > 0) port.value("lost", c.lost, "packets");
    if (c.cut > 0) port.value("cut_by_outage", c.cut, "packets");
    if (c.corrupted > 0) port.value("corrupted", c.corrupted, "packets");
    if (c.pauses > 0) port.value("pfc_frames_sent", c.pauses, "frames");
    for (unsigned q = 0; q < PauseLog::classes; ++q) {
      if (const PausesSent sent = tx(i).pauses_sent(q); sent.frames > 0) {
        StatTree& of = port.group(fmt::format("pauses_sent_class{}", q));
        of.value("frames", sent.frames, "frames");
        of.value("first", sent.first.count(), "ps").value("last", sent.last.count(), "ps");
      }
      const Picoseconds held = pauses(i).held(q, end);
      if (held.count() > 0) port.value(fmt::format("paused_class{}", q), held.count(), "ps");
    }
  }
}

void output_queued_switch::statistics(StatTree& tree) const {
  tree.value("forwarded", counters_.forwarded, "packets")
      .value("marked", counters_.marked, "packets");
  tree.value("dropped", counters_.dropped, "packets")
      .value("pauses_sent", counters_.pauses_sent, "frames");
  if (config_.trims()) tree.value("trimmed", counters_.trimmed, "packets");
  if (config_.trims() || config_.full) {
    StatTree& causes = tree.group("dropped_by");
    for (std::size_t c = 0; c < drop_causes; ++c) {
      if (dropped_by_[c] > 0)
        causes.value(std::string(name_of(static_cast<DropCause>(c))), dropped_by_[c], "packets");
    }
  }
  if (counters_.deflected > 0) tree.value("deflected", counters_.deflected, "packets");
  if (has_lossy_) class_statistics(tree);
}

/// Adds counters of the classes that lost anything.
void output_queued_switch::class_statistics(StatTree& tree) const {
  StatTree& dropped = tree.group("dropped_by_class");
  for (unsigned c = 0; c < OutputPort::classes; ++c) {
    if (dropped_of_[c] > 0) dropped.value(fmt::format("class{}", c), dropped_of_[c], "packets");
  }
}

void open_loop_host::statistics(StatTree& tree) const {
  tree.value("sent", counters_.sent, "packets").value("received", counters_.received, "packets");
  tree.value("latency_max", counters_.latency_max.count(), "ps");
}

}  // namespace horae::fabric
