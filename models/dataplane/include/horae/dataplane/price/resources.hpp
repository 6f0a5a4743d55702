// Resources of a match-action stage, and amounts of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "horae/core/cxx20.hpp"

namespace horae::dataplane {

/// Resources of a stage, in the order in which reports list them. Names and units are those of the
/// vendor compiler's resource report.
enum class Resource : std::uint8_t {
  sram,             ///< 1024 x 128 bit blocks
  map_ram,          ///< map RAM blocks, one beside each SRAM that a stateful object uses
  tcam,             ///< 512 x 44 bit blocks
  stateful_alu,     ///< stateful ("meter") ALUs
  statistics_alu,   ///< counter ALUs
  gateway,          ///< conditions
  vliw,             ///< instruction words, two colours each
  logical_table,    ///< match tables, keyless tables and gateways that stand alone
  hash_bits,        ///< bits of the hash matrix
  hash_dist,        ///< 16-bit hash distribution units
  exact_xbar,       ///< bytes of the exact-match crossbar
  ternary_xbar,     ///< bytes of the ternary crossbar
  action_data_bus,  ///< bytes of the action data bus
};
inline constexpr std::size_t resource_count = 13;

inline constexpr std::array<Resource, resource_count> all_resources = {
    Resource::sram,           Resource::map_ram,   Resource::tcam,       Resource::stateful_alu,
    Resource::statistics_alu, Resource::gateway,   Resource::vliw,       Resource::logical_table,
    Resource::hash_bits,      Resource::hash_dist, Resource::exact_xbar, Resource::ternary_xbar,
    Resource::action_data_bus};

/// The name in files and JSON: "map_ram".
std::string_view resource_name(Resource r);
/// The name in text: "Map RAM blocks".
std::string_view resource_title(Resource r);
std::optional<Resource> find_resource(std::string_view name);

/// An amount of each resource.
class Amounts {
 public:
  std::int64_t& operator[](Resource r) { return n_[static_cast<std::size_t>(r)]; }
  std::int64_t operator[](Resource r) const { return n_[static_cast<std::size_t>(r)]; }
  Amounts& operator+=(const Amounts& other) {
    for (std::size_t i = 0; i < n_.size(); ++i) n_[i] += other.n_[i];
    return *this;
  }
  bool operator==(const Amounts&) const = default;

 private:
  std::array<std::int64_t, resource_count> n_{};
};

}  // namespace horae::dataplane
