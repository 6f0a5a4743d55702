// The entropy seam: which entropy value (EV) a sender gives to each packet of a queue pair. The
// switches hash it, so it chooses the path, but nobody knows which value means which path.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/core/units.hpp"
#include "horae/params/located.hpp"
#include "horae/policy/parameters.hpp"
#include "horae/policy/state_fields.hpp"

namespace horae::policy {

struct EntropyEntry;

/// How a sender chooses entropy values; the parameters of all schemes are keys of one table.
struct EntropyConfig {
  std::string scheme = "fixed";  ///< see `entropy_schemes`
  std::uint32_t values = 65536;  ///< entropy values are 0 to values - 1
  std::optional<bool> keep{};    ///< a connection goes on with the state of an earlier one
  bool keeps() const { return keep.value_or(false); }
  PolicyParameters parameters{};

  static const Schema<EntropyConfig>& schema();
  /// The keys when these are the schemes.
  static Schema<EntropyConfig> schema_with(const std::vector<EntropyEntry>& registry);
};

/// Signal about one packet's path for its sender.
enum class PathSignal : std::uint8_t {
  good,     ///< acknowledged without CE
  marked,   ///< acknowledged with CE
  trimmed,  ///< NACK: a switch cut off its payload
  timeout,  ///< nothing came back in time
};

/// The end of one packet, as its sender hears of it.
struct EntropyFeedback {
  std::uint16_t value = 0;  ///< what next() gave it
  PathSignal signal = PathSignal::good;
  Bytes delivered{};  ///< payload that this acknowledgement newly reports as received
  Picoseconds rtt{};  ///< of that packet; 0: unknown
  bool room{};        ///< the window has room now for more than one more packet
};

/// A queue pair, when its scheme is made.
struct EntropyContext {
  std::uint16_t own = 0;          ///< the queue pair's constant source port
  std::uint32_t ordinal = 0;      ///< of the connection in the platform
  Picoseconds base_rtt{};         ///< of an empty network; above zero
  Picoseconds rto{};              ///< the transport's timeout; above zero
  std::uint32_t bdp_packets = 1;  ///< packets of a bandwidth-delay product, at least 1
  bool trimming = false;          ///< switches cut packets rather than drop them when full
  RandomStream random;            ///< of this queue pair alone
};

/// How many packets got their value from where.
struct EntropyCounts {
  std::uint64_t recycled = 0;  ///< values that feedback had called good
  std::uint64_t random = 0;    ///< newly drawn
  std::uint64_t frozen = 0;    ///< old values that a frozen scheme used again
  std::uint64_t fixed = 0;     ///< any other: constants and cycles
  std::uint64_t freezes = 0;   ///< times that it became frozen
  Picoseconds frozen_time{};   ///< sum of the times that it was frozen and has left again

  EntropyCounts& operator+=(const EntropyCounts& other) {
    recycled += other.recycled;
    random += other.random;
    frozen += other.frozen;
    fixed += other.fixed;
    freezes += other.freezes;
    frozen_time += other.frozen_time;
    return *this;
  }
  /// Leaves those values out; how often and how long it was frozen stays.
  EntropyCounts& leave_out(const EntropyCounts& values) {
    recycled -= values.recycled;
    random -= values.random;
    frozen -= values.frozen;
    fixed -= values.fixed;
    return *this;
  }
};

/// The choice of a queue pair's entropy values, in the requester. Times never decrease from call to
/// call. A packet that is sent again gets a value of its own.
class Entropy {
 public:
  virtual ~Entropy() = default;
  /// The value of the packet sent at `now`.
  virtual std::uint16_t next(Picoseconds now) = 0;
  /// A packet's end, once per acknowledgement (for the packet that caused it), NACK and packet that
  /// timed out.
  virtual void feedback(const EntropyFeedback& /*feedback*/, Picoseconds /*now*/) {}
  /// Freezes it as a failure would, where the scheme can.
  virtual void freeze(Picoseconds /*now*/) {}
  virtual bool frozen() const { return false; }
  /// State per connection; where it grows with packets in flight, what it takes now.
  virtual std::uint64_t bits() const = 0;
  /// `frozen_time` is without the time of a freeze that still lasts.
  virtual EntropyCounts counts() const = 0;
};

/// Everything needed to list, read and build a scheme.
struct EntropyEntry {
  std::string_view name;
  std::string_view doc;
  std::unique_ptr<Entropy> (*make)(const EntropyConfig&, EntropyContext&&);
  /// The state of a connection. `window`: packets in flight at most, where it grows with them.
  std::vector<StateField> (*state)(const EntropyConfig&, std::uint32_t window);
  /// Keys of its own beside those of all schemes.
  std::vector<OwnParameters> parameters = {};
  /// True: every packet gets the queue pair's own source port, so no draw is needed.
  bool constant = false;
  /// Null, or refuses with an InputError what its parameters cannot be together.
  void (*check)(const EntropyConfig&) = nullptr;

  /// Bits of `state`.
  std::uint64_t bits(const EntropyConfig& config, std::uint32_t window) const {
    return total_bits(state(config, window));
  }
};

/// All schemes, by name.
const std::vector<EntropyEntry>& entropy_schemes();
/// The scheme of that name; an unknown one is an InputError with the nearest name.
const EntropyEntry& find_entropy_scheme(std::string_view name);
/// InputError when the scheme named by `config` cannot be built with it; ranges of single fields
/// are the schema's.
void check(const EntropyConfig& config);
/// Builds one; InputError as `check`.
std::unique_ptr<Entropy> make_entropy(const EntropyConfig& config, EntropyContext&& context);

}  // namespace horae::policy
