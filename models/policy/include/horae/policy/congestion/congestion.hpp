// The congestion seam: what a queue pair's sender and receiver decide about rates and windows,
// without a clock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/header_extension.hpp"
#include "horae/core/psn.hpp"
#include "horae/core/telemetry.hpp"
#include "horae/core/units.hpp"
#include "horae/params/located.hpp"
#include "horae/policy/parameters.hpp"
#include "horae/policy/state_fields.hpp"

namespace horae::policy {

struct CongestionEntry;
struct NackReactionEntry;
class CreditedReaction;
class GrantPoint;

/// Selects the algorithm that sets rates, and the reaction to NACKs; the parameters of all
/// algorithms and reactions are keys of one table.
struct CongestionConfig {
  std::string algorithm = "none";        ///< see `congestion_algorithms`
  std::string nack_reaction = "ignore";  ///< see `nack_reactions`
  PolicyParameters parameters{};

  static const Schema<CongestionConfig>& schema();
  /// The keys when these are the algorithms and reactions.
  static Schema<CongestionConfig> schema_with(const std::vector<CongestionEntry>& algorithms,
                                              const std::vector<NackReactionEntry>& reactions);
};

/// Report of an acknowledgement (ACK, NACK or SACK) beside what it acknowledges.
struct AckReport {
  Psn expected{};          ///< everything before is acknowledged
  Psn next_new{};          ///< what the sender sends next for the first time
  Bytes acked{};           ///< payload newly acknowledged
  bool marked{};           ///< the data packet that caused it had CE
  Picoseconds rtt{};       ///< from that packet's departure to the acknowledgement's arrival
  std::uint16_t path = 0;  ///< of that packet: numbers of the switches, XORed
  std::span<const HopRecord> hops{};  ///< telemetry of that packet, first switch first
};

/// A packet that is in flight no more and has not arrived, as a selective transport knows it.
struct LossReport {
  Bytes payload{};       ///< of the packet
  bool timeout = false;  ///< its timer ran out; else a NACK said that a switch cut it
};

/// As a window: there is none.
inline constexpr Bytes no_window = Bytes::max();

/// The rate and the window of a queue pair, in the requester. Times never decrease from call to
/// call.
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

  // For those that listen to acknowledgements (CongestionEntry::listens).
  virtual void on_ack(const AckReport& /*ack*/, Picoseconds /*now*/) {}
  /// Nothing was acknowledged for the transport's timeout.
  virtual void on_timeout(Picoseconds /*now*/) {}
  /// In the place of on_nack and on_timeout, where the transport tells of single packets.
  virtual void on_lost(const LossReport& loss, Picoseconds now) {
    loss.timeout ? on_timeout(now) : on_nack(now);
  }
  /// New data goes while less payload than this is unacknowledged; above zero. With a selective
  /// transport all data does, while less than this is in flight. It changes with what the reaction
  /// point is told only.
  virtual Bytes window() const { return no_window; }
  /// Itself, if its receiver grants what it sends (credits.hpp); else null.
  virtual CreditedReaction* credited() { return nullptr; }
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
/// InputError where a reaction to NACKs is set and the algorithm takes none.
void refuse_acting_reactions(const CongestionConfig& config);

/// InputError as `check`; `line` above zero.
std::unique_ptr<ReactionPoint> make_reaction_point(const CongestionConfig& config, BitRate line,
                                                   Bytes mtu);
/// Null: no CNPs are sent.
std::unique_ptr<NotificationPoint> make_notification_point(const CongestionConfig& config);

/// Events of its packets that a sender must be told of beside CNPs and NACKs.
struct Listening {
  bool acks = false;       ///< acknowledgements, with the mark of what caused them (BECN bit of the
                           ///< BTH: no bytes)
  bool every_ack = false;  ///< one for every packet in order: nothing is known of others
  bool times = false;      ///< round trips, by a time in data and acknowledgements
  bool telemetry = false;  ///< records of all switches on the way
};

/// Everything needed to list, read and build an algorithm.
struct CongestionEntry {
  std::string_view name;
  std::string_view doc;
  std::unique_ptr<ReactionPoint> (*make_reaction)(const CongestionConfig&, BitRate line, Bytes mtu);
  /// Null: receivers send no CNPs.
  std::unique_ptr<NotificationPoint> (*make_notification)(const CongestionConfig&);
  /// InputError when it cannot work with the configuration on a NIC of `line`.
  void (*check)(const CongestionConfig&, BitRate line);
  /// Keys of its own.
  std::vector<OwnParameters> parameters = {};
  /// False: every queue pair has the line's rate at all times and no CNP is sent, so that nobody
  /// need ask.
  bool controls_rates = true;
  /// Without ECN marks, and without a reaction to NACKs, it never slows anybody.
  bool by_marks_alone = false;
  Listening listens = {};
  /// Whether reactions to NACKs act on it (RateLimiter); others have reactions of their own.
  bool takes_nack_reactions = false;
  /// Null, or what it keeps for each queue pair beyond its context. ConnectX's context has that of
  /// DCQCN.
  std::vector<StateField> (*state)(const CongestionConfig&) = nullptr;
  /// Null, or its receivers grant what senders send: reaction points are CreditedReactions then,
  /// and the transport knows of single packets. `packet`: payload of a full packet. `time`: what
  /// such a packet takes of the line.
  std::unique_ptr<GrantPoint> (*make_grants)(const CongestionConfig&, Bytes packet,
                                             Picoseconds time) = nullptr;
  /// A reaction point knows no PSNs, so that another connection to the same peer may go on with it.
  bool keeps = false;
  /// Fields in packets beyond RoCEv2, where others may keep something as well.
  std::vector<HeaderExtension> headers = {};
};

/// All congestion control algorithms, by name.
const std::vector<CongestionEntry>& congestion_algorithms();
/// The algorithm of that name; an unknown one is an InputError with the nearest name.
const CongestionEntry& find_congestion_algorithm(std::string_view name);

}  // namespace horae::policy
