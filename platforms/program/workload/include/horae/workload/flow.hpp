// Elements of traffic of any kind: flows between NICs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "horae/core/psn.hpp"
#include "horae/core/service.hpp"
#include "horae/core/units.hpp"
#include "horae/core/verb.hpp"
#include "horae/traffic/mixed_source.hpp"

namespace horae::workload {

/// Messages from one NIC to another, on a connection of their own. The generators of models/traffic
/// know ranks and hosts by number; this is what becomes of theirs on a platform.
struct Flow {
  unsigned from = 0, to = 0;  ///< NICs, by their place among the platform's devices
  std::uint32_t group = 0;    ///< number of the collective's group, or of the query, in its table
  Verb verb =
      Verb::write;  ///< of its messages; data of a READ or an atomic goes from `to` to `from`
  /// Verbs of its messages in turn, of which `verb` is the first; null: all have that.
  std::shared_ptr<const std::vector<Verb>> verbs{};
  Service service = Service::rc;  ///< of its queue pairs
  std::uint8_t fenced = 0;  ///< verbs, a bit each, whose messages wait for answers to those before
  std::uint32_t words = 1;  ///< of eight bytes that its atomics go to
  Bytes message{};          ///< of each message; of several sizes, the largest
  std::uint32_t count = 1;  ///< messages; 0: without end
  std::uint32_t depth = 1;  ///< messages outstanding at most
  /// Memory that its messages lie in at each end, used from its start to its end and again; zero:
  /// that of one message.
  Bytes buffer{};
  std::uint32_t regions = 0;   ///< memory regions of that; 0: it lies in the one that all share
  Picoseconds start{};         ///< when the first is posted, unless it waits for others
  Psn first_psn{};             ///< initial PSN of the connection
  Picoseconds notify_delay{};  ///< from a message received to what waits for it
  /// Message i (from 0) waits until its sender has received i - lead + 1 messages of the flows of
  /// its table that have a lead; 0: it waits for none. A flow with a lead has no triggers.
  std::uint32_t lead = 0;
  /// In a flow with a lead: message i waits until its sender has received i + 1 of them instead, so
  /// each answers one.
  bool answers = false;
  // Triggers, by their number in the table; 0: none. Only of flows that are one message each
  // (Measure::messages or queries, or groups).
  std::uint32_t trigger = 0;                        ///< starts it in place of `start` ...
  std::uint32_t fires_at_sender = 0;                ///< fired when it is completed
  std::uint32_t fires_at_receiver = 0;              ///< fired when it has arrived
  std::uint64_t after = 0;                          ///< ... when `trigger` has been fired so often
  std::shared_ptr<const traffic::SizeMix> sizes{};  ///< of its messages, if there are several
  /// Messages are posted so many at a time, the sender's `turns` flows of the table in turn, of
  /// which this one is number `turn`; 0: each as soon as `depth` lets it. Not with a lead, triggers
  /// or a channel.
  std::uint32_t batch = 0;
  std::uint32_t turn = 0, turns = 1;
  /// In a table with programs: the number of the channel that owns the message. It goes when the
  /// program of `from` says so, and that of `to` is told of them.
  std::optional<std::uint32_t> channel{};
  /// Whether its NIC may give its packets other entropies than the connection's own, and switches
  /// may balance it (Traffic::ecmp_every); else both leave it to the hash.
  bool spray = true;
  std::optional<std::uint8_t> traffic_class{};  ///< of its data; absent: that of its table

  /// Whether some of its messages have a verb of which `f` says so.
  template <class F>
  bool any_verb(F&& f) const {
    return verbs ? std::ranges::any_of(*verbs, f) : f(verb);
  }
};

}  // namespace horae::workload
