#include "port_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "chip_events.hpp"
#include "horae/core/error.hpp"
#include "horae/fabric/ports/output_port.hpp"

namespace horae::tofino {
namespace {

void check_queues(const dataplane::ChipSpec& chip, const ChipConfig& config,
                  const std::vector<unsigned>& pipeline_of_port, const std::string& name) {
  if (config.queues_per_port == fabric::OutputPort::classes) return;
  if (pipeline_of_port.size() > 1u << port_bits) {
    throw InputError(
        fmt::format("{}: queues of programs on more than {} ports", name, 1u << port_bits));
  }
  for (unsigned i = 0; i < config.pipelines; ++i) {
    const auto ports = std::count(pipeline_of_port.begin(), pipeline_of_port.end(), i);
    const std::int64_t queues = ports * std::int64_t{config.queues_per_port};
    if (queues <= chip.traffic_manager.queues_per_pipeline) continue;
    throw InputError(
        fmt::format("{}: {} ports of pipeline {} with {} queues each are more than "
                    "the {} that {} has for a pipeline",
                    name, ports, i, config.queues_per_port,
                    chip.traffic_manager.queues_per_pipeline, chip.name));
  }
}

}  // namespace

std::vector<unsigned> pipelines_of_ports(const ChipConfig& config, const dataplane::ChipSpec& chip,
                                         unsigned ports, const std::string& name) {
  const bool consecutive = config.pipeline_of_port.empty();
  const unsigned most = consecutive ? config.pipelines * config.ports_per_pipeline
                                    : static_cast<unsigned>(config.pipeline_of_port.size());
  if (ports > most) {
    throw InputError(
        fmt::format("{}: {} ports in use, but the chip is given {}", name, ports, most));
  }
  std::vector<unsigned> pipeline_of_port;
  for (unsigned i = 0; i < ports; ++i) {
    const unsigned pipeline =
        consecutive ? i / config.ports_per_pipeline : config.pipeline_of_port[i];
    if (pipeline >= config.pipelines) {
      throw InputError(fmt::format("{}: port {} is put on pipeline {}, but there are {}", name, i,
                                   pipeline, config.pipelines));
    }
    pipeline_of_port.push_back(pipeline);
  }
  check_queues(chip, config, pipeline_of_port, name);
  return pipeline_of_port;
}

}  // namespace horae::tofino
