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

/// Sets a pin of `bytes.size()` bytes, the first one in its lowest bits.
template <class Pin>
void set_bytes(Pin& pin, const std::vector<std::uint8_t>& bytes) {
  if constexpr (std::is_integral_v<Pin>) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) all |= std::uint64_t{bytes[i]} << (8 * i);
    pin = static_cast<Pin>(all);
  } else {
    for (std::size_t i = 0; i < bytes.size(); i += 4) pin[i / 4] = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      pin[i / 4] |= std::uint32_t{bytes[i]} << (i % 4 * 8);
  }
}

/// And reads one of so many bytes.
template <class Pin>
void get_bytes(const Pin& pin, std::vector<std::uint8_t>& bytes, std::size_t count) {
  bytes.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<Pin>) {
      bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(pin) >> (8 * i));
    } else {
      bytes[i] = static_cast<std::uint8_t>(pin[i / 4] >> (i % 4 * 8));
    }
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
    fall(clock);
  }
  /// A rising edge alone, after which inputs may change at once: then `settle` and `fall`.
  template <class Pin>
  void rise(Pin& clock) {
    clock = 1;
    model_->eval();
  }
  void settle() { step(); }
  template <class Pin>
  void fall(Pin& clock) {
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
