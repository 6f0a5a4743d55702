// EunomiaTop by what Verilator made of eunomia_top.sv: one class template for all variants, whose
// registers have the same names and other widths.
#pragma once

#include <verilated.h>
#include <verilated_vcd_c.h>

#include "horae/rtl/eunomia_top.hpp"
#include "verilated_memory.hpp"

namespace horae::rtl {

template <class Model>
class VerilatedTop final : public EunomiaTop {
 public:
  explicit VerilatedTop(std::uint32_t seed) {
    context_.threads(1);
    context_.randReset(seed == 0 ? 0 : 2);
    context_.randSeed(static_cast<int>(seed));
    context_.traceEverOn(true);
    model_ = std::make_unique<Model>(&context_, "");
    model_->clk = 0;
    model_->eval();
  }
  ~VerilatedTop() override {
    stop_waveform();
    model_->final();
    // What Verilator 5.006 takes away with a model, it takes from the thread's current context,
    // which may be that of another instance, gone already.
    Verilated::threadContextp(&context_);
    model_.reset();
  }

  void clock(const EunomiaInputs& in) override {
    model_->reset = in.reset;
    model_->request_valid = in.request_valid;
    model_->request_connection = in.connection;
    model_->request_psn = in.psn;
    model_->request_head = in.head;
    model_->request_last = in.last;
    model_->request_close = in.close;
    model_->response_ready = in.response_ready;
    model_->clk = 1;
    step();
    model_->clk = 0;
    step();
  }

  EunomiaOutputs outputs() const override {
    return {.request_ready = model_->request_ready != 0,
            .response_valid = model_->response_valid != 0,
            .tracking = model_->response_tracking,
            .rejection = model_->response_rejection,
            .advanced = model_->response_advanced,
            .expected = model_->response_expected,
            .completed = model_->response_completed != 0};
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

  std::string save() override {
    MemorySave out;
    out << *model_;
    return out.bytes();
  }
  void restore(const std::string& registers) override {
    MemoryRestore in(registers);
    in >> *model_;
  }

  void start_waveform(const std::string& file) override {
    stop_waveform();
    waveform_ = std::make_unique<VerilatedVcdC>();
    model_->trace(waveform_.get(), 99);
    waveform_->open(file.c_str());
  }
  void stop_waveform() override {
    if (waveform_) waveform_->close();
    waveform_.reset();
  }

 private:
  const auto& root() const { return *model_->rootp; }

  void step() {
    model_->eval();
    if (waveform_) [[unlikely]]
      waveform_->dump(context_.time());
    context_.timeInc(1);
  }

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

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<VerilatedVcdC> waveform_;
};

template <class Model>
std::unique_ptr<EunomiaTop> make_verilated_top(std::uint32_t seed) {
  return std::make_unique<VerilatedTop<Model>>(seed);
}

}  // namespace horae::rtl
