// Parameters of the switch chip's time and memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/fabric/class_config.hpp"
#include "horae/fabric/devices/buffer_pools.hpp"
#include "horae/fabric/devices/ingress_accounts.hpp"
#include "horae/fabric/ports/red.hpp"
#include "horae/params/located.hpp"
#include "horae/tofino/header_timing.hpp"
#include "horae/tofino/loopback_config.hpp"
#include "horae/tofino/mirror_buffer.hpp"

namespace horae::tofino {

/// Defaults are an Intel Tofino2; the fixed latencies that no public source gives are declared as
/// unverified in the schema.
struct ChipConfig {
  Located<std::string> chip{"tofino2", {}};  ///< see dataplane::ChipSpec::find
  std::uint32_t pipelines = 4;
  std::vector<std::uint32_t>
      pipeline_of_port;  ///< empty: `ports_per_pipeline` consecutive ports each
  std::uint32_t ports_per_pipeline = 8;
  Hertz mau_clock = Hertz(1'500'000'000);
  Picoseconds mac_rx = 60_ns;
  Picoseconds ingress_parser = 50_ns;
  Picoseconds ingress_deparser = 40_ns;
  Picoseconds traffic_manager = 150_ns;
  Picoseconds egress_parser = 40_ns;
  Picoseconds egress_deparser = 30_ns;
  Picoseconds mac_tx = 30_ns;
  std::uint32_t cells = 384 * 1024;
  Bytes cell = Bytes(176);
  std::uint32_t queues_per_port = 8;
  Bytes queue_limit{};  ///< per egress port; zero: only the buffer limits
  Bytes ecn_kmin{};
  Bytes ecn_kmax{};
  double ecn_pmax = 0.0;
  /// In place of the three before: ECN as plain switches have it.
  std::optional<fabric::RedConfig> ecn = {};
  /// Pauses that the chip sends; absent: none.
  std::optional<fabric::PfcConfig> pfc = {};
  /// Acknowledgements and CNPs: a class that takes no cells, is never refused, does not pause its
  /// sender and is not marked, as if it had a buffer of its own. Absent: there is none.
  std::optional<std::uint32_t> control_class = {};
  /// Packets in queues of a program's own take no cells, are never refused, do not pause their
  /// senders and are not marked at enqueue. Absent: false.
  std::optional<bool> free_queues = {};
  std::optional<LoopbackConfig> loopback = {};
  std::optional<MirrorConfig> mirror = {};  ///< absent: copies never wait and are never lost
  std::optional<TimingConfig> timing = {};  ///< absent: as its defaults
  std::optional<Hertz> replication = {};    ///< multicast copies; absent: 1.3125 GHz
  /// Scheduling and limits of classes; absent: strict priority, and the buffer is the limit.
  std::optional<std::vector<fabric::ClassConfig>> classes = {};
  /// Parts of the buffer that some classes have for themselves. Absent: all share it.
  std::optional<std::vector<fabric::PoolConfig>> pools = {};

  bool pauses() const { return pfc && pfc->enabled(); }
  bool frees_queues() const { return free_queues.value_or(false); }
  /// ECN, wherever it is said.
  fabric::RedConfig marking() const {
    return ecn ? *ecn : fabric::RedConfig{.kmin = ecn_kmin, .kmax = ecn_kmax, .pmax = ecn_pmax};
  }
  /// Whether queues of a class have a dynamic limit.
  bool limits_classes() const;
  /// The packet buffer in bytes.
  Bytes buffer() const { return cell * std::int64_t{cells}; }

  static const Schema<ChipConfig>& schema();
  /// Reads a table; what it does not give and the chip file does (pipelines, ports, clock, buffer)
  /// is the chip's. The keys in `also_known` are left alone.
  static ChipConfig read(const Section& section, const std::vector<std::string>& also_known);
};

}  // namespace horae::tofino
