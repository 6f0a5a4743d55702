#include "horae/traffic/mixed_source.hpp"

#include <algorithm>
#include <numeric>

namespace horae::traffic {

Bytes SizeMix::largest() const { return *std::max_element(sizes.begin(), sizes.end()); }

std::uint64_t SizeMix::sum_of_weights() const {
  if (weights.empty()) return sizes.size();
  return std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
}

Bytes SizeMix::at(std::uint64_t place) const {
  if (weights.empty()) return sizes[static_cast<std::size_t>(place)];
  std::size_t i = 0;
  while (place >= weights[i]) place -= weights[i++];
  return sizes[i];
}

MixedSource::MixedSource(const Config& config) : config_(config) {
  if (!config_.mix) return;
  weight_ = config_.mix->sum_of_weights();
  if (config_.mix->order == SizeMix::Order::drawn) random_.emplace(config_.seed, config_.stream);
}

Bytes MixedSource::next_size() {
  if (!config_.mix) return config_.bytes;
  return config_.mix->at(random_ ? random_->below(static_cast<std::uint32_t>(weight_))
                                 : issued_ % weight_);
}

std::optional<TrafficItem> MixedSource::next() {
  if (config_.count != 0 && issued_ == config_.count) return std::nullopt;
  TrafficItem item{
      .at = config_.start, .dst = config_.dst, .bytes = next_size(), .verb = config_.verb};
  if (config_.verbs) {
    item.verb = (*config_.verbs)[static_cast<std::size_t>(issued_ % config_.verbs->size())];
    if (is_atomic(item.verb)) item.bytes = atomic_operand;
  }
  if (config_.batch != 0 && issued_ >= config_.batch) {
    const std::uint64_t round = issued_ / config_.batch;
    item.after = ((round - 1) * config_.turns + config_.turn + 1) * config_.batch;
  }
  ++issued_;
  return item;
}

}  // namespace horae::traffic
