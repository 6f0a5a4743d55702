// The rules of the TLM-2.0 base protocol between an initiator and a target, as far as calls show
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::rnic {

/// Watches the calls on one hop, between one initiator socket and one target socket, and tells what
/// breaks a rule of IEEE 1666-2011, clauses 11, 14 and 15, which are named by their numbers. The
/// caller reports each call before it is made and after it has returned; `base_protocol_checker`
/// does. Calls of several processes may overlap, each with a payload of its own.
///
/// Not checked, because calls do not show it: what extensions mean, whether a target executes
/// transactions in the order of 15.2.9, and what a DMI pointer is used for.
class BaseProtocolRules {
 public:
  /// `rule`: the clause that is broken.
  using Broken = std::function<void(const char* rule, const std::string& what)>;
  explicit BaseProtocolRules(Broken broken) : broken_(std::move(broken)) {}

  /// When a call is made, or returned: SystemC's time and delta cycle.
  struct Moment {
    sc_core::sc_time time;
    std::uint64_t delta = 0;
    bool operator==(const Moment&) const = default;
  };
  using Payload = tlm::tlm_generic_payload;
  using Phase = tlm::tlm_phase;
  using Sync = tlm::tlm_sync_enum;

  // Blocking transport. `in_method`: the caller's process is a method.
  void b_called(const Payload& p, const sc_core::sc_time& delay, const Moment& at, bool in_method);
  void b_returned(const Payload& p, const sc_core::sc_time& delay, const Moment& at);
  /// It ended by an exception.
  void b_left(const Payload& p);

  // Non-blocking transport. The arguments of the call, as they were, and as they are after it.
  void fw_called(const Payload& p, const Phase& phase, const sc_core::sc_time& delay,
                 const Moment& at);
  void fw_returned(const Payload& p, const Phase& phase, const sc_core::sc_time& delay,
                   const Moment& at, Sync result);
  void bw_called(const Payload& p, const Phase& phase, const sc_core::sc_time& delay,
                 const Moment& at);
  void bw_returned(const Payload& p, const Phase& phase, const sc_core::sc_time& delay,
                   const Moment& at, Sync result);

  // Direct memory and debug transport.
  void dmi_called(const Payload& p, const Moment& at);
  void dmi_returned(const Payload& p, const tlm::tlm_dmi& dmi, const Moment& at, bool granted);
  void dmi_invalidated(std::uint64_t first, std::uint64_t last);
  void debug_called(const Payload& p, const Moment& at);
  void debug_returned(const Payload& p, const Moment& at, unsigned moved);

  /// Transactions that have begun and not ended.
  std::size_t open() const { return transactions_.size(); }

 private:
  /// Attributes that neither interconnect nor target may change (14.7), as they were when a call
  /// began.
  struct Attributes {
    explicit Attributes(const Payload& p);
    tlm::tlm_command command;
    const unsigned char* data;
    unsigned length;
    const unsigned char* enables;
    unsigned enables_length;
    unsigned streaming_width;
    bool managed;
    int references;
    std::vector<unsigned char> written, enabled;  ///< contents: of a write, of byte enables
    std::vector<const tlm::tlm_extension_base*> extensions;  ///< without a memory manager
  };
  /// How far a transaction is.
  enum class Stage { blocking, request, accepted, response };
  struct Transaction {
    Attributes attributes;
    Stage stage;
    sc_core::sc_time last;  ///< of what was called or returned: its time with the annotation
  };
  /// A non-blocking, debug or DMI call under way; such calls take no time, so they end in order.
  struct Call {
    const Payload* payload;
    bool forward;
    Moment at;
    Phase phase;
    sc_core::sc_time delay;
    bool known;  ///< a phase of the base protocol, at which the transaction is
    Attributes attributes;
  };

  void broken(const char* rule, const std::string& what) const { broken_(rule, what); }
  void check_request(const Payload& p) const;
  void check_enables(const Payload& p) const;
  void check_unchanged(const Payload& p, const Attributes& before) const;
  void check_answer(const Payload& p, const Transaction& t) const;
  void check_extensions(const Payload& p, const Attributes& before) const;
  void check_no_wait(const char* call, const Moment& before, const Moment& after) const;
  bool check_begins(const Payload& p) const;
  /// The time of a transaction goes on to `t`.
  void advance(Transaction& t, const sc_core::sc_time& to, const char* what) const;
  Transaction* find(const Payload& p);
  const Payload* other_at(Stage stage, const Payload& p) const;
  void begin_call(const Payload& p, const Phase& phase, const sc_core::sc_time& delay,
                  const Moment& at, bool forward, bool known);
  Call end_call(const char* name, const Payload& p, const Moment& at);
  void check_accepted(const Call& call, const Phase& phase, const sc_core::sc_time& delay) const;
  bool enter_request(const Payload& p, const sc_core::sc_time& t);
  bool enter_end_response(const Payload& p, const sc_core::sc_time& t);
  bool enter_end_request(const Payload& p, const sc_core::sc_time& t);
  bool enter_response(const Payload& p, const sc_core::sc_time& t);
  void request_returned(const Payload& p, const Phase& phase, const sc_core::sc_time& t,
                        Sync result);
  void response_returned(const Payload& p, const Phase& phase, const sc_core::sc_time& t,
                         Sync result);
  void finish(const Payload& p);

  Broken broken_;
  std::unordered_map<const Payload*, Transaction> transactions_;
  std::vector<Call> calls_;
};

}  // namespace horae::rnic
