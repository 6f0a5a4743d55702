// Which message a recv takes: the first that came, of those that fit; which recv a message goes to:
// the first that waits, of those that fit. Sizes do not matter, as in LogGOPSim and MPI.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "horae/traffic/goal.hpp"

namespace horae::traffic {

/// Matches for one rank. `item` is what the caller knows a recv or a message by.
class GoalMatch {
 public:
  /// A message from `peer` is there: the recv that takes it, or nothing, and it waits.
  std::optional<std::uint32_t> arrived(std::uint32_t peer, std::uint32_t tag, std::uint32_t item) {
    constexpr std::uint32_t any = GoalOp::any;
    const std::array<Key, 4> keys = {{{peer, tag}, {peer, any}, {any, tag}, {any, any}}};
    return first_of(keys, recvs_, [&] { messages_[{peer, tag}].push_back({ordinal_++, item}); });
  }
  /// A recv begins to wait: the message that it takes, or nothing.
  std::optional<std::uint32_t> posted(std::uint32_t peer, std::uint32_t tag, std::uint32_t item) {
    if (peer != GoalOp::any && tag != GoalOp::any) {
      const std::array<Key, 1> key = {{{peer, tag}}};
      return first_of(key, messages_, [&] { recvs_[{peer, tag}].push_back({ordinal_++, item}); });
    }
    auto best = messages_.end();
    for (auto it = messages_.begin(); it != messages_.end(); ++it) {
      const bool fits = (peer == GoalOp::any || it->first.first == peer) &&
                        (tag == GoalOp::any || it->first.second == tag);
      if (fits && (best == messages_.end() || it->second.front() < best->second.front())) best = it;
    }
    if (best != messages_.end()) return take(messages_, best);
    recvs_[{peer, tag}].push_back({ordinal_++, item});
    return std::nullopt;
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  ///< peer and tag
  using Queues = std::map<Key, std::deque<std::pair<std::uint64_t, std::uint32_t>>>;

  template <class Keys, class Wait>
  static std::optional<std::uint32_t> first_of(const Keys& keys, Queues& queues, Wait wait) {
    auto best = queues.end();
    for (const Key& key : keys) {
      const auto it = queues.find(key);
      if (it == queues.end()) continue;
      if (best == queues.end() || it->second.front() < best->second.front()) best = it;
    }
    if (best != queues.end()) return take(queues, best);
    wait();
    return std::nullopt;
  }
  static std::uint32_t take(Queues& queues, Queues::iterator from) {
    const std::uint32_t item = from->second.front().second;
    from->second.pop_front();
    if (from->second.empty()) queues.erase(from);
    return item;
  }

  Queues messages_, recvs_;  ///< that wait, in their order; none is empty
  std::uint64_t ordinal_ = 0;
};

}  // namespace horae::traffic
