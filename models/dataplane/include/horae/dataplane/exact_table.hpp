// An exact-match table.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Up to `entries` keys, each with an action datum. Looked up once per pass; written by the control
/// plane only.
template <class K, class V, class H = std::hash<K>>
class ExactTable final : public Object {
 public:
  /// A key as wide as K and data as wide as V, when both are plain numbers.
  ExactTable(Pipeline& pipeline, Gress gress, const std::string& name, std::size_t entries,
             const Needs& needs = {})
      : ExactTable(pipeline, gress, name,
                   MatchSpec{.key_bits = 8 * sizeof(K),
                             .entries = entries,
                             .data_bits = std::is_arithmetic_v<V> ? 8 * sizeof(V) : 0},
                   needs) {}

  ExactTable(Pipeline& pipeline, Gress gress, const std::string& name, const MatchSpec& spec,
             const Needs& needs = {})
      : Object(pipeline, gress, name, spec, needs),
        capacity_(spec.entries),
        key_bits_(spec.key_bits) {}

  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return map_.size(); }

  /// Control plane: adds or replaces an entry. A full table is a ModelError.
  void insert(const K& key, V value) {
    if constexpr (std::unsigned_integral<K>) {
      if (key_bits_ < 8 * sizeof(K) && key >> key_bits_ != 0)
        throw ModelError(fmt::format("{}: key {} in {} bits", name(), key, key_bits_));
    }
    if (map_.size() == capacity_ && !map_.contains(key)) {
      throw ModelError(name() + ": full");
    }
    map_.insert_or_assign(key, std::move(value));
  }
  /// Control plane: removes an entry if there is one.
  void erase(const K& key) { map_.erase(key); }

  /// The datum of `key`, or null on a miss.
  const V* lookup(const Pass& pass, const K& key) {
    check_single_access(pass);
    const auto it = map_.find(key);
    return it == map_.end() ? nullptr : &it->second;
  }

 private:
  std::size_t capacity_;
  std::uint32_t key_bits_;
  std::unordered_map<K, V, H> map_;
};

}  // namespace horae::dataplane
