// A trace as packets that are to enter a port at their times.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "horae/capture/dissection.hpp"
#include "horae/capture/reader.hpp"
#include "horae/fabric/class_map.hpp"
#include "horae/replay/addresses.hpp"
#include "horae/replay/options.hpp"

namespace horae::replay {

/// Totals of a trace beside its packets.
struct TraceCounts {
  std::uint64_t injected = 0;
  std::array<std::uint64_t, capture::frame_kinds> kinds{};
  std::uint64_t cut = 0;        ///< captured in part
  std::uint64_t padded = 0;     ///< to Ethernet's minimum
  std::uint64_t limited = 0;    ///< to the longest frame
  std::uint64_t tagged = 0;     ///< with VLAN tags
  std::uint64_t tunnelled = 0;  ///< RoCE in a tunnel
  std::uint64_t pauses = 0;     ///< MAC control: of 802.3 or PFC
  std::uint64_t lldp = 0, lacp = 0;
  std::uint64_t rocev1 = 0;    ///< of RoCEv1, or of InfiniBand
  std::uint64_t backward = 0;  ///< stamped earlier than the packet before, and sent with it
  std::uint64_t skipped = 0;   ///< packets left out as damaged
  bool broken = false;         ///< ended at a damaged record
};

/// A packet to be sent.
struct TracePacket {
  std::uint64_t number = 0;  ///< in its file, from 1
  Picoseconds at{};          ///< since the first packet of all traces
  /// It is a pause frame, which has no dissection: it is obeyed, and ends where it came.
  std::optional<capture::PauseRequest> pause{};
  capture::Dissection dissection;
  std::span<const std::uint8_t> bytes;  ///< valid until the next one is asked for
  std::uint32_t length = 0;
};

/// Packets of one file in the order of the file, each not before the one ahead of it.
class Trace {
 public:
  /// `addresses` and `options` are kept. `classes` are those of the switch. `as_bytes`: what a
  /// frame's headers say is up to who takes it, so one whose lengths contradict each other is sent
  /// as any other.
  Trace(const ReplayInput& input, const ReplayOptions& options,
        const capture::DissectOptions& dissect, ReplayAddresses& addresses,
        ReplayAddresses::Sides sides, const fabric::ClassMaps& classes, bool as_bytes);

  /// Stamp of the first packet that is to be sent, since 1970; nothing where there is none. Before
  /// `start`.
  std::optional<std::int64_t> first_stamp_ns();
  /// The time 0 of all traces.
  void start(std::int64_t stamp_ns) { origin_ns_ = stamp_ns; }
  /// The next packet, which stays the next until it is taken; null at the end. InputError for what
  /// is damaged, unless that is to be skipped.
  const TracePacket* peek();
  void take();
  /// Whether every packet is taken.
  bool finished() const { return ended_ && !has_; }

  /// Whether its packets have times to keep to.
  bool timed() const { return !options_.pace.back_to_back; }
  const std::string& path() const { return reader_.path(); }
  const TraceCounts& counts() const { return counts_; }
  std::uint64_t filtered() const { return reader_.filtered(); }
  std::uint64_t mirrored() const { return reader_.mirrored(); }
  std::uint64_t lost() const { return reader_.lost(); }
  double share() const { return ended_ ? 1.0 : reader_.share(); }

 private:
  bool read();
  /// The class that the switch gives to it.
  std::uint8_t class_of(const capture::Dissection& d) const;
  bool next_frame();
  /// Counts a link-local frame; whether it is to be sent, as a pause.
  bool is_pause(const capture::Dissection& d);
  void damaged(const std::string& why);
  Picoseconds time_of(std::int64_t time_ns);

  capture::CaptureReader reader_;
  const ReplayOptions& options_;
  capture::DissectOptions dissect_options_;
  ReplayAddresses& addresses_;
  ReplayAddresses::Sides sides_;
  fabric::ClassMaps classes_;
  bool as_bytes_;
  capture::CapturedFrame frame_;
  TracePacket packet_;
  TraceCounts counts_;
  bool has_read_ = false;  ///< a packet of which only the stamp was asked for
  bool has_ = false;
  bool ended_ = false;
  bool has_stamp_ = false;  ///< `latest_ns_` is of a packet
  std::int64_t origin_ns_ = 0;
  std::int64_t latest_ns_ = 0;  ///< of the packets so far
};

}  // namespace horae::replay
