#include "horae/programs/shared/path_map.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>

#include "horae/core/error.hpp"

namespace horae::programs {
namespace {

/// A choice bit as a linear function of the port's bits, over GF(2).
struct Row {
  std::uint16_t port_bits = 0;
  std::uint32_t combines = 0;  ///< which of the original rows were added to make it
};

/// Reduced rows: each has a port bit of its own, its lowest, that no other row has.
class Elimination {
 public:
  /// Whether the row is independent of those before it.
  bool add(Row row) {
    for (const Row& r : rows_) {
      if ((row.port_bits & lowest(r)) != 0) row = sum(row, r);
    }
    if (row.port_bits == 0) return false;
    for (Row& r : rows_) {
      if ((r.port_bits & lowest(row)) != 0) r = sum(r, row);
    }
    rows_.push_back(row);
    return true;
  }
  /// The port bits to flip so that of the original rows those of `wanted` change, and no others.
  std::uint16_t solve(std::uint32_t wanted) const {
    std::uint16_t change = 0;
    for (const Row& r : rows_) {
      if ((std::popcount(r.combines & wanted) & 1) != 0) change ^= lowest(r);
    }
    return change;
  }

 private:
  static std::uint16_t lowest(const Row& r) {
    return static_cast<std::uint16_t>(r.port_bits & -r.port_bits);
  }
  static Row sum(const Row& a, const Row& b) {
    return {static_cast<std::uint16_t>(a.port_bits ^ b.port_bits), a.combines ^ b.combines};
  }

  std::vector<Row> rows_;
};

}  // namespace

PathTier PathTier::of(std::string name, const LinearHash& hash, std::uint32_t choices) {
  PathTier tier{std::move(name), {}};
  tier.flipped_by.resize(static_cast<std::size_t>(std::bit_width(choices)) - 1);
  for (unsigned port_bit = 0; port_bit < 16; ++port_bit) {
    const auto flip = static_cast<std::uint16_t>(1u << port_bit);
    const unsigned changed = LinearHash::choice(hash.change(flip), choices);
    for (std::size_t b = 0; b < tier.flipped_by.size(); ++b) {
      if ((changed >> b & 1) != 0) tier.flipped_by[b] |= flip;
    }
  }
  return tier;
}

std::uint64_t paths_through(std::span<const PathTier> tiers) {
  std::uint64_t paths = 1;
  for (const auto& t : tiers) paths *= t.choices();
  return paths;
}

std::vector<std::uint16_t> path_map(std::span<const PathTier> tiers, std::uint32_t paths) {
  const std::uint64_t there = paths_through(tiers);
  if (paths < there) {
    throw InputError(
        fmt::format("paths = {} is too small for the {} paths of the network, which "
                    "all are to be used",
                    paths, there));
  }
  Elimination rows;
  std::uint32_t index_bits = 0;
  for (const auto& tier : tiers) {
    for (std::size_t b = 0; b < tier.flipped_by.size(); ++b, ++index_bits) {
      const auto free = static_cast<std::uint16_t>(tier.flipped_by[b] & changeable_port_bits);
      if (rows.add({free, 1u << index_bits})) continue;
      // All lower bits can be set at will, and they decide this one.
      throw InputError(fmt::format(
          "no change of the UDP source port leads to path {} of {}, which differs from the first "
          "only in bit {} of the choice of '{}': the hashes decide it together with bits before "
          "it (see hash.offset)",
          1u << index_bits, there, b, tier.name));
    }
  }
  std::vector<std::uint16_t> map(paths);
  const std::uint32_t effective = (1u << index_bits) - 1;
  for (std::uint32_t i = 0; i < paths; ++i) map[i] = rows.solve(i & effective);
  return map;
}

}  // namespace horae::programs
