// The pins and the clock of an ordering layer's hardware, whoever wrote it.
#pragma once

#include <cstdint>
#include <string>

namespace horae::rtl {

/// Input pins; all are read at a rising edge of the clock.
struct OrderingInputs {
  bool reset = false;  ///< synchronous
  bool request_valid = false;
  std::uint32_t connection = 0;
  std::uint32_t psn = 0;   ///< 24 bits
  std::uint32_t head = 0;  ///< 24 bits: first PSN of the connection
  bool last = false;
  bool close = false;  ///< the connection ends; psn, head and last mean nothing
  bool response_ready = false;
};

/// Output pins, as they stand after a clock. The response's fields mean something while it is
/// valid; their numbers are those of policy::Tracking and policy::Rejection.
struct OrderingOutputs {
  bool request_ready = false;
  bool response_valid = false;
  std::uint32_t tracking = 0;
  std::uint32_t rejection = 0;
  std::uint32_t advanced = 0;
  std::uint32_t expected = 0;
  bool completed = false;
  bool operator==(const OrderingOutputs&) const = default;
};

/// One instance. Nothing moves but by `clock`.
class OrderingTop {
 public:
  virtual ~OrderingTop() = default;

  /// One clock: the inputs at its rising edge, then the outputs after it.
  virtual void clock(const OrderingInputs& inputs) = 0;
  virtual OrderingOutputs outputs() const = 0;

  /// All registers as bytes, and back (into an instance of the same hardware).
  virtual std::string save() = 0;
  virtual void restore(const std::string& registers) = 0;
  /// From now on every clock goes into a waveform file (VCD), until `stop_waveform`.
  virtual void start_waveform(const std::string& file) = 0;
  virtual void stop_waveform() = 0;
};

/// Told of every clock in which a request is served: the inputs at its rising edge, and the outputs
/// before it.
class PinObserver {
 public:
  virtual ~PinObserver() = default;
  virtual void clocked(const OrderingInputs& in, const OrderingOutputs& out) = 0;
};

}  // namespace horae::rtl
