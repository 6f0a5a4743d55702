// Program of a host that does more with its NIC than post due messages: the seam between a
// schedule of operations and whoever has a clock and queue pairs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::traffic {

/// Messages go over channels: a channel is one direction of a connection, numbered by who made the
/// program, and all of its messages are of one size. Plain C++. Whoever runs it tells it what
/// happened, in the order of time, and after that posts take_posts() and calls proceed() at next().
class HostProgram {
 public:
  virtual ~HostProgram() = default;

  /// Once, at time 0.
  virtual void begin() = 0;
  /// So many more messages of an incoming channel are in this host's memory.
  virtual void received(std::uint32_t channel, std::uint64_t messages, Picoseconds now) = 0;
  /// So many more messages of an outgoing channel are acknowledged, in the order of posting.
  virtual void completed(std::uint32_t channel, std::uint64_t messages, Picoseconds now) = 0;
  /// Does what is due at `now`; nothing if nothing is.
  virtual void proceed(Picoseconds now) = 0;
  /// When it does something next, if nothing happens; `never`: nothing.
  virtual Picoseconds next() const = 0;
  /// Outgoing channels on which one more message each is to be posted now, in this order.
  virtual std::vector<std::uint32_t> take_posts() = 0;

  /// Whether everything is done.
  virtual bool finished() const = 0;
  /// When the last thing that is done was done.
  virtual Picoseconds end() const = 0;
  /// For an unfinished one: what waits for what, a few lines at most.
  virtual std::vector<std::string> waiting() const = 0;
};

}  // namespace horae::traffic
