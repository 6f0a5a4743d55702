// State of a policy for each queue pair, field by field: what hardware would store, not what the
// model's objects take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::policy {

/// One field of a queue pair's state.
struct StateField {
  std::string name;
  std::uint64_t bits = 0;
  friend bool operator==(const StateField&, const StateField&) = default;
};

/// Their sum.
inline std::uint64_t total_bits(const std::vector<StateField>& fields) {
  std::uint64_t sum = 0;
  for (const StateField& field : fields) sum += field.bits;
  return sum;
}

/// Whole bytes that hold so many bits.
inline Bytes bytes_for(std::uint64_t bits) {
  return Bytes(static_cast<std::int64_t>((bits + 7) / 8));
}

}  // namespace horae::policy
