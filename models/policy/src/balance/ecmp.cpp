#include "horae/core/random.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy {

namespace {

// The finaliser of MurmurHash3 (A. Appleby, public domain): every input bit reaches every output
// bit. A chip's CRC would do; what matters is that the hash is a function of the flow alone.
std::uint64_t mixed(std::uint64_t h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

}  // namespace

std::uint32_t flow_hash(const Packet& packet, std::uint32_t salt) {
  const std::uint64_t nodes = static_cast<std::uint64_t>(packet.src) << 32 | packet.dst;
  const std::uint64_t ports =
      static_cast<std::uint64_t>(packet.entropy) << 32 | packet.dest_qp.value();
  // Mixed one after the other: fields that overlap would make some flows collide in every device.
  return static_cast<std::uint32_t>(mixed(mixed(nodes ^ salt * 0x9e3779b97f4a7c15ULL) ^ ports));
}

namespace {

class Ecmp final : public LoadBalancer {
 public:
  explicit Ecmp(std::uint32_t salt) : salt_(salt) {}
  unsigned choose(const Packet& packet, unsigned choices, const PortView&) override {
    return static_cast<unsigned>(static_cast<std::uint64_t>(flow_hash(packet, salt_)) * choices >>
                                 32);
  }

 private:
  std::uint32_t salt_;
};

}  // namespace

BalancerEntry ecmp_balancer() {
  return {.name = "ecmp",
          .doc = "hash of the flow's addresses and ports: one path per flow",
          .make = [](std::uint64_t seed, std::string_view path,
                     const PolicyParameters&) -> std::unique_ptr<LoadBalancer> {
            return std::make_unique<Ecmp>(RandomStream(seed, path).bits());
          }};
}

}  // namespace horae::policy
