// The PCIe link as the NIC's decisions see it.
#pragma once

#include <utility>

#include "horae/core/quantity_text.hpp"
#include "horae/rnic/host/host_interface.hpp"
#include "horae/rnic/host/host_port.hpp"
#include "horae/rnic/timeline.hpp"

namespace horae::rnic {

/// The host behind the NIC's PCIe link.
class PciePort final : public HostPort {
 public:
  explicit PciePort(host_interface& host) : host_(host) {}
  void set_timeline(Timeline* timeline) { timeline_ = timeline; }
  Picoseconds read(Picoseconds now, std::uint64_t address, Bytes size) override {
    const Picoseconds done = host_.read(now, address, size);
    if (timeline_ != nullptr && timeline_->recording()) [[unlikely]] {
      done != never ? record(size, now, done)
                    : host_.when_known([this, size, now](Picoseconds, Picoseconds at, bool) {
                        record(size, now, at);
                      });
    }
    return done;
  }
  Picoseconds write(Picoseconds now, std::uint64_t address, Bytes size) override {
    return host_.write(now, address, size);
  }
  Picoseconds doorbell(Picoseconds now) override { return host_.doorbell(now); }
  void when_known(HostThen then) override { host_.when_known(std::move(then)); }

 private:
  void record(Bytes size, Picoseconds asked, Picoseconds done) {
    timeline_->overlap("DMA reads", to_text(size), asked, done);
  }

  host_interface& host_;
  Timeline* timeline_ = nullptr;
};

}  // namespace horae::rnic
