// The port with the shortest queue: depth registers and a tree of comparisons.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "horae/dataplane/action.hpp"
#include "horae/dataplane/depth_register.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::programs {

/// One depth register for each candidate, in which the ghost thread writes depth and number; then
/// levels of `min` over pairs, each an action that waits for the one before. The smaller number
/// wins ties, for it is in the low bits. So many stages at least: one of registers (four of them
/// fit a stage), one for each level, and who uses the result.
class LeastQueue {
 public:
  /// Candidates that numbers have bits for.
  static constexpr std::uint32_t most_candidates = 64;

  LeastQueue(dataplane::Pipeline& pipeline, std::uint32_t candidates,
             const dataplane::Needs& needs);

  /// Dependency on its result: the last comparison.
  dataplane::Need result() const { return dataplane::matches(*levels_.back()); }
  /// The number of the candidate with the least depth. Once per pass.
  std::uint32_t least(const dataplane::PassKind auto& pass);
  /// The ghost thread: depths in cells, by candidate; those left out are never the least.
  void tell(std::span<const std::uint32_t> cells);

 private:
  static constexpr std::uint32_t number_bits = 6;
  static constexpr std::uint32_t most_cells = (1u << (32 - number_bits)) - 2;

  std::vector<std::unique_ptr<dataplane::DepthRegister>> depths_;
  std::vector<std::unique_ptr<dataplane::Action>> levels_;
};

}  // namespace horae::programs
