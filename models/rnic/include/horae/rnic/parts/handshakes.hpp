// TCP handshakes before connections: who has sent what. No SystemC.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "horae/core/codec/tcp_segment.hpp"
#include "horae/core/units.hpp"

namespace horae::rnic {

/// Hosts exchange queue pair numbers over TCP before they make a connection. Here that is the
/// handshake alone: the client, whose queue pair sends data, begins with a SYN; the server answers
/// each SYN and keeps nothing.
///
/// A SYN-ACK may be that of a switch on the way, with a cookie (long-haul paper, section IV). A
/// client takes it for any other and acknowledges it; the RST that follows makes it begin again
/// before it has exchanged anything. So it is connected when the server itself has answered, which
/// the model knows by the maker of the packet.
class Handshakes {
 public:
  /// Until a SYN is sent again (RFC 6298, 2.1: 1 s before anything was measured).
  static constexpr Picoseconds retry = 1000_ms;

  /// Reaction of a segment's receiver.
  struct Outcome {
    std::optional<TcpSegment> answer{};
    bool again = false;      ///< begin again, with a SYN
    bool connected = false;  ///< for the first time
  };

  /// The next SYN of client `qp`.
  TcpSegment begin(std::size_t qp);
  /// How many SYNs client `qp` has sent.
  std::uint32_t attempts(std::size_t qp) const {
    const auto it = clients_.find(qp);
    return it == clients_.end() ? 0 : it->second.attempts;
  }
  /// A segment for `qp`; `of_peer`: the peer made it, not a switch.
  Outcome receive(std::size_t qp, bool client, const TcpSegment& segment, bool of_peer);

  /// Segments that wait for the wire, first in, first out.
  void put(const TcpSegment& segment) { waiting_.push_back(segment); }
  TcpSegment take() {
    const TcpSegment first = waiting_.front();
    waiting_.pop_front();
    ++counts_.sent;
    return first;
  }

  struct Counts {
    std::uint64_t sent = 0, received = 0;  ///< segments
    std::uint64_t resets = 0;              ///< clients that had to begin again for a RST
    std::uint64_t connected = 0;           ///< clients
  };
  const Counts& counts() const { return counts_; }

 private:
  enum class State : std::uint8_t { asked, told, connected };
  struct Client {
    State state = State::asked;  ///< SYN sent; a switch's answer acknowledged; the server answered
    std::uint32_t attempts = 0;
    Psn initial;
  };
  std::map<std::size_t, Client> clients_;
  std::deque<TcpSegment> waiting_;
  Counts counts_;
};

}  // namespace horae::rnic
