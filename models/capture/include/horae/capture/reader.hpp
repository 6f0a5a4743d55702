// Captures of packets, read one packet at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "horae/core/cxx20.hpp"

namespace horae::capture {

/// A packet of a capture, as an Ethernet frame.
struct CapturedFrame {
  std::uint64_t number = 0;  ///< in the file, from 1, as other tools count
  /// Since the file's first packet; captures need not be in the order of time, so it may be less
  /// than that of the packet before, or negative.
  std::int64_t time_ns = 0;
  std::span<const std::uint8_t> bytes;  ///< from the destination MAC on; until the next call
  /// On the wire, as the capture says; at least bytes.size(), at most 16 MiB and a header.
  std::uint32_t length = 0;
};

/// Reads pcap and pcapng, in either byte order, and Endace's ERF, each also packed with gzip or
/// zstd, with stamps of any resolution (finer than a nanosecond: cut off), in constant memory.
/// Frames without an Ethernet header get one: raw IP with addresses of zeros, Linux "cooked"
/// captures (SLL, SLL2) with the sender's address; packets of InfiniBand become the frames of
/// RoCEv1 that they would be (MAC addresses and missing GIDs are made of the LIDs; README).
/// Whatever is wrong with a file is an InputError of one line that names file, packet and byte.
class CaptureReader {
 public:
  /// `filter`: an expression of pcap-filter(7); what does not match is left out. Empty: everything.
  /// It sees packets of ERF and InfiniBand as the frames that they become, and on Ethernet
  /// those mirrored by ERSPAN without its headers. `fcs`: Ethernet frames
  /// of ERF, which end with their FCS, keep it.
  explicit CaptureReader(const std::string& path, const std::string& filter = {}, bool fcs = false);
  ~CaptureReader();
  CaptureReader(const CaptureReader&) = delete;
  CaptureReader& operator=(const CaptureReader&) = delete;

  /// The next packet; false at the end. InputError for a damaged record: where the next one begins
  /// is then not known, and the reader is at its end. InputError for a time stamp more than 100
  /// days from the first one (simulated time has 106 days) or with a second or more behind its
  /// seconds, for a length on the wire above 16 MiB, and for a packet of a link that is not read:
  /// the next call goes on behind it.
  bool next(CapturedFrame& frame);

  /// Whether there is nothing more to be read.
  bool ended() const;

  const std::string& path() const;
  /// The first packet's stamp, since 1970; 0 before it is read.
  std::int64_t first_stamp_ns() const;
  std::uint64_t read() const;      ///< packets so far, those filtered out included
  std::uint64_t filtered() const;  ///< packets that did not match the filter
  /// Packets that a switch had mirrored by ERSPAN: each is given as the frame that was mirrored.
  std::uint64_t mirrored() const;
  /// Packets that the card could not keep, by the loss counters of ERF records so far.
  std::uint64_t lost() const;
  /// Share of the file that is read, 0..1; 0 where there is no telling (a pipe).
  double share() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace horae::capture
