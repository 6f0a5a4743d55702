#include "horae/traffic/pipeline.hpp"

#include "horae/core/error.hpp"

namespace horae::traffic {
namespace {

/// Hops of a micro-batch: forward ones, then backward ones.
struct Hop {
  std::uint32_t from = 0, to = 0;  ///< layers
};

std::vector<Hop> hops_of(const PipelineConfig& config) {
  std::vector<Hop> out;
  for (std::uint32_t layer = 0; layer + 1 < config.layers; ++layer)
    out.push_back({layer, layer + 1});
  for (std::uint32_t layer = config.layers - 1; config.backward && layer > 0; --layer)
    out.push_back({layer, layer - 1});
  return out;
}

}  // namespace

std::vector<PipelineFlow> pipeline_flows(const PipelineConfig& config) {
  if (config.layers < 2) throw InputError("a pipeline has two layers or more");
  const auto hops = hops_of(config);
  std::vector<PipelineFlow> out;
  std::uint32_t trigger = 0;
  for (std::uint32_t batch = 0; batch < config.micro_batches; ++batch) {
    const Picoseconds start = config.start + config.interval * static_cast<std::int64_t>(batch);
    for (std::uint32_t worker = 0; worker < config.width; ++worker) {
      for (std::size_t hop = 0; hop < hops.size(); ++hop) {
        PipelineFlow flow{.from = hops[hop].from * config.width + worker,
                          .to = hops[hop].to * config.width + worker,
                          .start = start};
        if (hop > 0) {
          flow.trigger = trigger;
          flow.after = config.connections;
        }
        if (hop + 1 < hops.size()) flow.fires = ++trigger;
        out.insert(out.end(), config.connections, flow);
      }
    }
  }
  return out;
}

}  // namespace horae::traffic
