// An ordering layer by its hardware description.
#pragma once

#include <memory>
#include <string>

#include "horae/policy/ordering/ordering.hpp"
#include "horae/rtl/ordering_top.hpp"

namespace horae::rtl {

/// Hardware that answers each packet. `OrderingOps` has the clocks taken, from the one after the
/// request was taken to the one in which the response was; the other counts are 0. The rules of its
/// pins are those of `Served`.
class OrderingRtl : public policy::OrderingEngine {
 public:
  using Make = Served<OrderingInputs, OrderingOutputs>::Make;

  /// An InputError for a connection that the hardware has no place for.
  policy::OrderingAnswer on_packet(const policy::OrderingPacket& packet) override;
  void close(policy::ConnectionId connection) override;

  const std::string& name() const { return name_; }
  std::uint32_t connections() const { return connections_; }  ///< that it has room for
  std::uint64_t clocks() const { return hardware_.clocks(); }

  /// As those of `Served`.
  void watch_pins(PinObserver* observer) { hardware_.watch_pins(observer); }
  void write_waveform(const std::string& file, std::uint64_t clocks) const {
    hardware_.write_waveform(file, clocks);
  }

 protected:
  OrderingRtl(std::string name, std::uint32_t connections, std::unique_ptr<OrderingTop> top,
              Make make);

  const OrderingTop& pins() const { return hardware_.pins(); }

 private:
  OrderingOutputs serve(const OrderingInputs& request);

  std::string name_;
  std::uint32_t connections_;
  Served<OrderingInputs, OrderingOutputs> hardware_;
};

/// Model and hardware side by side. Every request goes to both; the first difference ends the run.
class OrderingLockstep : public policy::OrderingEngine {
 public:
  /// Compares everything that can be seen of both now; for the end of a run.
  virtual void compare_whole() const = 0;
  /// Requests so far, each of which both answered alike.
  virtual std::uint64_t requests() const = 0;
  virtual OrderingRtl& hardware() = 0;
};

}  // namespace horae::rtl
