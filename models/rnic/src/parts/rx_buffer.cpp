#include "horae/rnic/parts/rx_buffer.hpp"

namespace horae::rnic {

void RxBuffer::pause_by(const RxPauseConfig& config, unsigned ports) {
  const fabric::PfcConfig thresholds = config.thresholds();
  accounts_.emplace(thresholds, Bytes(capacity_), ports, ports * classes);
  xon_ = config.xon;
  for (unsigned c = 0; c < classes; ++c) {
    if (thresholds.pauses(c)) pausing_classes_ |= 1u << c;
  }
}

Picoseconds RxBuffer::resumes_at(Queue queue) const {
  std::vector<Stay> stays;
  for (const auto* all : {&waiting_, &in_flight_}) {
    Picoseconds leaves{};  // behind what is in front of it
    for (const Stay& stay : *all) {
      leaves = std::max(leaves, stay.until);
      if (stay.queue == queue) stays.push_back({leaves, stay.size, queue});
    }
  }
  std::ranges::sort(stays, {}, &Stay::until);
  std::int64_t left = accounts_->bytes(queue).count();
  for (const Stay& stay : stays) {
    left -= stay.size;
    if (left <= xon_.count()) return stay.until;
  }
  return never;
}

}  // namespace horae::rnic
