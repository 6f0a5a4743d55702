// The steps of packets as slices on tracks: what a timeline draws.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "horae/views/trace_record.hpp"

namespace horae::views {

/// Blocks of devices, in the order in which their tracks are shown.
enum class Block : std::uint8_t {
  messages,     ///< of a NIC, by queue pair
  posting,      ///< threads of a NIC's host
  polling,      ///< likewise
  host_reads,   ///< of a NIC, from host memory
  host_writes,  ///< likewise, to it
  service,      ///< of NACKs, in a NIC
  engine,       ///< packet engine of a NIC: what it sends
  rx_engine,    ///< likewise: what it received
  tx,           ///< wire of a NIC or host
  rx,           ///< likewise, from the last bit to where the packet is handled
  receive,      ///< plain switch, by ingress port: store and look up
  ingress,      ///< chip, by pipeline: MAC, parser, wait for a clock, MAU, deparser
  queue,        ///< by egress port
  egress,       ///< chip, by pipeline
  wire,         ///< by egress port
  loopback,     ///< chip, by pipeline
  drops,
  paused,  ///< by port
};

/// Slices of one lane do not overlap. A block has as many lanes as it needs.
struct TraceSlice {
  Picoseconds start, end;
  std::uint32_t track;
  std::uint32_t subject;  ///< packet, message, service, moment, pause or span, as `kind` says
  std::uint32_t step;     ///< of a packet: which; message_step: at its message
  std::uint32_t lane = 0;
  enum class Kind : std::uint8_t { packet, message, service, moment, pause, drop, span } kind;
};

/// An arrow between slices of different packets, or of a packet and what it caused.
struct TraceArrow {
  std::uint32_t from, to;  ///< slices
  const char* category;
  bool to_end = false;  ///< leads to the end of `to`
};

struct TraceTrack {
  std::uint32_t device;
  Block block;
  std::uint32_t index;
  unsigned lanes = 0;
};

/// Everything a file needs, in order: slices of a packet are one after the other in time.
struct TraceSlices {
  std::vector<TraceTrack> tracks;  ///< by device, then as they are shown
  std::vector<TraceSlice> slices;
  std::vector<TraceArrow> arrows;
  /// First slice of every packet: its slices are those from here to the next packet's.
  std::vector<std::uint32_t> first_slice;
  /// For every packet: the slice of the message it is part of, and when it left that; none:
  /// neither.
  std::vector<std::uint32_t> message_slice;
  std::vector<Picoseconds> left_message;
};

/// Without what begins when the record was full, or later; accesses to host memory only where
/// `host_accesses`.
TraceSlices slices_of(const TraceRecord& record, bool host_accesses);

/// "queue port 3"; lanes are numbered beside.
std::string name_of(const TraceTrack& track);

}  // namespace horae::views
