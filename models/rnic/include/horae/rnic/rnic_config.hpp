// Parameters of the NIC model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horae/core/header_extension.hpp"
#include "horae/core/roce.hpp"
#include "horae/core/units.hpp"
#include "horae/params/located.hpp"
#include "horae/policy/congestion/congestion.hpp"
#include "horae/policy/entropy/entropy.hpp"
#include "horae/policy/ordering/ordering.hpp"
#include "horae/policy/retransmit/retransmit.hpp"
#include "horae/policy/transport/transport.hpp"
#include "horae/rnic/host/payload_fetcher.hpp"
#include "horae/rnic/host_memory.hpp"
#include "horae/rnic/memory/on_chip_memory.hpp"
#include "horae/rnic/spec/atomics_config.hpp"
#include "horae/rnic/spec/class_config.hpp"
#include "horae/rnic/spec/dc_config.hpp"
#include "horae/rnic/spec/engine_config.hpp"
#include "horae/rnic/spec/host_queues_config.hpp"
#include "horae/rnic/spec/pcie_config.hpp"
#include "horae/rnic/spec/receive_config.hpp"
#include "horae/rnic/spec/rx_pause_config.hpp"

namespace horae::rnic {

/// How a queue pair is held to its rate.
enum class Shaping {
  per_packet,  ///< every packet waits for its own time
  quantum,     ///< a burst of `quantum` bytes at line rate, then a pause that makes up for it
};

/// How long packets are.
enum class Frames {
  roce,   ///< as RoCEv2 has them, with preamble and gap
  htsim,  ///< 64 bytes beside the payload on the wire, preamble and gap included; responses are 64
  ns3,    ///< likewise 48 bytes beside the payload, which is what ns-3 sends; responses are 60
  infiniband,  ///< LRH, BTH, RETH or AETH, ICRC and VCRC; no preamble, no gap
};
/// Frame bytes of a packet that is not `roce`, with `payload` bytes or, of a response, none:
/// l1_bytes() of it is what is on the wire. Buffers and queues count frames, so they count 20 bytes
/// less. `as_roce`: its frame bytes if it were.
constexpr Bytes other_frame(Frames frames, Bytes payload, Bytes as_roce) {
  if (frames == Frames::infiniband) {
    // LRH 8 and VCRC 2 in the place of Ethernet 14, IP 20, UDP 8 and FCS 4 (IBTA vol. 1, 5.2).
    return as_roce - 36_B - l1_bytes(0_B);
  }
  const Bytes response = frames == Frames::ns3 ? 60_B : 64_B;
  const Bytes headers = frames == Frames::ns3 && payload > 0_B ? 48_B : response;
  return payload + headers - l1_bytes(0_B);
}

/// Where WQEs and payload come from and go to.
enum class HostModel {
  none,  ///< they are where they are needed at no cost
  pcie,  ///< host memory behind a PCIe link
};

/// Which port of a NIC with several a data packet takes. The other end of its link is the same
/// plane for all NICs, so it chooses the plane.
enum class PortChoice {
  entropy,  ///< the remainder of the entropy value: whatever chooses values chooses planes
  rail,     ///< one for each connection, by its number in the platform
  hash,     ///< one for each connection, by a hash of that number
  least,    ///< the one with the fewest bytes in line, equal ones in turn
};

struct RnicConfig {
  std::string spec;  ///< NIC file whose values were the defaults; empty: none (see nic_spec.hpp)
  Bytes mtu = 1024_B;
  std::string transport = "rnic_sr";
  policy::TransportConfig reliability;
  policy::EntropyConfig entropy;  ///< which UDP source ports data packets have
  /// Round trip of an empty network, as entropy schemes use it; absent: the platform's longest
  /// path, if it says so, else 10 us.
  std::optional<Picoseconds> base_rtt{};
  bool trimming = false;  ///< switches on the way cut packets; said by the platform

  Picoseconds tx_latency = 300_ns;      ///< scheduling decision to first bit on the wire
  Picoseconds rx_latency = 300_ns;      ///< last bit received to decision
  Picoseconds ack_delay = 0_ns;         ///< decision to acknowledge until the ACK is ready to send
  Picoseconds nack_delay = 1_us;        ///< out-of-order packet to NACK
  Picoseconds nack_reaction = 1500_ns;  ///< NACK received to retransmissions ready

  BitRate qp_rate{};  ///< per queue pair, on the wire; zero: the line's rate
  Shaping shaping = Shaping::per_packet;
  Bytes quantum = 4_KiB;  ///< bytes a queue pair sends before the next one's turn
  Frames frames = Frames::roce;
  /// frames = infiniband: room of each virtual lane at the other end of its link; absent: as much
  /// as is needed. And from a packet's last bit there until its credits are on their way back.
  std::optional<Bytes> vl_credits{};
  std::optional<Picoseconds> credit_delay{};
  bool reth_on_every_packet = false;  ///< direct data placement header on every WRITE packet
  bool remaining_tag = false;         ///< data packets tell how much of their message is left
  HostModel host = HostModel::none;
  PcieConfig pcie;          ///< with host = pcie
  HostMemoryConfig memory;  ///< likewise
  FetchConfig fetch;        ///< likewise
  policy::RetransmitConfig retransmit;
  policy::CongestionConfig congestion;
  policy::OrderingConfig ordering;
  std::uint32_t traffic_class = 0;  ///< of data, where a connection has none of its own
  std::uint32_t ack_traffic_class = 0;
  std::optional<std::vector<ClassConfig>> classes{};  ///< absent: all of strict priority
  std::optional<bool> handshake{};  ///< TCP before the first message of each connection
  std::optional<Picoseconds> handshake_lead{};
  bool shakes_hands() const { return handshake.value_or(false); }

  OnChipMemoryConfig sram;
  std::optional<CachesConfig> cache{};     ///< with host = pcie; absent: all kinds share one memory
  std::optional<RxPauseConfig> pfc{};      ///< absent: it sends no pauses
  std::optional<EngineConfig> engine{};    ///< absent: packets take no time but the wire's
  std::optional<PostConfig> post{};        ///< with host = pcie
  std::optional<CqConfig> cq{};            ///< likewise
  std::optional<AtomicsConfig> atomics{};  ///< absent: its defaults, where a verb needs them
  std::optional<ReceiveConfig> receive{};  ///< absent: its defaults, where a verb needs them
  std::optional<DcConfig> dc{};            ///< absent: its defaults, where a service needs them
  /// The last packet of every n-th message of a queue pair asks for an acknowledgement, and that of
  /// a message behind which nothing is posted; absent: of every message.
  std::optional<std::uint32_t> ack_messages{};

  // Several ports. Absent: one.
  std::optional<std::uint32_t> ports{};
  std::uint32_t port_count() const { return ports.value_or(1); }
  std::optional<PortChoice> port_choice{};  ///< absent: by entropy
  std::optional<Bytes> port_buffer{};
  /// Whether the packet engine puts packets in line for the one port.
  bool works_ahead() const { return port_count() == 1 && engine && engine->ahead > 0_B; }
  /// Data goes in line for a port while less than this waits there.
  Bytes buffer_of_port() const {
    return works_ahead() ? engine->ahead : port_buffer.value_or(16_KiB);
  }
  /// Ports that packets wait in line for.
  std::uint32_t lines() const { return port_count() > 1 || works_ahead() ? port_count() : 0; }
  /// From a link going down or coming up until the NIC at its end knows; absent: at once.
  std::optional<Picoseconds> link_down_known{};

  static const Schema<RnicConfig>& schema();
};

/// InputError in one line when the transport's parameters do not give congestion control the
/// acknowledgements that it listens to, or an ordering engine would take the place of a receiver
/// that its sender needs.
void check_listening(const RnicConfig& config);

/// InputError in one line when such a NIC cannot request READs or answer them.
void check_reads(const RnicConfig& config);

/// InputError in one line when such a NIC cannot send or take messages of verbs that need receive
/// WQEs.
void check_sends(const RnicConfig& config);
/// InputError in one line when such a NIC cannot have queue pairs of UC and UD.
void check_unreliable(const RnicConfig& config);
/// InputError in one line when such a NIC cannot have queue pairs that are connected on demand.
void check_on_demand(const RnicConfig& config);
/// InputError in one line about `what` when something of the NIC hears of each acknowledgement, or
/// orders what comes: neither is there for messages of `what`.
void check_unheard(const RnicConfig& config, const char* what);
/// InputError in one line when its receive queues would never be filled again.
void check_receive_queues(const RnicConfig& config);

/// InputError in one line when its transport has no ACK timeout or retries, and they are given.
void check_timeouts(const RnicConfig& config);

/// InputError in one line when credits of virtual lanes do not go with the rest of it.
void check_credits(const RnicConfig& config);

/// InputError in one line when its keys of several ports do not go together.
void check_ports(const RnicConfig& config);

/// InputError in one line when its PFC has thresholds that cannot be, or no host fills its RX
/// buffer.
void check_pauses(const RnicConfig& config);

/// InputError in one line when its packet engine, or what its host does for a message, does not go
/// with the rest of it.
void check_engine(const RnicConfig& config);
void check_host_queues(const RnicConfig& config);
void check_caches(const RnicConfig& config);
void check_contents(const RnicConfig& config);

/// Fields in packets of such a NIC beyond RoCEv2: by its transport, its ordering engine and its
/// own options.
std::vector<HeaderExtension> header_extensions(const RnicConfig& config);

}  // namespace horae::rnic
