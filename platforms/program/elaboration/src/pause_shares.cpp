#include "horae/elaboration/pause_shares.hpp"

#include <algorithm>

namespace horae::elaboration {
namespace {

/// Adds up the times between opening and closing, as far as they are in [from, to).
class Meter {
 public:
  Meter(Picoseconds from, Picoseconds to) : from_(from), to_(to) {}
  void open(Picoseconds at) { since_ = std::clamp(at, from_, to_); }
  void close(Picoseconds at) { sum_ += std::clamp(at, from_, to_) - since_; }
  double share() const { return to_seconds(sum_) / to_seconds(to_ - from_); }

 private:
  Picoseconds from_, to_;
  Picoseconds since_{}, sum_{};
};

}  // namespace

PauseShares pause_shares(const std::vector<DeviceEnd>& devices, Picoseconds from, Picoseconds to) {
  std::vector<PauseTurn> all;
  double sum = 0;
  for (const auto& device : devices) {
    Meter port(from, to);  // the turns of one port follow each other
    for (std::size_t i = 0; i < device.pauses.size(); ++i) {
      const auto& turn = device.pauses[i];
      if (turn.held) {
        port.open(turn.at);
        const bool released =
            i + 1 < device.pauses.size() && device.pauses[i + 1].port == turn.port;
        if (!released) port.close(to);
      } else {
        port.close(turn.at);
      }
    }
    sum += port.share();
    all.insert(all.end(), device.pauses.begin(), device.pauses.end());
  }
  // At equal times openings go before closings: a stretch of no length changes nothing.
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.at != b.at ? a.at < b.at : a.held > b.held;
  });
  Meter any(from, to), stream(from, to);
  std::size_t held = 0;
  bool streaming = false;
  for (const auto& turn : all) {
    if (turn.held) {
      if (held++ == 0) any.open(turn.at);
      if (!streaming) stream.open(turn.at);
      streaming = true;
    } else {
      if (--held == 0) any.close(turn.at);
      if (streaming) stream.close(turn.at);
      streaming = false;
    }
  }
  if (held > 0) any.close(to);
  if (streaming) stream.close(to);
  return {any.share(), sum, stream.share()};
}

}  // namespace horae::elaboration
