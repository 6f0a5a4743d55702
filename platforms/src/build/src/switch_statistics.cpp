#include "horae/build/switch_statistics.hpp"

namespace horae::build {

void add_counters(const fabric::output_queued_switch& plain, StatTree& device) {
  const auto& c = plain.counters();
  device.value("forwarded", c.forwarded, "packets").value("marked", c.marked, "packets");
  device.value("dropped", c.dropped, "packets").value("pauses_sent", c.pauses_sent, "frames");
}

void add_counters(const tofino::tofino_switch& chip, StatTree& device) {
  const auto& c = chip.counters();
  device.value("ingress_passes", c.ingress_passes, "passes")
      .value("egress_passes", c.egress_passes, "passes");
  device.value("forwarded", c.forwarded, "packets").value("marked", c.marked, "packets");
  device.value("dropped_program", c.dropped_program, "packets");
  device.value("dropped_buffer", c.dropped_buffer, "packets");
  device.value("dropped_queue", c.dropped_queue, "packets");
  device.value("mirrored", c.mirrored, "packets");
  device.value("recirculated", c.recirculated, "passes");
  device.value("recirculated_bytes", c.recirculated_bytes, "bytes");
  device.value("pipeline_wait", c.pipeline_wait.count(), "ps");
  device.value("most_cells_used", chip.most_cells_used(), "cells");
}

}  // namespace horae::build
