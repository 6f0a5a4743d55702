// Algorithms 1 and 2 of the REPS paper, line by line and on their own, with what its text and its
// artifact say where the algorithms are silent.
#pragma once

#include <algorithm>
#include <cstdint>

#include "horae/core/random.hpp"
#include "horae/policy/entropy/reps.hpp"

namespace horae::policy::test {

struct RepsReference {
  RepsReference(const RepsParameters& parameters, std::uint32_t values, bool trims,
                std::int64_t base_rtt, std::int64_t timeout, const RandomStream& stream)
      : p(parameters),
        evs_size(values),
        trimming(trims),
        least_rtt(base_rtt),
        rto(timeout),
        rand(stream) {}

  // Algorithm 1.
  void on_ack(std::uint16_t ev, bool ecn, bool nack, std::int64_t rtt, std::int64_t now) {
    if (rtt > 0) note_rtt(rtt, now);
    const bool stores = !ecn && !nack;
    if (p.exit == RepsExit::clear || !stores) leave_freezing(stores, now);
    if (!stores) return;
    if (!is_valid[head]) number_of_valid_evs++;
    cached_ev[head] = ev;
    is_valid[head] = true;
    written[head] = true;
    head = (head + 1) % p.ring;
    if (p.exit == RepsExit::keep) leave_freezing(true, now);
  }
  void leave_freezing(bool good, std::int64_t now) {
    if (!good && p.exit_on == RepsExitOn::good) return;
    if (!is_freezing_mode || now <= exit_freezing_mode) return;
    is_freezing_mode = false;
    explore_counter = *p.explore_packets;
    if (p.exit == RepsExit::keep) return;
    for (std::uint32_t i = 0; i < p.ring; ++i) is_valid[i] = written[i] = false;
    head = number_of_valid_evs = read = 0;
  }
  void on_timeout(std::int64_t now) {
    if (!trimming &&
        !(static_cast<double>(most_rtt) < p.suspect_rtt * static_cast<double>(least_rtt)))
      return;
    if (p.freezing && !is_freezing_mode && explore_counter == 0) on_forced(now);
  }
  void on_forced(std::int64_t now) {
    if (is_freezing_mode || !p.freezing) return;
    is_freezing_mode = true;
    exit_freezing_mode = now + p.freezing_timeout->count();
  }

  // Algorithm 2.
  std::uint16_t on_send() {
    if (is_empty() || (number_of_valid_evs == 0 && !is_freezing_mode) || explore_counter > 0) {
      if (explore_counter > 0) explore_counter--;
      return static_cast<std::uint16_t>(rand.below(evs_size));
    }
    if (is_freezing_mode && p.frozen_read == RepsFrozenRead::artifact) return next_of_all();
    std::uint32_t offset = 0;
    if (number_of_valid_evs > 0) {
      offset = (head + p.ring - number_of_valid_evs) % p.ring;
      is_valid[offset] = false;
      number_of_valid_evs--;
    } else {
      do {  // not one that was never written
        offset = head;
        head = (head + 1) % p.ring;
      } while (!written[offset]);
    }
    return cached_ev[offset];
  }
  /// The artifact's frozen mode.
  std::uint16_t next_of_all() {
    const std::uint32_t offset = read;
    if (is_valid[offset]) number_of_valid_evs--;
    is_valid[offset] = false;
    std::uint32_t filled = 0;
    for (std::uint32_t i = 0; i < p.ring; ++i) filled += written[i];
    read = (read + 1) % filled;
    return cached_ev[offset];
  }
  bool is_empty() const {
    for (std::uint32_t i = 0; i < p.ring; ++i) {
      if (written[i]) return false;
    }
    return true;
  }

  // Appendix A, with the artifact's window.
  void note_rtt(std::int64_t rtt, std::int64_t now) {
    if (now > window_end) {
      most_rtt = 0;
      window_end = now + 2 * rto;
    }
    most_rtt = std::max(most_rtt, rtt);
    least_rtt = std::min(least_rtt, rtt);
  }

  static constexpr std::uint32_t largest = 16;
  RepsParameters p;
  std::uint32_t evs_size;
  bool trimming;
  std::int64_t least_rtt, most_rtt = 0, window_end = -1, rto;
  std::uint16_t cached_ev[largest] = {};
  bool is_valid[largest] = {}, written[largest] = {};
  std::uint32_t head = 0, number_of_valid_evs = 0, explore_counter = 0, read = 0;
  bool is_freezing_mode = false;
  std::int64_t exit_freezing_mode = 0;
  RandomStream rand;
};

}  // namespace horae::policy::test
