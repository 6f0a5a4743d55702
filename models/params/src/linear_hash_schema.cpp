#include "horae/params/linear_hash_schema.hpp"

#include "horae/params/schema.hpp"

namespace horae {

const Schema<LinearHashConfig>& linear_hash_schema() {
  static const Schema<LinearHashConfig> s =
      Schema<LinearHashConfig>("hash", "The linear hash of a switch (CRC-16-CCITT).")
          .field("offset", &LinearHashConfig::offset,
                 {.doc = "bits by which the hash is rotated right before its lowest bits choose; "
                         "tiers need different offsets, or the second tier repeats the choice of "
                         "the first (polarisation)",
                  .max = 15,
                  .source = "SAI saiswitch.h, SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_OFFSET; 0 to 15 in "
                            "Enterprise SONiC (hash_offset)"})
          .field("seed", &LinearHashConfig::seed,
                 {.doc = "initial value of the CRC",
                  .max = 0xffff,
                  .source = "SAI saiswitch.h, SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_SEED"});
  return s;
}

}  // namespace horae
