// Counters of a chip and its program, for reports at the end of a run.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "horae/core/stats.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::tofino {

void tofino_switch::statistics(StatTree& tree) const {
  const Counters c = counters();
  tree.value("ingress_passes", c.ingress_passes, "passes")
      .value("egress_passes", c.egress_passes, "passes");
  tree.value("forwarded", c.forwarded, "packets").value("marked", c.marked, "packets");
  tree.value("dropped_program", c.dropped_program, "packets");
  tree.value("dropped_buffer", c.dropped_buffer, "packets");
  tree.value("dropped_queue", c.dropped_queue, "packets");
  if (config_.pauses()) {
    tree.value("dropped_headroom", c.dropped_headroom, "packets")
        .value("pauses_sent", c.pauses_sent, "frames");
  }
  if (config_.limits_classes()) {
    const auto& over = traffic_manager_.counters().over_share;
    for (const fabric::ClassConfig& k : *config_.classes) {
      if (!k.limited()) continue;
      tree.group(fmt::format("class{}", k.number))
          .value("dropped_own_limits", over.at(k.number), "packets");
    }
  }
  if (takes_deflected_) tree.value("deflected", c.deflected, "packets");
  tree.value("mirrored", c.mirrored, "packets");
  if (config_.mirror) tree.value("dropped_mirror", c.dropped_mirror, "packets");
  if (c.replicated > 0) tree.value("replicated", c.replicated, "packets");
  if (!generators_.empty()) tree.value("generated", c.generated, "packets");
  if (resubmits_) tree.value("resubmitted", c.resubmitted, "passes");
  if (wire_bytes_ != nullptr) tree.value("not_roce", c.not_roce, "packets");
  tree.value("recirculated", c.recirculated, "passes");
  tree.value("recirculated_bytes", c.recirculated_bytes, "bytes");
  if (config_.loopback) {
    tree.value("dropped_loopback", c.dropped_loopback, "packets");
    tree.value("most_loopback_held", loopbacks_.most_held().count(), "bytes");
  }
  tree.value("pipeline_wait", c.pipeline_wait.count(), "ps");
  tree.value("most_cells_used", most_cells_used(), "cells");
}

/// Summed over the pipelines, in the order in which the program names its counters.
void tofino_switch::program_statistics(StatTree& tree) const {
  std::vector<std::pair<std::string_view, std::uint64_t>> sum;
  for (const auto& pipe : pipes_) {
    for (const auto& [name, count] : pipe.program().counters()) {
      const auto known =
          std::ranges::find(sum, name, &std::pair<std::string_view, std::uint64_t>::first);
      if (known == sum.end()) {
        sum.emplace_back(name, count);
      } else {
        known->second += count;
      }
    }
  }
  StatTree& program = tree.group("program");
  for (const auto& [name, count] : sum) program.value(name, count, "packets");
}

void tofino_switch::program_report(nlohmann::ordered_json& out) const {
  for (unsigned i = 0; i < pipes_.size(); ++i) {
    nlohmann::ordered_json objects = nlohmann::ordered_json::object();
    pipes_[i].program().report(objects);
    if (!objects.empty()) out[fmt::format("pipe{}", i)] = std::move(objects);
  }
}

}  // namespace horae::tofino
