// IRN (Mittal et al., SIGCOMM 2018): bitmaps of one bandwidth-delay product.
#include "horae/policy/ordering/irn.hpp"

#include "horae/core/error.hpp"
#include "horae/policy/ordering/window_engine.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

// A queue pair of IRN has five bitmaps of BDP size; its paper counts five of 128 bits, 640 bits
// (recalled, not read again).
constexpr std::int64_t bitmaps = 5;
// Eunomia's Table 2 gives IRN 125 B of bitmap for a BDP of 100 packets (100 Gbps, 8 us, 1000 B):
// 1000 bits, exactly twice five bitmaps of 100. No source explains the two; it is here so that
// Table 2 follows from the BDP, and is an assumption for any other one.
constexpr std::int64_t bits_per_packet = 2;
// "Other data" of Table 2.
constexpr Bytes state = 20_B;

std::unique_ptr<OrderingEngine> make_irn(const PolicyParameters& parameters) {
  const std::uint32_t bdp = parameters.of<IrnBitmap>().bdp;
  const Bytes bitmap((bitmaps * bits_per_packet * bdp + 7) / 8);
  return std::make_unique<WindowEngine>(bdp, WindowEngine::Cost{.bitmap = bitmap, .fixed = state});
}

void check_irn(const PolicyParameters& parameters) {
  if (parameters.of<IrnBitmap>().bdp == 0) throw InputError("bdp = 0 is below the minimum 1");
}

}  // namespace

const Schema<IrnBitmap>& IrnBitmap::schema() {
  static const Schema<IrnBitmap> s =
      Schema<IrnBitmap>("irn", "The size of IRN's bitmaps.")
          .field("bdp", &IrnBitmap::bdp,
                 {.doc = "irn: packets that a bitmap covers, one bandwidth-delay product",
                  .min = 1,
                  .max = 65536,
                  .source = "Eunomia (Mahmood et al.), Table 2: 100 packets at 100 Gbps and 8 us; "
                            "its 125 bytes are "
                            "five bitmaps of twice that, a factor without a source",
                  .verified = false});
  return s;
}

OrderingEntry irn_ordering() {
  return {.name = "irn",
          .doc = "IRN: five bitmaps of one bandwidth-delay product",
          .make = make_irn,
          .parameters = {keys_of<IrnBitmap>()},
          .check = check_irn};
}

}  // namespace horae::policy
