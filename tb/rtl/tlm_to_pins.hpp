// From TLM transactions to the pins of eunomia_top.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "horae/core/random.hpp"
#include "pins.hpp"

namespace horae::tb {

/// A request and, after the call, its response.
struct OrderingTransaction {
  RequestPins request;
  ResponsePins response;
};

/// Sockets of ordering transactions bind to each other and to nothing else.
struct ordering_protocol_types {
  using tlm_payload_type = OrderingTransaction;
  using tlm_phase_type = tlm::tlm_phase;
};

/// Blocking calls become handshakes. On both sides it holds back, for as many clocks as a named
/// random stream says.
class tlm_to_pins : public sc_core::sc_module,
                    public tlm::tlm_fw_transport_if<ordering_protocol_types> {
 public:
  tlm::tlm_target_socket<32, ordering_protocol_types> socket{"socket"};

  tlm_to_pins(const sc_core::sc_module_name& name, PinSignals& signals, std::uint64_t seed,
              std::uint32_t most_stall)
      : sc_module(name), s_(signals), random_(seed, "tb.pins.stall"), most_stall_(most_stall) {
    socket.bind(*this);
  }

  void b_transport(OrderingTransaction& t, sc_core::sc_time& delay) override {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    stall();
    s_.request.write(t.request);
    s_.request_valid.write(true);
    do next_edge();
    while (s_.request_ready.read() != sc_dt::SC_LOGIC_1);
    s_.request_valid.write(false);
    stall();
    s_.response_ready.write(true);
    do next_edge();
    while (s_.response_valid.read() != sc_dt::SC_LOGIC_1);
    t.response = s_.response.read();
    s_.response_ready.write(false);
  }

  tlm::tlm_sync_enum nb_transport_fw(OrderingTransaction&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    SC_REPORT_ERROR("tlm_to_pins", "blocking calls only");
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(OrderingTransaction&, tlm::tlm_dmi&) override { return false; }
  unsigned int transport_dbg(OrderingTransaction&) override { return 0; }

 private:
  void next_edge() { wait(s_.clk.posedge_event()); }
  void stall() {
    for (std::uint32_t n = random_.below(most_stall_ + 1); n > 0; --n) next_edge();
  }

  PinSignals& s_;
  RandomStream random_;
  std::uint32_t most_stall_;
};

}  // namespace horae::tb
