// A host without a transport: sends what its source says, counts what it receives.
#pragma once

#include <memory>
#include <optional>

#include "horae/core/packet.hpp"
#include "horae/fabric/device.hpp"
#include "horae/traffic/source.hpp"

namespace horae::fabric {

struct HostConfig {
  NodeId id = 0;
  std::uint8_t traffic_class = 0;
};

/// One port. A source's item is one packet of `bytes` payload, sent at its time or as soon after it
/// as the wire is free and not paused; nothing is ever lost here.
class open_loop_host : public device {
 public:
  open_loop_host(sc_core::sc_module_name name, sim_context& context, const HostConfig& config,
                 std::unique_ptr<traffic::TrafficSource> source);

  struct Counters {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t received_bytes = 0;  ///< payload
    std::uint64_t marked = 0;          ///< received with CE
    Picoseconds latency_sum{};         ///< first bit sent to last bit received
    Picoseconds latency_max{};
    Picoseconds last_arrival{};
    std::uint64_t order_checksum = 0;  ///< over every arrival's time and identity, in order
  };
  const Counters& counters() const { return counters_; }

  Picoseconds next_own_time() const override;
  void statistics(StatTree& tree) const override;

 protected:
  void own_outlook(Outlook& outlook) const override { outlook.expect(next_start()); }
  void begin() override { item_ = source_ ? source_->next() : std::nullopt; }
  void handle(const Event& e) override;
  void handle_before(Picoseconds end) override;
  void settle(Picoseconds end) override;

 private:
  Picoseconds next_start() const;
  void receive(Packet& p, Picoseconds t);

  HostConfig config_;
  std::unique_ptr<traffic::TrafficSource> source_;
  std::optional<traffic::TrafficItem> item_;
  Picoseconds resumed_{};
  bool paused_ = false;
  Counters counters_;
};

}  // namespace horae::fabric
