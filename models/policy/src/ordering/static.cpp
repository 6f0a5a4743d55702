// A bitmap of one size for every connection: what Eunomia's section 4 is compared with.
#include "horae/policy/ordering/policies.hpp"
#include "horae/policy/ordering/window_engine.hpp"

namespace horae::policy {
namespace {

// Eunomia, section 4: "4 bytes each for the head and last packet and 1 byte for the head index".
constexpr Bytes static_state = 4_B + 4_B + 1_B;

}  // namespace

std::unique_ptr<OrderingEngine> make_static_ordering(const OrderingConfig& config) {
  const Bytes bitmap((std::int64_t{config.bits} + 7) / 8);
  return std::make_unique<WindowEngine>(
      config.bits, WindowEngine::Cost{.bitmap = bitmap, .fixed = static_state});
}

}  // namespace horae::policy
