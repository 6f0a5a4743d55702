// The loopback ports of all pipelines of a chip, and how much of its buffer they may have.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "horae/tofino/cell_buffer.hpp"
#include "horae/tofino/loopback_config.hpp"
#include "horae/tofino/loopback_port.hpp"

namespace horae::tofino {

/// A port has a number: its pipeline, and which of that one's it is.
class LoopbackPorts {
 public:
  /// `config` absent: one port of each pipeline at `rate`, the chip's.
  LoopbackPorts(const std::optional<LoopbackConfig>& config, unsigned pipelines, BitRate rate,
                std::int64_t cells)
      : pipelines_(pipelines),
        per_pipeline_(config ? config->ports : 1),
        limit_(config ? config->limit.count() : 0),
        most_cells_(config ? static_cast<std::int64_t>(config->share * static_cast<double>(cells))
                           : 0),
        ports_(std::size_t{pipelines_} * per_pipeline_,
               LoopbackPort(config && config->rate.count() > 0 ? config->rate : rate)) {
    if (!config || !config->rates) return;
    for (std::size_t i = 0; i < ports_.size(); ++i)
      ports_[i] = LoopbackPort(config->rates->at(i / per_pipeline_));
  }

  unsigned per_pipeline() const { return per_pipeline_; }
  unsigned number(unsigned pipeline, unsigned port) const {
    return port << pipeline_bits | pipeline;
  }
  static unsigned pipeline_of(unsigned number) { return number & ((1u << pipeline_bits) - 1); }
  /// Port i of all, counted pipeline by pipeline.
  const LoopbackPort& port(std::size_t i) const { return ports_[i]; }
  std::size_t size() const { return ports_.size(); }
  LoopbackPort& of(unsigned number) {
    return ports_.data()[pipeline_of(number) * per_pipeline_ + (number >> pipeline_bits)];
  }
  const LoopbackPort& of(unsigned number) const {
    return ports_.data()[pipeline_of(number) * per_pipeline_ + (number >> pipeline_bits)];
  }

  /// Whether a packet of so many cells may be queued; if not, it is counted.
  bool admit(unsigned number, const Packet& p, std::int64_t cells) {
    const bool port_full = limit_ > 0 && of(number).held().count() + p.frame > limit_;
    const bool share_full = most_cells_ > 0 && cells_ + cells > most_cells_;
    if (!port_full && !share_full) return true;
    ++dropped_;
    return false;
  }
  void hold(unsigned number, const Packet& p, std::int64_t cells) {
    of(number).hold(p);
    cells_ += cells;
  }
  void release(unsigned number, const Packet& p, std::int64_t cells) {
    of(number).release(p);
    cells_ -= cells;
  }

  std::uint64_t dropped() const { return dropped_; }
  /// The most that a port held.
  Bytes most_held() const {
    Bytes most{};
    for (const auto& port : ports_) most = std::max(most, port.most_held());
    return most;
  }

 private:
  static constexpr unsigned pipeline_bits = 3;  // a chip has eight at most

  unsigned pipelines_;
  unsigned per_pipeline_;
  std::int64_t limit_;       ///< bytes of a port; zero: none
  std::int64_t most_cells_;  ///< of all ports; zero: no limit
  std::vector<LoopbackPort> ports_;
  std::int64_t cells_ = 0;  ///< that they hold
  std::uint64_t dropped_ = 0;
};

}  // namespace horae::tofino
