// How long a message would take with nothing but links and fixed latencies in its way: closed
// forms.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "horae/config/platform.hpp"

namespace horae::workload {

/// Completion times in an otherwise idle network: from posting to the last acknowledgement, on the
/// quickest of the shortest paths (fewest links), at line rate, with no window, rate, host memory
/// or stage of a switch program in the way. Packets that take several slow paths at once may be
/// quicker. What a platform really takes for one message alone: alone_plan.hpp.
class IdealTimes {
 public:
  explicit IdealTimes(const config::PlatformConfig& platform);
  /// The time of a message between two NICs (device indices); a READ is posted by `from`.
  Picoseconds at_line_rate(unsigned from, unsigned to, Bytes bytes, Verb verb = Verb::write) const;
  /// The round trip of a packet, plus all of the message at the sender's rate: twice the delays of
  /// the path, an MTU of payload on each link of the way out, and each packet's bytes on the wire.
  Picoseconds by_base_rtt(unsigned from, unsigned to, Bytes bytes) const;
  /// Time of one packet of the sender's MTU and its acknowledgement, by the shortest path with the
  /// lowest ports.
  Picoseconds round_trip(unsigned from, unsigned to) const;
  /// The same by the quickest of the shortest paths.
  Picoseconds quickest_round_trip(unsigned from, unsigned to) const;

 private:
  struct Hop {
    BitRate rate{};
    Picoseconds before{};  ///< from the last bit received (or the decision) to the first bit sent
    Picoseconds delay{};
  };
  using Path = std::vector<Hop>;
  struct Step {
    Hop hop;
    unsigned next;  ///< device
  };
  Step step(unsigned at, unsigned port) const;
  /// The shortest path with the lowest ports.
  Path first_path(unsigned from, unsigned to) const;
  /// The shortest paths that may be the quickest for some message.
  std::vector<Path> paths(unsigned from, unsigned to) const;
  static void keep(std::vector<Path>& paths, Path path);
  /// Paths between two switches.
  const std::vector<Path>& between(unsigned first, unsigned last, NodeId to) const;
  Picoseconds message_time(unsigned from, unsigned to, Bytes bytes, const Path& there,
                           Verb verb) const;
  /// The time of an acknowledgement or a request, from its NIC's decision until it has passed the
  /// other's pipe.
  Picoseconds bare_time(unsigned from, unsigned to, Opcode opcode, const Path& there,
                        Bytes payload = 0_B) const;

  const config::PlatformConfig& platform_;
  std::vector<fabric::RouteTable> routes_;
  std::vector<std::vector<std::size_t>> links_;  ///< by device and port: the link there
  mutable std::map<std::pair<unsigned, unsigned>, std::vector<Path>> between_;
};

}  // namespace horae::workload
