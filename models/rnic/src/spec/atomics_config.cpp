#include "horae/rnic/spec/atomics_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::rnic {

const Schema<AtomicsConfig>& AtomicsConfig::schema() {
  static const Schema<AtomicsConfig> s =
      Schema<AtomicsConfig>("atomics",
                            "Atomic operations at their responder. Absent: the values here.")
          .field("slots", &AtomicsConfig::slots,
                 {.doc = "slots that operations hold: an address has that of its "
                         "low bits, so that operations on two addresses wait for each other only "
                         "where these are equal. 1: one operation at a time",
                  .min = 1,
                  .max = 65536,
                  .source = "4096, by the low 12 bits: Connect-IB (Kalia et al., ATC 2016, 5.4); "
                            "ConnectX-3: 1 (the same); of later NICs not public",
                  .power_of_two = true})
          .field("hold", &AtomicsConfig::hold,
                 {.doc = "an operation holds its slot so long, from the begin of its read of host "
                         "memory. If what it read comes later, the next one takes the result "
                         "inside the NIC. Absent: until what it read is there",
                  .max = 100_us,
                  .source = "one address: 446 ns of a Connect-IB (2.24 M/s, Kalia et al., ATC "
                            "2016), 370 ns of a ConnectX-3 (2.7 M/s), 490 ns of a ConnectX-6 "
                            "(2.04 M/s, g4197/codebase); none says what of it is PCIe",
                  .verified = false});
  return s;
}

}  // namespace horae::rnic
