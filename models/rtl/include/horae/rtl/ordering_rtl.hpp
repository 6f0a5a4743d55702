// An ordering layer by its hardware description.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "horae/policy/ordering/ordering.hpp"
#include "horae/rtl/ordering_top.hpp"

namespace horae::rtl {

/// Steps hardware clock by clock until it has answered: nothing is in flight between calls.
/// `OrderingOps` has the clocks taken, from the one after the request was taken to the one in which
/// the response was; the other counts are 0.
///
/// The rules of the pins are asked of every request, and a ModelError says which was broken: the
/// hardware is ready for a request when none is under way, there is no response without a request,
/// it comes in time, and it goes when it was taken.
class OrderingRtl : public policy::OrderingEngine {
 public:
  /// `make(seed)`: an instance; seed 0 begins with every register 0, any other with random
  /// contents, as a chip may power up.
  using Make = std::unique_ptr<OrderingTop> (*)(std::uint32_t seed);

  /// An InputError for a connection that the hardware has no place for.
  policy::OrderingAnswer on_packet(const policy::OrderingPacket& packet) override;
  void close(policy::ConnectionId connection) override;

  const std::string& name() const { return name_; }
  std::uint32_t connections() const { return connections_; }  ///< that it has room for
  std::uint64_t clocks() const { return clocks_; }            ///< since the first reset

  /// Has the pins told to `observer` from now on; null: to nobody. The caller keeps it alive.
  void watch_pins(PinObserver* observer) { pins_ = observer; }

  /// Writes a waveform (VCD) of the last `clocks` clocks, or of as many as are kept: at least 512
  /// requests. They are replayed in another instance from registers saved before.
  void write_waveform(const std::string& file, std::uint64_t clocks) const;

 protected:
  OrderingRtl(std::string name, std::uint32_t connections, std::unique_ptr<OrderingTop> top,
              Make make);

  const OrderingTop& pins() const { return *top_; }

 private:
  struct Request {
    OrderingInputs inputs;
    std::uint32_t clocks = 0;  // taken in all
  };
  static constexpr std::size_t keep = 512;

  OrderingOutputs serve(const OrderingInputs& request);

  std::string name_;
  std::uint32_t connections_;
  std::unique_ptr<OrderingTop> top_;
  Make make_;
  PinObserver* pins_ = nullptr;
  std::uint64_t clocks_ = 0;
  std::uint32_t last_clocks_ = 0;  // of the last request, without the one that took it
  // The registers before requests_, and those before its later part.
  std::string before_;
  std::string between_;
  std::vector<Request> requests_;
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
