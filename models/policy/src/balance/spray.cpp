#include "horae/core/random.hpp"
#include "horae/policy/balance/policies.hpp"

namespace horae::policy {
namespace {

class Spray final : public LoadBalancer {
 public:
  explicit Spray(RandomStream stream) : stream_(stream) {}
  unsigned choose(const Packet&, unsigned choices, const PortView&) override {
    return stream_.below(choices);
  }

 private:
  RandomStream stream_;
};

}  // namespace

std::unique_ptr<LoadBalancer> make_spray(std::uint64_t seed, std::string_view path,
                                         const LinearHashConfig&) {
  return std::make_unique<Spray>(RandomStream(seed, path));
}

}  // namespace horae::policy
