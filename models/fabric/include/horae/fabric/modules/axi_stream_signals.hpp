// AXI4-Stream pins as SystemC signals, for a block of a user's in SystemC or made by `verilator
// --sc`.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <systemc>
#include <vector>

#include "horae/core/stream_pins.hpp"
#include "horae/fabric/packet_link.hpp"

namespace horae::fabric {

/// The signals that a block's ports are bound to, and a clock of `period` with them. Data and Keep
/// are types of vectors: sc_dt::sc_bv<N>, or what `verilator --sc` makes of a narrow one,
/// std::uint32_t and std::uint64_t. Both streams have `bytes` bytes of TDATA.
///
/// Inputs change a delta cycle behind the rising edge, as those that a clocked process writes.
template <unsigned bytes, class Data = sc_dt::sc_bv<8 * bytes>, class Keep = sc_dt::sc_bv<bytes>>
class axi_stream_signals : public sc_core::sc_module, public StreamPins {
 public:
  sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> aclk{
      "aclk"};  ///< rises by the module, falls here
  sc_core::sc_signal<bool> aresetn{"aresetn"};
  sc_core::sc_signal<Data> s_tdata{"s_tdata"}, m_tdata{"m_tdata"};
  sc_core::sc_signal<Keep> s_tkeep{"s_tkeep"}, m_tkeep{"m_tkeep"};
  sc_core::sc_signal<bool> s_tvalid{"s_tvalid"}, s_tready{"s_tready"}, s_tlast{"s_tlast"};
  sc_core::sc_signal<bool> m_tvalid{"m_tvalid"}, m_tready{"m_tready"}, m_tlast{"m_tlast"};

  axi_stream_signals(const sc_core::sc_module_name& name, Picoseconds period)
      : sc_module(name), half_(to_sc_time(period / 2)) {
    SC_HAS_PROCESS(axi_stream_signals);
    SC_METHOD(follow);
    sensitive << aclk.posedge_event();
    dont_initialize();
    SC_METHOD(fall);
    sensitive << falls_;
    dont_initialize();
  }

  void read(StreamOutputs& out) const override {
    out.ready = s_tready.read();
    out.valid = m_tvalid.read();
    if (!out.valid) return;
    out.beat.last = m_tlast.read();
    take(m_tdata.read(), out.beat.data, bytes);
    take(m_tkeep.read(), out.beat.keep, (bytes + 7) / 8);
  }
  void clock(const StreamInputs& next) override {
    next_ = next;
    aclk.write(true);
    falls_.notify(half_);
  }

 private:
  void follow() {
    aresetn.write(!next_.reset);
    s_tvalid.write(next_.valid);
    s_tlast.write(next_.beat.last);
    m_tready.write(next_.ready);
    if (!next_.valid) return;
    s_tdata.write(made_of<Data>(next_.beat.data));
    s_tkeep.write(made_of<Keep>(next_.beat.keep));
  }
  void fall() { aclk.write(false); }

  template <class Vector>
  static Vector made_of(const std::vector<std::uint8_t>& from) {
    Vector to{};
    if constexpr (std::integral<Vector>) {
      for (std::size_t i = 0; i < from.size(); ++i)
        to = static_cast<Vector>(to | static_cast<Vector>(from[i]) << 8 * i);
    } else {
      for (int i = 0; i < to.length(); i += 8) {
        const int last = std::min(i + 7, to.length() - 1);
        to.range(last, i) = from[static_cast<std::size_t>(i) / 8];
      }
    }
    return to;
  }
  template <class Vector>
  static void take(const Vector& from, std::vector<std::uint8_t>& to, unsigned count) {
    to.resize(count);
    for (unsigned i = 0; i < count; ++i) {
      if constexpr (std::integral<Vector>) {
        to[i] = static_cast<std::uint8_t>(from >> 8 * i);
      } else {
        const int first = static_cast<int>(8 * i);
        to[i] = static_cast<std::uint8_t>(
            from.range(std::min(first + 7, from.length() - 1), first).to_uint());
      }
    }
  }

  sc_core::sc_time half_;
  sc_core::sc_event falls_{"falls"};
  StreamInputs next_;
};

}  // namespace horae::fabric
