// EunomiaTop by what Verilator made of eunomia_top.sv: one class template for all variants, whose
// registers have the same names and other widths.
#pragma once

#include "horae/rtl/eunomia_top.hpp"
#include "verilated_model.hpp"

namespace horae::rtl {

template <class Model>
class VerilatedTop final : public VerilatedModel<Model, EunomiaTop> {
  using Base = VerilatedModel<Model, EunomiaTop>;
  using Base::model;

 public:
  explicit VerilatedTop(std::uint32_t seed) : Base(seed) {}

  void clock(const EunomiaInputs& in) override {
    model().reset = in.reset;
    model().request_valid = in.request_valid;
    model().request_connection = in.connection;
    model().request_psn = in.psn;
    model().request_head = in.head;
    model().request_last = in.last;
    model().request_close = in.close;
    model().response_ready = in.response_ready;
    this->edge(model().clk);
  }

  EunomiaOutputs outputs() const override {
    return {.request_ready = model().request_ready != 0,
            .response_valid = model().response_valid != 0,
            .tracking = model().response_tracking,
            .rejection = model().response_rejection,
            .advanced = model().response_advanced,
            .expected = model().response_expected,
            .completed = model().response_completed != 0};
  }

  std::uint16_t master_array(std::uint32_t address) const override {
    return root().eunomia_top__DOT__controller__DOT__master__DOT__words[address];
  }
  std::uint64_t block_alloc_bitmap(std::uint32_t index) const override {
    return bits64(root().eunomia_top__DOT__controller__DOT__block_alloc_bitmap, index);
  }
  EunomiaRow metadata_start_index(std::uint32_t row) const override {
    const auto& r = root();
    return {bit(r.eunomia_top__DOT__controller__DOT__index_valid, row),
            r.eunomia_top__DOT__controller__DOT__index_connection[row],
            r.eunomia_top__DOT__controller__DOT__index_start[row]};
  }
  EunomiaConnection connection(std::uint32_t id) const override {
    const auto& r = root();
    return {bit(r.eunomia_top__DOT__driver__DOT__known, id),
            bit(r.eunomia_top__DOT__driver__DOT__conn_module_valid, id),
            r.eunomia_top__DOT__driver__DOT__expected[id]};
  }

 private:
  const auto& root() const { return *model().rootp; }

  // Words of any width as Verilator keeps them: one integer, or an array of 32 bits each.
  template <class Register>
  static std::uint64_t bits64(const Register& r, std::uint32_t index) {
    if constexpr (std::is_integral_v<Register>) {
      return index == 0 ? r : 0;
    } else {
      constexpr std::uint32_t words = sizeof(Register) / sizeof(std::uint32_t);
      const std::uint64_t low = r[2 * index];
      const std::uint64_t high = 2 * index + 1 < words ? r[2 * index + 1] : 0;
      return low | high << 32;
    }
  }
  template <class Register>
  static bool bit(const Register& r, std::uint32_t i) {
    return (bits64(r, i / 64) >> (i % 64) & 1) != 0;
  }
};

template <class Model>
std::unique_ptr<OrderingTop> make_verilated_top(std::uint32_t seed) {
  return std::make_unique<VerilatedTop<Model>>(seed);
}

}  // namespace horae::rtl
