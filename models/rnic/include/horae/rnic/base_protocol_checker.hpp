// A module between an initiator and a target that checks the TLM-2.0 base protocol.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "horae/rnic/host/base_protocol_rules.hpp"

namespace horae::rnic {

/// A rule that was broken.
struct BrokenRule {
  std::string rule;  ///< clause of IEEE 1666-2011
  std::string what;
  sc_core::sc_time at;
};

/// Passes every call on as it is, in both directions, and tells of each that breaks a rule
/// (BaseProtocolRules) by an SC_ERROR with the message type `report_type`. By SystemC's defaults
/// that throws in the process that called; sc_report_handler::set_actions(report_type, ...) changes
/// it. It adds no time, and is for one initiator socket and one target socket. Bind it between
/// them:
///
///     initiator.socket.bind(checker.target_socket);
///     checker.initiator_socket.bind(target.socket);
template <unsigned bus_width = 32>
class base_protocol_checker : public sc_core::sc_module,
                              public tlm::tlm_fw_transport_if<>,
                              public tlm::tlm_bw_transport_if<> {
 public:
  static constexpr const char* report_type = "/horae/base_protocol";

  explicit base_protocol_checker(sc_core::sc_module_name name) : sc_module(name) {
    target_socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    initiator_socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }

  tlm::tlm_target_socket<bus_width> target_socket{"target_socket"};  ///< towards the initiator
  tlm::tlm_initiator_socket<bus_width> initiator_socket{"initiator_socket"};  ///< and the target

  /// The first of them, at most `most_kept`.
  const std::vector<BrokenRule>& broken() const { return broken_; }
  std::uint64_t count() const { return count_; }
  std::uint64_t calls() const { return calls_; }  ///< in both directions
  /// Transactions that have begun and not ended.
  std::size_t open() const { return rules_.open(); }
  static constexpr std::size_t most_kept = 1000;

 private:
  using Payload = tlm::tlm_generic_payload;

  static BaseProtocolRules::Moment now() {
    return {sc_core::sc_time_stamp(), sc_core::sc_delta_count()};
  }
  static bool in_method() {
    const auto process = sc_core::sc_get_current_process_handle();
    return process.valid() && process.proc_kind() == sc_core::SC_METHOD_PROC_;
  }

  void b_transport(Payload& p, sc_core::sc_time& delay) override {
    ++calls_;
    rules_.b_called(p, delay, now(), in_method());
    try {
      initiator_socket->b_transport(p, delay);
    } catch (...) {
      rules_.b_left(p);
      throw;
    }
    rules_.b_returned(p, delay, now());
  }
  tlm::tlm_sync_enum nb_transport_fw(Payload& p, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    ++calls_;
    rules_.fw_called(p, phase, delay, now());
    const auto result = initiator_socket->nb_transport_fw(p, phase, delay);
    rules_.fw_returned(p, phase, delay, now(), result);
    return result;
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& p, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    ++calls_;
    rules_.bw_called(p, phase, delay, now());
    const auto result = target_socket->nb_transport_bw(p, phase, delay);
    rules_.bw_returned(p, phase, delay, now(), result);
    return result;
  }
  bool get_direct_mem_ptr(Payload& p, tlm::tlm_dmi& dmi) override {
    ++calls_;
    rules_.dmi_called(p, now());
    const bool granted = initiator_socket->get_direct_mem_ptr(p, dmi);
    rules_.dmi_returned(p, dmi, now(), granted);
    return granted;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    ++calls_;
    rules_.dmi_invalidated(first, last);
    target_socket->invalidate_direct_mem_ptr(first, last);
  }
  unsigned transport_dbg(Payload& p) override {
    ++calls_;
    rules_.debug_called(p, now());
    const unsigned moved = initiator_socket->transport_dbg(p);
    rules_.debug_returned(p, now(), moved);
    return moved;
  }

  void tell(const char* rule, const std::string& what) {
    ++count_;
    if (broken_.size() < most_kept) broken_.push_back({rule, what, sc_core::sc_time_stamp()});
    const std::string text = std::string(name()) + ": IEEE 1666-2011, " + rule + ": " + what;
    SC_REPORT_ERROR(report_type, text.c_str());
  }

  BaseProtocolRules rules_{[this](const char* rule, const std::string& what) { tell(rule, what); }};
  std::vector<BrokenRule> broken_;
  std::uint64_t count_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace horae::rnic
