// The signals of waveforms: which there are, by device.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "horae/elaboration/simulation.hpp"
#include "horae/views/wave_recorder.hpp"

namespace horae::views {
namespace {

/// NICs with more queue pairs show them together only.
constexpr std::size_t most_qp_scopes = 16;

}  // namespace

WaveRecorder::WaveRecorder(const ViewFilter& filter, elaboration::Simulation& simulation,
                           std::uint64_t most)
    : filter_(filter), most_(most) {
  for (const auto& d : simulation.devices()) {
    auto device = std::make_unique<Device>();
    device->name = d->name();
    auto* nic = dynamic_cast<rnic::rnic*>(d.get());
    const bool chip = dynamic_cast<tofino::tofino_switch*>(d.get()) != nullptr;
    device->plain = dynamic_cast<fabric::output_queued_switch*>(d.get()) != nullptr;
    if (device->plain || chip)
      device->buffer = declare({device->name}, chip ? "cells" : "buffer_bytes", wide);
    if (nic != nullptr) add_nic(*device, *nic);
    for (unsigned i = 0; i < d->ports(); ++i) {
      Port port{no_signal, no_signal, {}, {}};
      if (d->tx(i).connected()) {
        const std::string name = fmt::format("port{}", i);
        port.busy = declare({device->name, name}, "wire_busy", 1);
        if (device->plain || chip) port.bytes = declare({device->name, name}, "queue_bytes", wide);
      }
      device->ports.push_back(std::move(port));
    }
    devices_.emplace(d.get(), std::move(device));
  }
  for (const auto& [nic, rtl] : simulation.hardware()) {
    Device& device = *devices_.at(nic);
    device.nic->pins = std::make_unique<PinWaves>(
        *rtl, Clock(nic->config().ordering.clock),
        [&](const std::string& name, unsigned bits) {
          return declare({device.name, "ordering"}, name, bits);
        },
        [this](Picoseconds at, Signal signal, std::int64_t value) { set(at, signal, value); });
  }
}

WaveRecorder::~WaveRecorder() = default;

void WaveRecorder::add_nic(Device& device, rnic::rnic& nic) {
  auto n = std::make_unique<Nic>();
  n->nic = &nic;
  n->outstanding = declare({device.name}, "outstanding", wide);
  n->ready = declare({device.name}, "ready_qps", wide);
  const Signal window = declare({device.name}, "window", wide);
  before_[window].value = nic.config().reliability.window;
  const bool controlled =
      policy::find_congestion_algorithm(nic.config().congestion.algorithm).controls_rates;
  n->rate = controlled ? declare({device.name}, "rate_mbps", wide) : no_signal;
  n->buffer =
      nic.fetcher() != nullptr ? declare({device.name}, "tx_buffer_bytes", wide) : no_signal;
  n->unacked.assign(nic.queue_pairs(), 0);
  n->rates.assign(nic.queue_pairs(), 0);
  std::size_t senders = 0;
  for (std::size_t i = 0; i < nic.queue_pairs(); ++i) senders += nic.queue_pair(i).has_source();
  n->qp_outstanding.assign(nic.queue_pairs(), no_signal);
  n->qp_rate.assign(nic.queue_pairs(), no_signal);
  for (std::size_t i = 0; i < nic.queue_pairs() && senders <= most_qp_scopes; ++i) {
    if (!nic.queue_pair(i).has_source()) continue;
    const std::string scope = fmt::format("qp{:#x}", rnic::rnic::first_qpn + i);
    n->qp_outstanding[i] = declare({device.name, scope}, "outstanding", wide);
    if (controlled) n->qp_rate[i] = declare({device.name, scope}, "rate_mbps", wide);
  }
  device.nic = std::move(n);
}

WaveRecorder::Signal WaveRecorder::declare(std::vector<std::string> scope, std::string name,
                                           unsigned bits) {
  variables_.push_back({std::move(scope), std::move(name), bits});
  const auto signal = static_cast<Signal>(variables_.size() - 1);
  before_.push_back({Picoseconds(-1), 0, signal, false});
  told_.push_back(0);
  return signal;
}

}  // namespace horae::views
