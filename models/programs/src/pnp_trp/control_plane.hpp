// Work of the switch's CPU (internal to the room).
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "horae/core/units.hpp"

namespace horae::programs::pnp_trp {

/// Jobs, each done some time after the message that asks for it. Nothing tells the CPU the time but
/// the packets: a job is done before the first packet that comes after its time.
class ControlPlane {
 public:
  /// `latency`: from a message to the entry in the table.
  explicit ControlPlane(Picoseconds latency) : latency_(latency) {}

  /// Does the jobs that are finished by `now`, in the order of their times.
  void run(Picoseconds now) {
    while (!jobs_.empty() && jobs_.begin()->first <= now) {
      now_ = jobs_.begin()->first;
      const auto job = std::move(jobs_.begin()->second);
      jobs_.erase(jobs_.begin());
      job();
    }
    now_ = now;
  }
  /// A message that comes now, from the data plane.
  void begin(std::function<void()> job) { begin(now_, std::move(job)); }
  /// A look of the CPU's own, so much later.
  void look_again(Picoseconds wait, std::function<void()> job) {
    jobs_.emplace(now_ + wait, std::move(job));
  }
  /// A message that comes at `t`.
  void begin(Picoseconds t, std::function<void()> job) {
    jobs_.emplace(t + latency_, std::move(job));  // behind others of that time
  }

 private:
  Picoseconds latency_;
  Picoseconds now_{};
  std::multimap<Picoseconds, std::function<void()>> jobs_;
};

}  // namespace horae::programs::pnp_trp
