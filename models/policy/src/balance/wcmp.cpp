#include "horae/core/random.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy {
namespace {

// WCMP: Zhou et al., EuroSys 2014. The weights are the rates of the ports themselves, which is what
// a switch knows without a controller.
class Wcmp final : public LoadBalancer {
 public:
  explicit Wcmp(std::uint32_t salt) : salt_(salt) {}

  unsigned choose(const Packet& packet, unsigned choices, const PortView& view) override {
    std::int64_t all = 0;
    for (unsigned i = 0; i < choices; ++i) all += view.rate(i).count() / unit;
    std::int64_t at = static_cast<std::int64_t>(flow_hash(packet, salt_)) * all >> 32;
    for (unsigned i = 0; i + 1 < choices; ++i) {
      at -= view.rate(i).count() / unit;
      if (at < 0) return i;
    }
    return choices - 1;
  }

 private:
  static constexpr std::int64_t unit = 1'000'000;  // so that products have 63 bits

  std::uint32_t salt_;
};

}  // namespace

BalancerEntry wcmp_balancer() {
  return {.name = "wcmp",
          .doc = "flows by a hash, as ecmp, but in proportion to the rates of the ports",
          .make = [](std::uint64_t seed, std::string_view path,
                     const PolicyParameters&) -> std::unique_ptr<LoadBalancer> {
            return std::make_unique<Wcmp>(RandomStream(seed, path).bits());
          }};
}

}  // namespace horae::policy
