#include "horae/programs/shared/least_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace horae::programs {

using dataplane::Gress;

LeastQueue::LeastQueue(dataplane::Pipeline& pipeline, std::uint32_t candidates,
                       const dataplane::Needs& needs) {
  dataplane::Needs before;
  for (std::uint32_t i = 0; i < candidates; ++i) {
    depths_.push_back(std::make_unique<dataplane::DepthRegister>(
        pipeline, Gress::ingress, fmt::format("depth_{}", i), needs));
    before.push_back(dataplane::uses(*depths_.back()));
  }
  // At least one, so that there is a field with the result.
  for (std::uint32_t left = std::max(candidates, 2u); left > 1; left = (left + 1) / 2) {
    std::vector<std::string> writes;
    for (std::uint32_t i = 0; i < left / 2; ++i)
      writes.push_back(fmt::format("least_{}_{}", levels_.size(), i));
    levels_.push_back(std::make_unique<dataplane::Action>(
        pipeline, Gress::ingress, fmt::format("least_of_{}", left),
        dataplane::ActionSpec{.writes = std::move(writes)}, before));
    before = {dataplane::uses(*levels_.back())};
  }
}

std::uint32_t LeastQueue::least(const dataplane::PassKind auto& pass) {
  // The tree's result is the least of all; each level runs once.
  std::uint32_t least = ~std::uint32_t{0};
  for (auto& depth : depths_) least = std::min(least, depth->read(pass));
  for (auto& level : levels_) level->run(pass, [] {});
  return least & ((1u << number_bits) - 1);
}

void LeastQueue::tell(std::span<const std::uint32_t> cells) {
  for (std::size_t i = 0; i < depths_.size(); ++i) {
    depths_[i]->write(i < cells.size() ? std::min(cells[i], most_cells) << number_bits |
                                             static_cast<std::uint32_t>(i)
                                       : ~std::uint32_t{0});
  }
}

template std::uint32_t LeastQueue::least(const dataplane::Pass&);
template std::uint32_t LeastQueue::least(const dataplane::TrustedPass&);

}  // namespace horae::programs
