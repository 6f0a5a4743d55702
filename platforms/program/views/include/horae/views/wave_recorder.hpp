// Records what the waveforms of a run show.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "horae/views/pin_waves.hpp"
#include "horae/views/vcd_writer.hpp"
#include "horae/views/view_filter.hpp"
#include "horae/views/watcher.hpp"

namespace horae::elaboration {
class Simulation;
}

namespace horae::views {

/// Signals, by device:
///
/// - switches: port<n>.queue_bytes and, where used, queue<q>_bytes of each class (a program's own
///   queues from 8 on), buffer_bytes (plain: all queues together), cells (chip: buffer cells in
///   use, those of packets that come around included)
/// - every device: port<n>.wire_busy, port<n>.paused_class<c> where pauses arrive
/// - NICs: outstanding (packets sent and not acknowledged), window (of the transport, per queue
///   pair), ready_qps, rate_mbps (all senders' allowed rates; with congestion control),
///   tx_buffer_bytes (with a host); with few queue pairs also qp0x<n>.outstanding and rate_mbps
/// - ordering.*: the pins of the ordering layer's hardware, where it runs
///
/// Memory is bounded by `most` changes; when there are as many, nothing more is recorded.
class WaveRecorder final : public Watcher {
 public:
  WaveRecorder(const ViewFilter& filter, elaboration::Simulation& simulation, std::uint64_t most);
  ~WaveRecorder() override;

  void queued(const fabric::device& d, unsigned port, unsigned queue, const Packet& p,
              Picoseconds at) override;
  void sent(const fabric::device& d, unsigned port, const Packet& p, Picoseconds start,
            Picoseconds first_bit, Picoseconds last_bit) override;
  void dropped(const fabric::device& d, const Packet& p, fabric::DropCause cause,
               Picoseconds at) override;
  void paused(const fabric::device& d, unsigned port, unsigned traffic_class, bool pause,
              Picoseconds at) override;
  void passed(const tofino::tofino_switch& chip, const dataplane::Pass& pass, Picoseconds entered,
              Picoseconds deparsed) override;
  void stepped(const tofino::tofino_switch& chip, Picoseconds at) override;
  void stepped(const rnic::rnic& nic, std::optional<std::size_t> qp, Picoseconds at) override;

  /// The run is over.
  void finish(Picoseconds end);
  void write(std::ostream& out) const;
  /// When there were too many changes; never: there were not.
  Picoseconds full_at() const { return full_at_; }

 private:
  using Signal = std::uint32_t;
  static constexpr Signal no_signal = 0xffffffffu;
  static constexpr unsigned wide = 40;  ///< bits of a count
  struct Change {
    Picoseconds at;
    std::int64_t value;
    Signal signal;
    bool relative;
  };
  struct Port {
    Signal busy, bytes;
    std::map<unsigned, Signal> queues, paused;
  };
  struct Nic {
    rnic::rnic* nic;
    Signal outstanding, ready, rate, buffer;
    std::vector<std::uint32_t> unacked;  ///< by queue pair
    std::vector<std::int64_t> rates;     ///< by queue pair, Mbps
    std::vector<Signal> qp_outstanding, qp_rate;
    std::int64_t unacked_sum = 0, rate_sum = 0;
    std::unique_ptr<PinWaves> pins;
  };
  struct Device {
    std::string name;
    std::vector<Port> ports;
    Signal buffer = 0;  ///< bytes or cells of a switch
    bool plain = false;
    std::unique_ptr<Nic> nic;
  };
  /// A packet in a queue.
  struct Waiting {
    Device* device;
    unsigned port, queue;
    std::int64_t frame;
  };

  Signal declare(std::vector<std::string> scope, std::string name, unsigned bits);
  void put(Picoseconds at, Signal signal, std::int64_t value, bool relative);
  void set(Picoseconds at, Signal signal, std::int64_t value) { put(at, signal, value, false); }
  void add(Picoseconds at, Signal signal, std::int64_t delta) { put(at, signal, delta, true); }
  void add_nic(Device& device, rnic::rnic& nic);
  void look_at(Nic& n, std::size_t qp, Picoseconds at);
  void leave(const Packet& p, Picoseconds at);
  void enter(Device& device, unsigned port, unsigned queue, std::int64_t bytes, Picoseconds at);

  const ViewFilter& filter_;
  std::uint64_t most_;
  Picoseconds full_at_ = never;
  Picoseconds end_{};
  std::unordered_map<const void*, std::unique_ptr<Device>> devices_;
  std::unordered_map<const Packet*, Waiting> waiting_;
  std::vector<VcdVariable> variables_;
  std::vector<Change> before_;      ///< the time asked for, one per signal
  std::vector<std::int64_t> told_;  ///< last, of each signal whose values are told
  std::vector<Change> changes_;     ///< in no order
};

}  // namespace horae::views
