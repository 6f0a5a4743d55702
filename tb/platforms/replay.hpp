// Shared by tests of `horae replay`: a switch to replay traces through, and what left it read
// back.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "capture_bytes.hpp"
#include "csv.hpp"
#include "horae/capture/reader.hpp"
#include "networks.hpp"
#include "program.hpp"
#include "roce_bytes.hpp"

namespace horae::test {

using testing::bytes_of;
using testing::ByteString;
using testing::nack_packet;
using testing::PcapBytes;
using testing::roce_packet;

/// Three hosts (nodes 0 to 2 on ports 0 to 2) on a chip that counts NACKs.
inline const std::string three = R"([platform]
name = "three"
[host]
kind = "host"
[chip]
kind = "tofino"
program = { name = "forward", nack_drop = 1, nack_of = 4 }
[plain]
kind = "switch"
)" + three_on_a_switch("host", "chip");

/// A place with that platform in it.
struct ReplayPlace : Workplace {
  ReplayPlace() { write("three.toml", three); }
  void write_pcap(const std::string& name, const PcapBytes& pcap) const {
    write(name, {pcap.bytes().begin(), pcap.bytes().end()});
  }
  Ended replay(Words arguments) const {
    arguments.insert(arguments.begin(), "replay");
    arguments.insert(arguments.end(), {"--platform", "three.toml", "--json"});
    return run(*this, arguments);
  }
  /// With --out out; it must succeed.
  ordered_json summary(Words arguments) const {
    arguments.insert(arguments.end(), {"--out", "out"});
    const Ended ended = replay(std::move(arguments));
    if (ended.exit_code != 0) throw std::runtime_error(ended.err);
    return ended.json();
  }
  std::vector<Row> rows(const std::string& name) const { return rows_of(read(name)); }
};

/// A frame that left by a port.
struct FrameOut {
  std::int64_t time_ns;
  ByteString bytes;
  std::uint32_t length;  ///< on the wire, of which the capture may have less
};

/// The frames of a capture that a replay wrote.
inline std::vector<FrameOut> captured(const Workplace& place, const std::string& name) {
  capture::CaptureReader reader((place.path() / name).string());
  std::vector<FrameOut> out;
  capture::CapturedFrame frame;
  while (reader.next(frame)) {
    out.push_back({frame.time_ns + reader.first_stamp_ns(),
                   {frame.bytes.begin(), frame.bytes.end()},
                   frame.length});
  }
  return out;
}

inline std::int64_t number(const Row& row, const std::string& column) {
  return std::stoll(row.at(column));
}

/// The receivers' ToR of themis_tor.toml: h4 to h7 on ports 0 to 3, uplinks on 4 to 7.
struct ThemisPlace : ReplayPlace {
  Ended themis(Words arguments, const std::string& device = "leaf1") const {
    Words all = {"replay"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"--platform", HORAE_PLATFORM_DIR "/themis_tor.toml", "--device", device,
                           "--json", "--out", "out"});
    return run(*this, all);
  }
};

}  // namespace horae::test
