// Model and hardware description side by side.
#pragma once

#include <memory>
#include <string>

#include "horae/policy/ordering/eunomia.hpp"
#include "horae/rtl/eunomia_rtl.hpp"

namespace horae::rtl {

struct LockstepOptions {
  std::string folder = "out/lockstep";   ///< where a difference is written to
  std::uint32_t whole_every = 1024;      ///< requests between comparisons of everything
  std::uint64_t waveform_clocks = 1000;  ///< of the waveform that ends in the difference
};

/// Every request goes to both. After each the answers are compared, the allocation bitmap, which
/// rows of the index are valid, and all that belongs to the request's connection, its bitmap
/// included; everything now and then. At the first difference both states (model.txt, rtl.txt) and
/// a waveform (waveform.vcd) are written, and a ModelError says what differed. Clocks are among it
/// where the model predicts them, with one word per access. The answer is the model's, with the
/// clocks of the hardware.
class LockstepEngine : public OrderingLockstep {
 public:
  /// Both must have been made with the same parameters: a ModelError otherwise.
  LockstepEngine(std::unique_ptr<policy::EunomiaEngine> model, std::unique_ptr<EunomiaRtl> rtl,
                 LockstepOptions options = {});

  policy::OrderingAnswer on_packet(const policy::OrderingPacket& packet) override;
  void close(policy::ConnectionId connection) override;
  policy::OrderingMemory memory() const override { return model_->memory(); }
  Bytes provided(std::uint32_t connections) const override { return model_->provided(connections); }

  void compare_whole() const override;

  std::uint64_t requests() const override { return requests_; }
  OrderingRtl& hardware() override { return *rtl_; }

  const policy::EunomiaEngine& model() const { return *model_; }
  const EunomiaRtl& rtl() const { return *rtl_; }
  EunomiaRtl& rtl() { return *rtl_; }

 protected:
  /// A seam for tests: what the model says to a packet.
  virtual policy::OrderingAnswer ask_model(const policy::OrderingPacket& packet) {
    return model_->on_packet(packet);
  }

 private:
  void compare_touched(policy::ConnectionId connection) const;
  void after_request(policy::ConnectionId connection);
  [[noreturn]] void report(const std::string& difference) const;

  std::unique_ptr<policy::EunomiaEngine> model_;
  std::unique_ptr<EunomiaRtl> rtl_;
  LockstepOptions options_;
  std::uint64_t requests_ = 0;
};

}  // namespace horae::rtl
