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
  std::int64_t left = accounts_->bytes(queue).count();
  for (const Stay& stay : in_flight_) {
    if (stay.queue != queue) continue;
    left -= stay.size;
    if (left <= xon_.count()) return stay.until;
  }
  return never;
}

}  // namespace horae::rnic
