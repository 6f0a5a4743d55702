// Calls of a target of a user's own in the place of host memory.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/fabric/window_clock.hpp"
#include "horae/rnic/host_memory.hpp"

namespace horae::rnic {

/// An initiator of the TLM-2.0 base protocol (IEEE 1666-2011, clause 15), loosely or approximately
/// timed. Each request is called at its own time, without an annotated delay, from a thread process
/// of the call queue. Payloads are pooled and have a memory manager (14.5).
///
/// Blocking: a call may return at once with a delay, or wait; others go on beside it.
/// Non-blocking: four phases, with early returns and annotated delays of the target's; one request
/// at a time until END_REQ, BEGIN_RESP or completion (15.2.6), any number in between, answers in
/// any order. END_RESP is the return value of BEGIN_RESP on the backward path, else a call.
class bus_master final : public fabric::call_queue::caller, private tlm::tlm_mm_interface {
 public:
  /// `number` was answered: `at`, not before now.
  using Answered = std::function<void(std::uint32_t number, Picoseconds at, bool ok)>;
  /// `owner` names it in errors. `device` orders its calls among those of one time.
  bus_master(tlm::tlm_fw_transport_if<>& target, fabric::window_clock& clock,
             const sc_core::sc_object& owner, std::uint32_t device, HostCalls calls,
             Answered answered);
  ~bus_master();
  bus_master(const bus_master&) = delete;
  bus_master& operator=(const bus_master&) = delete;

  struct Access {
    bool write;
    std::uint64_t address;
    std::uint32_t length;  ///< bytes, at most a page of 4 KiB
    unsigned char* data;   ///< kept alive by the caller; null: timing_only
  };
  /// Has the target called at `at`, which is ahead of now. `number` is used again only after its
  /// answer.
  void begin(Picoseconds at, std::uint32_t number, const Access& access);

  /// The backward path of the initiator socket.
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);

 private:
  using Payload = tlm::tlm_generic_payload;
  /// Number of the call that ends the time of a request on the way to the target.
  static constexpr std::uint32_t next_request = ~std::uint32_t{0};
  static constexpr std::size_t page = 4096;

  struct Pooled {
    Payload payload;
    std::array<unsigned char, page> scratch{};  ///< where contents are of no interest
  };

  void call(std::uint32_t number) override;
  void call_blocking(std::uint32_t number);
  void call_non_blocking(std::uint32_t number);
  Payload& make(std::uint32_t number);
  void free(Payload* payload) override;
  void forget(Payload& payload);
  void request_ended(const sc_core::sc_time& delay);
  void take_phase(Payload& payload, tlm::tlm_phase phase, const sc_core::sc_time& delay,
                  bool backward);
  void finish(Payload& payload, const sc_core::sc_time& delay);
  [[noreturn]] void refuse(const Payload& payload, const char* what) const;

  tlm::tlm_fw_transport_if<>& target_;
  fabric::window_clock& clock_;
  const sc_core::sc_object& owner_;
  std::uint32_t device_;
  HostCalls calls_;
  Answered answered_;
  timing_only timing_only_;
  std::vector<Access> accesses_;                      ///< by number
  std::unordered_map<const Payload*, Pooled*> pool_;  ///< of all payloads made
  std::vector<std::unique_ptr<Pooled>> payloads_;     ///< likewise
  std::vector<Payload*> free_;
  std::unordered_map<const Payload*, std::uint32_t> under_way_;  ///< numbers of their accesses
  const Payload* requesting_ = nullptr;  ///< the target has not taken its request
  bool taken_ = true;                    ///< it has, and its time is over
  std::deque<std::uint32_t> waiting_;    ///< for that
  std::uint64_t serial_ = 0;
};

}  // namespace horae::rnic
