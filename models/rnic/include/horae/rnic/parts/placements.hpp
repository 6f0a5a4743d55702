// Received payload between the ordering engine and host memory. No SystemC.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "horae/core/psn.hpp"
#include "horae/core/units.hpp"

namespace horae::rnic {

/// Decisions of an ordering engine about packets that it is still working on, and the last
/// packets of WRITEs that are being copied to their place. The PCIe link takes requests in the
/// order of time, so each of them waits here until its own time comes.
class Placements {
 public:
  /// Consequence of one packet when the engine is done with it.
  struct Step {
    std::uint16_t qp;
    Psn psn;
    Bytes payload;  ///< to be written; zero: nothing
    bool apart;     ///< not to its place (policy::WriteLast::receiver)
    bool advanced;  ///< everything before `expected` is there now, and was not before
    Psn expected;
    std::uint32_t messages;  ///< that are whole now
  };
  /// The engine is one server: steps come to their end in the order of these calls.
  void add(const Step& step) { steps_.push_back(step); }
  /// The first step, whose time has come; only if there is one.
  Step take() {
    const Step step = steps_.front();
    steps_.pop_front();
    return step;
  }

  /// A last packet of a WRITE that was kept apart goes to its place: a read, then a write.
  struct Copy {
    Psn psn;
    Bytes payload;
    std::uint32_t messages;  ///< that are in memory when this is
  };
  /// Behind those of the queue pair that wait; true: none does, its read is due.
  bool copy(std::uint16_t qp, Psn psn, Bytes payload) {
    std::deque<Copy>& waiting = copies_[qp];
    waiting.push_back({psn, payload, 0});
    return waiting.size() == 1;
  }
  /// Whether messages that are whole wait for a copy of their queue pair: they are counted with the
  /// last one.
  bool waits(std::uint16_t qp, std::uint32_t messages) {
    const auto at = copies_.find(qp);
    if (at == copies_.end()) return false;
    at->second.back().messages += messages;
    return true;
  }
  /// The copy of `qp` that is under way; only if there is one.
  const Copy& copying(std::uint16_t qp) const { return copies_.at(qp).front(); }
  /// It is done; true: another one's read is due.
  bool copied(std::uint16_t qp) {
    std::deque<Copy>& waiting = copies_.at(qp);
    waiting.pop_front();
    if (!waiting.empty()) return true;
    copies_.erase(qp);
    return false;
  }

 private:
  std::deque<Step> steps_;
  std::map<std::uint16_t, std::deque<Copy>> copies_;  ///< by queue pair; none is empty
};

}  // namespace horae::rnic
