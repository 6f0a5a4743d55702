// How long the headers of a packet take the parser, by their length.
#pragma once

#include <cstdint>
#include <optional>

#include "horae/core/packet.hpp"
#include "horae/core/roce.hpp"
#include "horae/core/units.hpp"
#include "horae/params/schema.hpp"

namespace horae::tofino {

struct TimingConfig {
  bool egress_clock = false;  ///< egress takes one header per clock as well
  Bytes parser_bytes{};       ///< of headers per parser clock; zero: no time beyond the fixed one
  Hertz parser_clock = Hertz(1'312'500'000);
  std::optional<Bytes> cut_through = {};  ///< of a frame, with which its ingress begins

  bool enabled() const { return egress_clock || parser_bytes.count() > 0; }
  static const Schema<TimingConfig>& schema();
};

/// Bytes of a packet's headers, from Ethernet to the last of its transport.
constexpr Bytes header_bytes(const Packet& p) {
  return Bytes(detail::frame_overhead[static_cast<std::uint8_t>(p.opcode)] - wire::icrc -
               wire::fcs);
}

/// A state of the parser takes a clock and up to `parser_bytes`: so do headers of so many bytes.
class HeaderParser {
 public:
  explicit HeaderParser(const TimingConfig& config)
      : bytes_(config.parser_bytes.count()), clock_(config.parser_clock) {}
  /// Time of a packet on top of the parser's fixed time.
  Picoseconds time(const Packet& p) const {
    return timed() ? time(header_bytes(p)) : Picoseconds();
  }
  /// Likewise for so many bytes; only where timed().
  Picoseconds time(Bytes headers) const {
    return clock_.edge(Cycles((headers.count() + bytes_ - 1) / bytes_));
  }
  bool timed() const { return bytes_ != 0; }

 private:
  std::int64_t bytes_;
  Clock clock_;
};

}  // namespace horae::tofino
