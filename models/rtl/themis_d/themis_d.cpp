#include "horae/rtl/themis_d.hpp"

#include "VThemisD.h"
#include "VThemisDBroken.h"
#include "horae/core/error.hpp"
#include "verilated_coverage.hpp"

namespace horae::rtl {
namespace {

template <class Model>
class VerilatedThemisD final : public ThemisD {
 public:
  VerilatedThemisD() {
    context_.threads(1);
    model_ = std::make_unique<Model>(&context_, "");
    model_->clk = 0;
    model_->eval();
    model_->reset = 1;
    clock();
    model_->reset = 0;
  }
  ~VerilatedThemisD() override {
    model_->final();
    write_coverage(context_);
    Verilated::threadContextp(&context_);  // see eunomia/verilated_top.hpp
    model_.reset();
  }

  void connect(std::uint32_t qp, Psn first) override {
    set(qp, first);
    model_->write_start = 1;
    clock();
    // The half of the first PSN is marked up to it, and nothing has come by any path.
    const std::uint32_t before = first.value() % window;
    for (std::uint32_t i = 1; i <= before; ++i) {
      set(qp, first - static_cast<std::int32_t>(i));
      model_->write_bit = 1;
      clock();
    }
    for (std::uint32_t i = 1; i <= paths; ++i) {
      set(qp, first - static_cast<std::int32_t>(i));
      model_->write_most = 1;
      clock();
    }
  }
  void on_data(std::uint32_t qp, Psn psn) override {
    set(qp, psn);
    model_->data = 1;
    clock();
  }
  void on_ack(std::uint32_t qp, Psn psn) override {
    set(qp, psn);
    model_->ack = 1;
    clock();
  }
  bool on_nack(std::uint32_t qp, Psn psn) override {
    set(qp, psn);
    model_->nack = 1;
    clock();
    if (!model_->answer) throw ModelError("themis_d: no answer to a NACK");
    return model_->valid != 0;
  }

 private:
  void set(std::uint32_t qp, Psn psn) {
    if (qp >= qps) throw ModelError("themis_d: queue pair " + std::to_string(qp));
    model_->data = model_->ack = model_->nack = 0;
    model_->write_start = model_->write_bit = model_->write_most = 0;
    model_->qp = static_cast<std::uint8_t>(qp);
    model_->psn = psn.value();
  }
  void clock() {
    model_->clk = 1;
    model_->eval();
    model_->clk = 0;
    model_->eval();
  }

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
};

}  // namespace

std::unique_ptr<ThemisD> make_themis_d() { return std::make_unique<VerilatedThemisD<VThemisD>>(); }
std::unique_ptr<ThemisD> make_broken_themis_d() {
  return std::make_unique<VerilatedThemisD<VThemisDBroken>>();
}

}  // namespace horae::rtl
