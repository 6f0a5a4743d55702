// Options of `horae replay`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace horae::replay {

/// Treatment of packets to an address that is no node's.
enum class UnknownAddress : std::uint8_t {
  spread,  ///< a node by a hash of the address
  drop,    ///< no node: the switch has no route for it
  refuse,  ///< an InputError
};

/// When packets enter.
struct ReplayPace {
  bool back_to_back = false;  ///< one behind the other, whatever their stamps
  /// Millionths by which times since the first packet are multiplied.
  std::int64_t scale = 1'000'000;
};

/// A trace and the port it enters by, as a user gave them.
struct ReplayInput {
  std::string trace;
  std::string port;    ///< a number, or the name of the device behind it
  std::string filter;  ///< pcap-filter(7); empty: everything
};

struct ReplayOptions {
  std::vector<ReplayInput> inputs;    ///< one for each port
  std::optional<std::string> device;  ///< not needed where there is one switch
  bool fcs = false;                   ///< frames end with their FCS
  ReplayPace pace;
  std::uint64_t limit = 0;        ///< packets of each trace; 0: all
  std::vector<std::string> maps;  ///< ADDRESS=NODE or PREFIX/BITS=NODE
  UnknownAddress unknown = UnknownAddress::spread;
  /// A trace that has no address of the platform at all is refused, unless a user chose what is to
  /// become of it.
  bool unknown_chosen = false;
  bool skip_damaged = false;
  /// A file of connections, "learn" (from the traces) or "none".
  std::string connections = "learn";
  std::vector<std::string> registers;  ///< to be watched
  bool packets = true;                 ///< packets.csv
  bool ports = true;                   ///< ports/*.pcap
  bool progress = true;
};

}  // namespace horae::replay
