// Pipeline-parallel training as messages between workers.
#pragma once

#include <cstdint>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::traffic {

/// A model cut into layers, one behind the other. Each layer is held by `width` workers.
/// Micro-batches enter at the first layer at equal intervals. Worker i of a layer sends what it
/// made of one to worker i of the next layer (forward), and what comes back from the last layer to
/// that of the layer before (backward), as GPipe does (Huang et al., NeurIPS 2019, Figure 2).
struct PipelineConfig {
  std::uint32_t layers = 2;  ///< 2 or more
  std::uint32_t width = 1;   ///< workers of a layer; worker i of layer l is number l * width + i
  std::uint32_t micro_batches = 1;  ///< 1 or more
  std::uint32_t connections = 1;    ///< of a worker and micro-batch; each is one message
  bool backward = true;
  Picoseconds start{};     ///< of the first micro-batch
  Picoseconds interval{};  ///< from one micro-batch to the next, at the first layer
};

/// A message of a pipeline. Triggers are counted from 1; 0: none.
struct PipelineFlow {
  std::uint32_t from = 0, to = 0;  ///< workers
  Picoseconds start{};             ///< when it is posted, without a trigger
  std::uint32_t trigger = 0;       ///< is posted when this has been fired `after` times ...
  std::uint32_t after = 0;
  std::uint32_t fires = 0;  ///< ... as the receiver does with this one, by having received it
};

/// Its messages, micro-batch by micro-batch: those of the first layer at their times, all others
/// when their sender has received the same micro-batch on all connections. So a late message delays
/// its own micro-batch only. InputError with fewer than two layers.
std::vector<PipelineFlow> pipeline_flows(const PipelineConfig& config);

}  // namespace horae::traffic
