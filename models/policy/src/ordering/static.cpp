// A bitmap of one size for every connection: what Eunomia's section 4 is compared with.
#include "horae/core/error.hpp"
#include "horae/policy/ordering/window_engine.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

// Eunomia, section 4: "4 bytes each for the head and last packet and 1 byte for the head index".
constexpr Bytes static_state = 4_B + 4_B + 1_B;

std::unique_ptr<OrderingEngine> make_static(const PolicyParameters& parameters) {
  const std::uint32_t bits = parameters.of<BitmapReach>().bits;
  const Bytes bitmap((std::int64_t{bits} + 7) / 8);
  return std::make_unique<WindowEngine>(
      bits, WindowEngine::Cost{.bitmap = bitmap, .fixed = static_state});
}

void check_static(const PolicyParameters& parameters) {
  if (parameters.of<BitmapReach>().bits == 0) throw InputError("bits = 0 is below the minimum 1");
}

}  // namespace

const Schema<BitmapReach>& BitmapReach::schema() {
  static const Schema<BitmapReach> s =
      Schema<BitmapReach>("bitmap", "The size of a connection's bitmap.")
          .field("bits", &BitmapReach::bits,
                 {.doc = "static, eunomia: most packets that the bitmap of a connection covers; "
                         "for eunomia a multiple of block_bits, at most 255 blocks",
                  .min = 1,
                  .max = 65536,
                  .source = "Eunomia (Mahmood et al.), section 4: 256"});
  return s;
}

OrderingEntry static_ordering() {
  return {.name = "static",
          .doc = "a circular bitmap of fixed size per connection",
          .make = make_static,
          .parameters = {keys_of<BitmapReach>()},
          .check = check_static};
}

}  // namespace horae::policy
