// Captures of what ports send and receive.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/telemetry.hpp"
#include "horae/core/wire_bytes.hpp"
#include "horae/results/result_folder.hpp"
#include "horae/views/view_filter.hpp"
#include "horae/views/watcher.hpp"

namespace horae::views {

/// One pcap file per port, both directions together, in the order of the time at which a frame's
/// last bit passed the port (stamps: nanoseconds of the run, rounded down). Memory is bounded by
/// `most` packets over all ports; when there are as many, nothing more is recorded.
class PortCaptures final : public Watcher {
 public:
  /// InputError for a port that is not there.
  PortCaptures(const ViewOptions& options, const ViewFilter& filter,
               const config::PlatformConfig& platform);
  void learn(const elaboration::Simulation& simulation);

  void arrived(const fabric::device& d, unsigned port, const Packet& p, Picoseconds at,
               Picoseconds ready) override;
  void sent(const fabric::device& d, unsigned port, const Packet& p, Picoseconds start,
            Picoseconds first_bit, Picoseconds last_bit) override;

  /// ports/<device>_<port>.pcap and, for who reads them, ports/connections.csv.
  void write(results::ResultFolder& folder);
  Picoseconds full_at() const { return full_at_; }

 private:
  struct Record {
    Picoseconds at;
    Packet packet;
    std::optional<std::size_t> feedback;  ///< its place in `feedback_`
    std::optional<std::size_t> contents;  ///< likewise in `contents_`
    std::optional<std::size_t> bytes;     ///< likewise in `bytes_`
  };
  struct Port {
    std::string name;  ///< of its file
    unsigned device, port;
    std::vector<Record> records;
  };
  void add(const fabric::device& d, unsigned port, const Packet& p, Picoseconds at);

  const ViewFilter& filter_;
  std::uint64_t most_;
  ClassCodes codes_;  ///< of the platform
  std::uint64_t kept_ = 0;
  Picoseconds full_at_ = never;
  std::vector<Port> ports_;
  bool carries_feedback_ = false;       ///< packets have room for it
  std::vector<Feedback> feedback_;      ///< of acknowledgements
  const WireBytes* carried_ = nullptr;  ///< null: payload is zeros
  std::deque<PacketContents> contents_;
  const WireBytes* wire_ = nullptr;  ///< of switches whose programs work on bytes
  std::deque<FrameBytes> bytes_;     ///< of packets that are no RoCEv2
  std::map<std::pair<const fabric::device*, unsigned>, std::size_t> by_port_;
  std::string connections_;
};

}  // namespace horae::views
