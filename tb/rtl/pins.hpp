// eunomia_top on pins: the signals, the hardware on them, and a checker of their protocol.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "horae/rtl/eunomia_top.hpp"

namespace horae::tb {

/// Values of a request; a change while it waits is a fault.
struct RequestPins {
  std::uint32_t connection = 0;
  std::uint32_t psn = 0;
  std::uint32_t head = 0;
  bool last = false;
  bool close = false;
  bool operator==(const RequestPins&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const RequestPins& p) {
  return out << "connection " << p.connection << ", PSN " << p.psn;
}
inline void sc_trace(sc_core::sc_trace_file*, const RequestPins&, const std::string&) {}

struct ResponsePins {
  std::uint32_t tracking = 0;
  std::uint32_t rejection = 0;
  std::uint32_t advanced = 0;
  std::uint32_t expected = 0;
  bool completed = false;
  bool operator==(const ResponsePins&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const ResponsePins& p) {
  return out << "tracking " << p.tracking << ", expected " << p.expected;
}
inline void sc_trace(sc_core::sc_trace_file*, const ResponsePins&, const std::string&) {}

/// The wires. What the hardware drives is unknown (X) until it has seen a reset.
struct PinSignals {
  sc_core::sc_clock clk{"clk", sc_core::sc_time(3, sc_core::SC_NS)};
  sc_core::sc_signal<bool> reset{"reset", true};
  sc_core::sc_signal<bool> request_valid{"request_valid"};
  sc_core::sc_signal<sc_dt::sc_logic> request_ready{"request_ready", sc_dt::SC_LOGIC_X};
  sc_core::sc_signal<RequestPins> request{"request"};
  sc_core::sc_signal<sc_dt::sc_logic> response_valid{"response_valid", sc_dt::SC_LOGIC_X};
  sc_core::sc_signal<bool> response_ready{"response_ready"};
  sc_core::sc_signal<ResponsePins> response{"response"};
};

/// The Verilated hardware between pins: one clock of it at every rising edge.
class eunomia_pins : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk{"clk"}, reset{"reset"}, request_valid{"request_valid"},
      response_ready{"response_ready"};
  sc_core::sc_in<RequestPins> request{"request"};
  sc_core::sc_out<sc_dt::sc_logic> request_ready{"request_ready"}, response_valid{"response_valid"};
  sc_core::sc_out<ResponsePins> response{"response"};

  SC_HAS_PROCESS(eunomia_pins);
  eunomia_pins(const sc_core::sc_module_name& name, const rtl::EunomiaVariant& variant)
      : sc_module(name), top_(variant.make(1)) {
    SC_METHOD(edge);
    sensitive << clk.pos();
    dont_initialize();
  }

  void bind(PinSignals& s) {
    clk(s.clk);
    reset(s.reset);
    request_valid(s.request_valid);
    request_ready(s.request_ready);
    request(s.request);
    response_valid(s.response_valid);
    response_ready(s.response_ready);
    response(s.response);
  }

 private:
  void edge() {
    const RequestPins& r = request.read();
    top_->clock({.reset = reset.read(),
                 .request_valid = request_valid.read(),
                 .connection = r.connection,
                 .psn = r.psn,
                 .head = r.head,
                 .last = r.last,
                 .close = r.close,
                 .response_ready = response_ready.read()});
    was_reset_ = was_reset_ || reset.read();
    if (!was_reset_) return;
    const rtl::EunomiaOutputs out = top_->outputs();
    request_ready.write(sc_dt::sc_logic(out.request_ready));
    response_valid.write(sc_dt::sc_logic(out.response_valid));
    response.write({out.tracking, out.rejection, out.advanced, out.expected, out.completed});
  }

  std::unique_ptr<rtl::OrderingTop> top_;
  bool was_reset_ = false;
};

/// Watches the wires at every rising edge. After reset: no wire of a handshake is unknown; who is
/// valid stays so, and says the same, until the other is ready; there is a response for each
/// request and none without; it comes within `bound` clocks.
class pin_checker : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(pin_checker);
  pin_checker(const sc_core::sc_module_name& name, PinSignals& signals, std::uint32_t bound)
      : sc_module(name), s_(signals), bound_(bound) {
    SC_METHOD(edge);
    sensitive << s_.clk.posedge_event();
    dont_initialize();
  }

  const std::vector<std::string>& violations() const { return violations_; }
  std::uint64_t requests() const { return requests_; }
  std::uint64_t responses() const { return responses_; }
  std::uint64_t waits() const { return waits_; }  ///< clocks in which a valid side had to wait

 private:
  void edge();
  void fault(const std::string& what) {
    violations_.push_back(sc_core::sc_time_stamp().to_string() + ": " + what);
  }

  PinSignals& s_;
  std::uint32_t bound_;
  std::vector<std::string> violations_;
  bool active_ = false;  // there was a reset, and it is over
  bool request_waits_ = false;
  bool response_waits_ = false;
  RequestPins request_;
  ResponsePins response_;
  bool outstanding_ = false;
  std::uint32_t age_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t responses_ = 0;
  std::uint64_t waits_ = 0;
};

inline void pin_checker::edge() {
  if (s_.reset.read()) {
    active_ = true;
    request_waits_ = response_waits_ = outstanding_ = false;
    return;
  }
  if (!active_) return;
  const auto& ready = s_.request_ready.read();
  const auto& valid = s_.response_valid.read();
  if (!ready.is_01()) fault("request_ready is unknown");
  if (!valid.is_01()) return fault("response_valid is unknown");

  const bool request_valid = s_.request_valid.read();
  if (request_waits_ && !request_valid) fault("request_valid fell before request_ready");
  if (request_waits_ && request_valid && s_.request.read() != request_) {
    fault("the request changed before request_ready");
  }
  const bool response_valid = valid == sc_dt::SC_LOGIC_1;
  if (response_waits_ && !response_valid) fault("response_valid fell before response_ready");
  if (response_waits_ && response_valid && s_.response.read() != response_) {
    fault("the response changed before response_ready");
  }
  if (response_valid && !outstanding_) fault("a response without a request");
  if (outstanding_ && !response_valid && ++age_ == bound_) fault("no response in time");

  const bool response_taken = response_valid && s_.response_ready.read();
  const bool request_taken = request_valid && ready == sc_dt::SC_LOGIC_1;
  responses_ += response_taken;
  requests_ += request_taken;
  if (request_taken && outstanding_ && !response_taken) fault("a request before the response");
  if (response_taken) outstanding_ = false;
  if (request_taken) {
    outstanding_ = true;
    age_ = 0;
  }
  request_waits_ = request_valid && !request_taken;
  response_waits_ = response_valid && !response_taken;
  waits_ += request_waits_ + response_waits_;
  request_ = s_.request.read();
  response_ = s_.response.read();
}

}  // namespace horae::tb
