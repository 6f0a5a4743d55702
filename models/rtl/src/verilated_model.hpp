// What all Verilated blocks have in common: their time, their registers as bytes, their waveforms.
#pragma once

#include <verilated.h>
#include <verilated_vcd_c.h>

#include <cstdint>
#include <memory>
#include <string>

#include "verilated_memory.hpp"

namespace horae::rtl {

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
    // What Verilator 5.006 takes away with a model, it takes from the thread's current context,
    // which may be that of another instance, gone already.
    Verilated::threadContextp(&context_);
    model_.reset();
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
