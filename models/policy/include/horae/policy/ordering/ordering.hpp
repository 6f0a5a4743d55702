// The ordering seam: what a receiving NIC remembers of packets that arrived out of order, for all
// of its connections, and what that costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/psn.hpp"
#include "horae/core/units.hpp"
#include "horae/params/located.hpp"
#include "horae/policy/parameters.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::policy {

/// Number of a connection within its NIC.
using ConnectionId = std::uint32_t;

/// A data packet as the ordering layer sees it. `head` and `last` are what the sender's agent
/// appends: 33 bits (Eunomia 3.2.1).
struct OrderingPacket {
  ConnectionId connection = 0;
  Psn psn;
  Psn head;           ///< first PSN of the connection
  bool last = false;  ///< the connection's last packet: what it holds may go once all is received
};

enum class Tracking : std::uint8_t {
  in_order,      ///< it was the expected one
  out_of_order,  ///< it is remembered
  duplicate,     ///< it had arrived before
  rejected,      ///< it cannot be remembered and must come again
};

/// Why a packet was rejected.
enum class Rejection : std::uint8_t {
  none,
  reach,        ///< further ahead than the bitmap can ever grow, or than it can reach now
  no_block,     ///< no free bitmap block
  no_metadata,  ///< no room for the state of one more connection
  count_
};
inline constexpr std::size_t rejections = static_cast<std::size_t>(Rejection::count_);

/// Work of the hardware for one packet. Words are the engine's memory accesses of its own width.
struct OrderingOps {
  std::uint32_t words_read = 0;
  std::uint32_t words_written = 0;
  std::uint32_t searched = 0;   ///< positions of allocation maps looked at
  std::uint32_t allocated = 0;  ///< blocks taken, those of metadata included
  std::uint32_t released = 0;   ///< blocks given back
  std::uint32_t cycles = 0;     ///< clock cycles from request to answer; 0: not modelled
  // Parts of Eunomia's clocks (eunomia_cycles.hpp).
  std::uint32_t steps = 0;          ///< clocks that wait for nothing
  std::uint32_t fetches = 0;        ///< words of the master array waited for, one after the other
  std::uint32_t search_clocks = 0;  ///< clocks of searches for free words
  bool operator==(const OrderingOps&) const = default;
};

struct OrderingAnswer {
  Tracking tracking = Tracking::in_order;
  Rejection rejection = Rejection::none;
  std::uint32_t advanced = 0;  ///< packets by which the expected PSN advanced
  Psn expected;                ///< the first PSN that is missing now
  bool completed = false;      ///< everything up to the packet marked last has arrived
  OrderingOps ops;
};

/// Bytes in use on the chip.
struct OrderingMemory {
  Bytes fixed{};     ///< what every open connection has, whether it reorders or not
  Bytes bitmap{};    ///< bits of packets
  Bytes metadata{};  ///< what else a connection that reorders has
  Bytes total() const { return fixed + bitmap + metadata; }
};

/// Tracks the packets of all connections of a NIC. Decides; keeps no time.
class OrderingEngine {
 public:
  virtual ~OrderingEngine() = default;
  /// A data packet arrived. A connection is opened by its first packet.
  virtual OrderingAnswer on_packet(const OrderingPacket& packet) = 0;
  /// The connection ended: all it holds is given back.
  virtual void close(ConnectionId connection) = 0;
  virtual OrderingMemory memory() const = 0;
  /// The most bytes it can ever use with so many connections, and what is provided on the chip.
  virtual Bytes provided(std::uint32_t connections) const = 0;
};

/// How an application is kept from seeing the last packet of a WRITE, which carries its flag,
/// before the rest (Eunomia 3.5.2 and A.1).
enum class WriteLast {
  immediate,  ///< not at all: SEND, whose completion waits for all of its packets
  sender,     ///< the sender holds it until all before it is acknowledged
  receiver,   ///< out of order it waits in other host memory and is copied when all has arrived
};

struct OrderingEntry;

/// Which engine there is, and the parameters of all of them, which are keys of one table.
struct OrderingConfig {
  std::string engine = "none";    ///< none: the transport's own receiver
  std::string level = "model";    ///< model, rtl, both
  PolicyParameters parameters{};  ///< what single engines have
  Hertz clock{1'000'000'000};     ///< clock of the ordering engine
  WriteLast write_last = WriteLast::immediate;

  static const Schema<OrderingConfig>& schema();
  /// The keys when these are the engines.
  static Schema<OrderingConfig> schema_with(const std::vector<OrderingEntry>& registry);
};

/// The parameter of engines whose bitmap of a connection has a size.
struct BitmapReach {
  std::uint32_t bits = 256;  ///< most packets that a connection's bitmap covers

  static const Schema<BitmapReach>& schema();
};

/// Field that the sender's agent appends to a data packet for the receiver's engine: the
/// connection's first PSN and whether the packet is its last, 33 bits (Eunomia 3.2.1).
inline constexpr HeaderExtension ordering_frame{.feature = "the ordering layer's frame",
                                                .between = "NICs",
                                                .bth_reserved = 1u << 14,
                                                .behind_bth = 0xffffffff};

/// An engine by name.
struct OrderingEntry {
  std::string_view name;
  std::string_view doc;
  /// Null: there is no ordering layer, and packets are as the transport has them.
  std::unique_ptr<OrderingEngine> (*make)(const PolicyParameters&);
  /// Keys of its own beside those of all engines.
  std::vector<OwnParameters> parameters = {};
  /// Fields in packets between NICs with the engine beyond RoCEv2; SACKs name what they have.
  std::vector<HeaderExtension> headers = {ordering_frame, received_psn};
  /// Null, or refuses with an InputError what its parameters cannot be together.
  void (*check)(const PolicyParameters&) = nullptr;
};
const std::vector<OrderingEntry>& ordering_engines();
/// The engine of that name; an unknown one is an InputError with the nearest name.
const OrderingEntry& find_ordering_engine(std::string_view name);
/// InputError when the engine named by `config` cannot be built with it; ranges of single fields
/// are the schema's.
void check(const OrderingConfig& config);
/// Builds one, null where there is no ordering layer; InputError as `check`.
std::unique_ptr<OrderingEngine> make_ordering_engine(const OrderingConfig& config);

}  // namespace horae::policy
