#include "horae/core/random.hpp"
#include "horae/policy/balance/policies.hpp"

namespace horae::policy {

std::uint32_t flow_hash(const Packet& packet, std::uint32_t salt) {
  // The finaliser of MurmurHash3 (A. Appleby, public domain): every input bit reaches every output
  // bit. A chip's CRC would do; what matters is that it is a function of the flow alone.
  std::uint64_t h = (static_cast<std::uint64_t>(packet.src) << 32 | packet.dst) ^
                    (static_cast<std::uint64_t>(packet.entropy) << 40 |
                     static_cast<std::uint64_t>(packet.dest_qp.value()) << 8) ^
                    (static_cast<std::uint64_t>(salt) * 0x9e3779b97f4a7c15ULL);
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return static_cast<std::uint32_t>(h ^ (h >> 33));
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

std::unique_ptr<LoadBalancer> make_ecmp(std::uint64_t seed, std::string_view path) {
  return std::make_unique<Ecmp>(RandomStream(seed, path).bits());
}

}  // namespace horae::policy
