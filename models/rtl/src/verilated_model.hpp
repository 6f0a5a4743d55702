// Common to all Verilated blocks: their time, their registers as bytes, their waveforms.
#pragma once

#include <fmt/format.h>
#include <verilated.h>
#include <verilated_vcd_c.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "horae/core/error.hpp"
#include "verilated_coverage.hpp"
#include "verilated_memory.hpp"

namespace horae::rtl {

/// Sets a pin of `words.size()` words of 32 bits, as Verilator keeps one of that width.
template <class Pin>
void set_words(Pin& pin, const std::vector<std::uint32_t>& words) {
  if constexpr (std::is_integral_v<Pin>) {
    pin = 0;
    for (std::size_t i = 0; i < words.size(); ++i)
      pin |= static_cast<Pin>(static_cast<std::uint64_t>(words[i]) << (32 * i));
  } else {
    for (std::size_t i = 0; i < words.size(); ++i) pin[i] = words[i];
  }
}

/// `value`, unless it has more bits than the pin: an InputError with the names of both.
inline std::uint64_t fit(std::uint64_t value, unsigned bits, const char* block, const char* pin) {
  if (bits >= 64 || value >> bits == 0) return value;
  throw InputError(
      fmt::format("RTL '{}': {} does not fit the {} bits of pin '{}'", block, value, bits, pin));
}

/// An instance of what Verilator made (`Model`) behind the interface `Base`, which declares save,
/// restore and the waveform.
template <class Model, class Base>
class VerilatedModel : public Base {
 public:
  /// `seed`: 0 begins with every register 0, any other with random contents.
  explicit VerilatedModel(std::uint32_t seed) {
    context_.threads(1);
    context_.randReset(seed == 0 ? 0 : 2);
    context_.randSeed(static_cast<int>(seed));
    context_.traceEverOn(true);
    model_ = std::make_unique<Model>(&context_, "");
    model_->eval();
  }
  ~VerilatedModel() override {
    VerilatedModel::stop_waveform();
    model_->final();
    write_coverage(context_);
    // Verilator 5.006 removes a model's entries from the thread's current context,
    // which may be that of another instance, gone already.
    Verilated::threadContextp(&context_);
    model_.reset();
  }

  std::string save() override {
    if constexpr (for_coverage) {
      return {};
    } else {
      MemorySave out;
      out << *model_;
      return out.bytes();
    }
  }
  void restore(const std::string& registers) override {
    if constexpr (for_coverage) {
      throw ModelError("a build for coverage keeps no registers");
    } else {
      MemoryRestore in(registers);
      in >> *model_;
    }
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

 protected:
  Model& model() { return *model_; }
  const Model& model() const { return *model_; }

  /// A clock of the pin: up, then down.
  template <class Pin>
  void edge(Pin& clock) {
    clock = 1;
    step();
    clock = 0;
    step();
  }

 private:
  void step() {
    model_->eval();
    if (waveform_) [[unlikely]]
      waveform_->dump(context_.time());
    context_.timeInc(1);
  }

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<VerilatedVcdC> waveform_;
};

}  // namespace horae::rtl
