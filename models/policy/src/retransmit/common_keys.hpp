// Parameters that several retransmit policies have in the same words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "horae/params/schema.hpp"
#include "horae/policy/retransmit/retransmit.hpp"

namespace horae::policy {

inline std::vector<std::pair<std::string, Merge>> merges() {
  return {{"every", Merge::every}, {"one_pending", Merge::one_pending}, {"ignore", Merge::ignore}};
}
inline constexpr const char* merge_doc =
    "NACKs that arrive while one is served: serve all in turn, only the last one of each queue "
    "pair, or none";

inline constexpr const char* no_public_value = "hypothesis; no public value";

/// Dependent reads before the payload of a retransmission.
inline RangedFieldInfo<std::uint32_t> serial_reads_info() {
  return {.doc = "dependent 64-byte reads (context, WQE, translation) before the payload is read",
          .max = 8,
          .source =
              "hypothesis; a connection's state is up to three dependent lookups (context, "
              "MPT, MTT)",
          .verified = false};
}

}  // namespace horae::policy
