// The congestion seam: what a queue pair's sender and receiver decide about rates, without a clock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"
#include "horae/policy/congestion/dcqcn_parameters.hpp"

namespace horae::policy {

/// What a cut that a NACK causes does to the target rate, to which the rate recovers.
enum class NackTarget {
  keep,      ///< nothing: recovery leads back to where it led before
  previous,  ///< the rate before the cut
  reset,     ///< the rate after the cut: only increases raise it again
};

struct CongestionConfig {
  std::string algorithm = "none";     ///< see `congestion_algorithms`
  std::string parameters = "vendor";  ///< see `dcqcn_parameter_sets`
  DcqcnOverrides dcqcn;               ///< what differs from the set

  std::string nack_reaction = "ignore";   ///< see `nack_reactions`
  bool nack_cnp_paced = true;             ///< paired_cnp: its CNPs keep the interval between CNPs
  std::uint32_t nack_rate_kept = 50;      ///< percent of the rate that a cut of a NACK leaves
  Picoseconds nack_min_gap = 300_us;      ///< between two such cuts
  std::optional<NackTarget> nack_target;  ///< absent: as the reaction has it
  std::uint32_t nack_floor = 50;          ///< floor: percent of the line rate

  static const Schema<CongestionConfig>& schema();
};

/// The rate of a queue pair, in the requester. Times never decrease from call to call.
class ReactionPoint {
 public:
  virtual ~ReactionPoint() = default;
  virtual void on_cnp(Picoseconds now) = 0;
  /// A NACK was received.
  virtual void on_nack(Picoseconds now) = 0;
  /// A packet of `wire` bytes was sent, preamble and gap included or not as the caller counts.
  virtual void on_sent(Bytes wire, Picoseconds now) = 0;
  /// The rate allowed at `now`, at most the line's.
  virtual BitRate rate(Picoseconds now) = 0;
};

/// When a queue pair's receiver sends a CNP. Times never decrease from call to call.
class NotificationPoint {
 public:
  virtual ~NotificationPoint() = default;
  /// A data packet arrived, `ce` if marked; whether to send a CNP.
  virtual bool on_data(bool ce, Picoseconds now) = 0;
  /// A NACK is sent; whether to send a CNP with it.
  virtual bool on_nack_sent(Picoseconds now) = 0;
};

/// InputError in one line when the configuration contradicts itself, or for a NIC of `line`.
void check(const CongestionConfig& config, BitRate line);

/// InputError as `check`; `line` above zero.
std::unique_ptr<ReactionPoint> make_reaction_point(const CongestionConfig& config, BitRate line);
std::unique_ptr<NotificationPoint> make_notification_point(const CongestionConfig& config);

/// Everything needed to list and build an algorithm.
struct CongestionEntry {
  std::string_view name;
  std::string_view doc;
  std::unique_ptr<ReactionPoint> (*make_reaction)(const CongestionConfig&, BitRate line);
  std::unique_ptr<NotificationPoint> (*make_notification)(const CongestionConfig&);
};

/// All congestion control algorithms, by name.
const std::vector<CongestionEntry>& congestion_algorithms();

}  // namespace horae::policy
