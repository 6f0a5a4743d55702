// Initiators of DC: which queue pairs have one, and which wait. No SystemC.
#pragma once

#include <algorithm>
#include <boost/container/deque.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/rnic/spec/dc_config.hpp"

namespace horae::rnic {

/// Hands initiators to queue pairs that have messages to post, as UCX' policy dcs_quota does: the
/// one that was given up last first, and to those that wait in the order in which they asked. An
/// initiator stays connected to its last target until it turns to another one.
class DcInitiators {
 public:
  explicit DcInitiators(const DcConfig& config) : quota_(config.quota), last_(config.initiators) {
    for (std::size_t k = config.initiators; k > 0; --k) free_.push_back(k - 1);
  }

  struct Turn {
    std::size_t qp;
    bool connects;  ///< its initiator turns to another target
  };
  bool holds(std::size_t qp) const { return qp < states_.size() && states_[qp].initiator != none; }
  /// A queue pair has a message to post to `target`, and no initiator: its turn, if it has one now.
  std::optional<Turn> ask(std::size_t qp, NodeId target) {
    if (states_.size() <= qp) states_.resize(qp + 1);
    State& s = states_[qp];
    if (s.waits) return std::nullopt;
    s.target = target;
    if (!free_.empty()) return take(qp);
    s.waits = true;
    waiting_.push_back(qp);
    return std::nullopt;
  }
  /// Messages that it may still post in its turn.
  std::uint64_t left(std::size_t qp) const {
    if (waiting_.empty()) return std::numeric_limits<std::uint64_t>::max();
    return quota_ - std::min(quota_, states_[qp].posted);
  }
  void posted(std::size_t qp, std::uint64_t messages) { states_[qp].posted += messages; }
  /// It has nothing outstanding and posts nothing: its initiator goes to the first that waits,
  /// whose turn is returned.
  std::optional<Turn> give_up(std::size_t qp) {
    free_.push_back(states_[qp].initiator);
    states_[qp].initiator = none;
    if (waiting_.empty()) return std::nullopt;
    const std::size_t next = waiting_.front();
    waiting_.pop_front();
    states_[next].waits = false;
    return take(next);
  }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  struct State {
    std::size_t initiator = none;
    std::uint64_t posted = 0;  ///< in its turn
    NodeId target = 0;
    bool waits = false;
  };
  Turn take(std::size_t qp) {
    State& s = states_[qp];
    s.initiator = free_.back();
    free_.pop_back();
    s.posted = 0;
    auto& last = last_[s.initiator];
    const bool connects = last != s.target;
    last = s.target;
    return {qp, connects};
  }

  std::uint64_t quota_;
  std::vector<std::optional<NodeId>> last_;  ///< target of each initiator
  std::vector<std::size_t> free_;
  std::vector<State> states_;  ///< by queue pair
  boost::container::deque<std::size_t> waiting_;
};

}  // namespace horae::rnic
