// The retransmit seam: how a requester's TX pipe serves a NACK, without a clock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"
#include "horae/policy/parameters.hpp"

namespace horae::policy {

/// Extent of a wait or a count: everything behind the port, one queue pair's
/// packets, nothing.
enum class Scope : std::uint8_t { none, queue_pair, port };

/// Treatment of a NACK that comes while others are being served.
enum class Merge : std::uint8_t {
  every,        ///< each NACK is served, in order of arrival, stale or not
  one_pending,  ///< one waits per queue pair: a later one takes its place; stale ones are skipped
  ignore,       ///< none waits: what comes during a service is forgotten
};

struct RetransmitEntry;

/// Which retransmit policies are in force, and the parameters of all of them, each in the table of
/// its name.
struct RetransmitConfig {
  /// Names of the policies in force, combined.
  std::vector<Located<std::string>> policies{{"strict_priority", {}}};
  PolicyParameters parameters;

  static const Schema<RetransmitConfig>& schema();
  /// The keys when these are the policies.
  static Schema<RetransmitConfig> schema_with(const std::vector<RetransmitEntry>& registry);
};

/// Work for one NACK before its retransmissions may leave, in this order.
struct RetransmitWork {
  Picoseconds processor{};         ///< time of a processor or of pipeline control
  std::uint32_t serial_reads = 0;  ///< dependent 64-byte reads of host memory (context, WQE, MTT)
  bool flush = false;              ///< prefetched WQEs and payloads are discarded first
  bool from_pool = false;          ///< its payload takes space of the TX buffer, evicting if full
};

/// One hypothesis about how a NIC serves a NACK. Policies are combined by `RetransmitUnit`; what a
/// policy says nothing about keeps the least value, so each states only what is its own.
class RetransmitPolicy {
 public:
  virtual ~RetransmitPolicy() = default;
  virtual void add_work(RetransmitWork& /*work*/) const {}
  /// How many NACKs are in service at once: any number, one per queue pair, one in the NIC.
  virtual Scope server() const { return Scope::none; }
  virtual Merge merge() const { return Merge::every; }
  /// Whether a NACK counts as in service until what it asked for is sent, and not only until that
  /// was fetched.
  virtual bool until_sent() const { return false; }
  /// Extent of the stall while a NACK is served.
  virtual Scope stall() const { return Scope::none; }
  /// After serving, no new data of the queue pair until everything sent so far is acknowledged.
  virtual bool hold_new_data() const { return false; }
  /// While it holds, how long until a NACK that came meanwhile is served after all.
  virtual Picoseconds hold_guard() const { return never; }
  /// How long a received acknowledgement keeps the queue pair from sending.
  virtual Picoseconds lock(bool /*nack*/) const { return {}; }
  /// While a NACKed packet is unacknowledged, new data stays within so many PSNs of it; 0: no
  /// limit.
  virtual std::uint32_t gap_window() const { return 0; }
  /// Responder: the least time between two NACKs it generates.
  virtual Picoseconds nack_interval() const { return {}; }
};

/// The policies of one NIC, combined: work and locks add up, of scopes, intervals and windows the
/// strictest holds.
class RetransmitUnit {
 public:
  explicit RetransmitUnit(const RetransmitConfig& config);

  RetransmitWork work() const { return work_; }
  Scope server() const { return server_; }
  Merge merge() const { return merge_; }
  bool until_sent() const { return until_sent_; }
  Scope stall() const { return stall_; }
  bool hold_new_data() const { return hold_new_data_; }
  Picoseconds hold_guard() const { return hold_guard_; }
  Picoseconds lock(bool nack) const { return nack ? nack_lock_ : ack_lock_; }
  std::uint32_t gap_window() const { return gap_window_; }
  Picoseconds nack_interval() const { return nack_interval_; }

 private:
  void combine(const RetransmitPolicy& policy);

  RetransmitWork work_;
  Scope server_ = Scope::none;
  Merge merge_ = Merge::every;
  bool until_sent_ = false;
  Scope stall_ = Scope::none;
  bool hold_new_data_ = false;
  Picoseconds hold_guard_ = never;
  Picoseconds nack_lock_{}, ack_lock_{};
  std::uint32_t gap_window_ = 0;
  Picoseconds nack_interval_{};
};

/// A retransmit policy by name.
struct RetransmitEntry {
  std::string_view name;
  std::string_view hypothesis;  ///< its number in the catalogue of hypotheses
  std::string_view doc;
  std::unique_ptr<RetransmitPolicy> (*make)(const PolicyParameters&);
  std::vector<OwnParameters> parameters = {};
};
const std::vector<RetransmitEntry>& retransmit_policies();
/// The policy of that name; an unknown one is an InputError with the nearest name.
const RetransmitEntry& find_retransmit_policy(const Located<std::string>& name);

}  // namespace horae::policy
