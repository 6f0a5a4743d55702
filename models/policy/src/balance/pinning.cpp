#include <utility>

#include "horae/core/random.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy {
namespace {

// Pinned packets beside any other balancer. Its choices for all other packets are those that it
// would make without: a random stream of its own salts the hash.
class Pinning final : public LoadBalancer {
 public:
  Pinning(std::unique_ptr<LoadBalancer> others, std::uint32_t salt, Pinned which)
      : others_(std::move(others)), salt_(salt), which_(which) {}

  unsigned choose(const Packet& packet, unsigned choices, const PortView& view) override {
    const bool pinned = which_ == Pinned::connections ? packet.pinned : !packet.is_data();
    if (!pinned) return others_->choose(packet, choices, view);
    return static_cast<unsigned>(static_cast<std::uint64_t>(flow_hash(packet, salt_)) * choices >>
                                 32);
  }
  BalanceNeeds needs() const override { return others_->needs(); }
  void begin(const BalancePlace& place) override { others_->begin(place); }
  void comes(Packet& packet, Picoseconds now) override { others_->comes(packet, now); }
  void leaves(Packet& packet, unsigned port, Picoseconds now) override {
    others_->leaves(packet, port, now);
  }

 private:
  std::unique_ptr<LoadBalancer> others_;
  std::uint32_t salt_;
  Pinned which_;
};

}  // namespace

std::unique_ptr<LoadBalancer> pinning(std::unique_ptr<LoadBalancer> others, std::uint64_t seed,
                                      std::string_view path, Pinned which) {
  return std::make_unique<Pinning>(std::move(others), RandomStream(seed, path).bits(), which);
}

}  // namespace horae::policy
