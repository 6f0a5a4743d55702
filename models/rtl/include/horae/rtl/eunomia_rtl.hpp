// Eunomia's ordering layer by its hardware description.
#pragma once

#include <string>
#include <vector>

#include "horae/policy/ordering/ordering.hpp"
#include "horae/rtl/eunomia_top.hpp"

namespace horae::rtl {

/// Told of every clock in which a request is served: the inputs at its rising edge, and the outputs
/// before it.
class PinObserver {
 public:
  virtual ~PinObserver() = default;
  virtual void clocked(const EunomiaInputs& in, const EunomiaOutputs& out) = 0;
};

/// Steps a Verilated eunomia_top clock by clock until it has answered: nothing is in flight between
/// calls. `OrderingOps` has the clocks taken, from the one after the request was taken to the one
/// in which the response was; the other counts are 0.
class EunomiaRtl final : public policy::OrderingEngine {
 public:
  /// `seed`: as EunomiaVariant::make.
  explicit EunomiaRtl(const EunomiaVariant& variant, std::uint32_t seed = 0);

  /// An InputError for a connection that the hardware has no place for.
  policy::OrderingAnswer on_packet(const policy::OrderingPacket& packet) override;
  void close(policy::ConnectionId connection) override;
  /// Counted from the registers.
  policy::OrderingMemory memory() const override;
  Bytes provided(std::uint32_t connections) const override;

  const EunomiaVariant& variant() const { return variant_; }
  const EunomiaTop& top() const { return *top_; }
  std::uint64_t clocks() const { return clocks_; }  ///< since the first reset

  /// Has the pins told to `observer` from now on; null: to nobody. The caller keeps it alive.
  void watch_pins(PinObserver* observer) { pins_ = observer; }

  /// Writes a waveform (VCD) of the last `clocks` clocks, or of as many as are kept: at least 512
  /// requests. They are replayed in another instance from registers saved before.
  void write_waveform(const std::string& file, std::uint64_t clocks) const;

 private:
  struct Request {
    EunomiaInputs inputs;
    std::uint32_t clocks = 0;  // taken in all
  };
  static constexpr std::size_t keep = 512;

  EunomiaOutputs serve(const EunomiaInputs& request);

  const EunomiaVariant& variant_;
  std::unique_ptr<EunomiaTop> top_;
  PinObserver* pins_ = nullptr;
  std::uint64_t clocks_ = 0;
  std::uint32_t last_clocks_ = 0;  // of the last request, without the one that took it
  // The registers before requests_, and those before its later part.
  std::string before_;
  std::string between_;
  std::vector<Request> requests_;
};

}  // namespace horae::rtl
