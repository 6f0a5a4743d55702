// An exact-match table.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/dataplane/objects/key_index.hpp"
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

  /// A table whose entries the program fixes: there are no others.
  ExactTable(Pipeline& pipeline, Gress gress, const std::string& name, MatchSpec spec,
             const std::vector<std::pair<K, V>>& constants, const Needs& needs = {})
      : ExactTable(pipeline, gress, name, as_constant(spec, constants.size()), needs) {
    for (const auto& [key, value] : constants) insert(key, value);
    constant_ = true;
  }

  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return entries_.size(); }

  /// Control plane: adds or replaces an entry. A full table is a ModelError.
  void insert(const K& key, V value) {
    if (constant_) throw ModelError(name() + ": its entries are fixed");
    if constexpr (std::unsigned_integral<K>) {
      if (key_bits_ < 8 * sizeof(K) && key >> key_bits_ != 0)
        throw ModelError(fmt::format("{}: key {} in {} bits", name(), key, key_bits_));
    }
    if (entries_.size() == capacity_ && !entries_.contains(key)) {
      throw ModelError(name() + ": full");
    }
    entries_.put(key, std::move(value));
  }
  /// Control plane: whether there is an entry.
  bool contains(const K& key) const { return entries_.contains(key); }
  /// Control plane: removes an entry if there is one.
  void erase(const K& key) {
    if (constant_) throw ModelError(name() + ": its entries are fixed");
    entries_.erase(key);
  }

  /// The datum of `key`, or null on a miss.
  const V* lookup(const PassKind auto& pass, const K& key) {
    check_single_access(pass);
    return entries_.find(key);
  }

 private:
  static MatchSpec as_constant(MatchSpec spec, std::size_t entries) {
    spec.constant = true;
    spec.entries = std::max<std::uint64_t>(spec.entries, entries);
    return spec;
  }

  std::size_t capacity_;
  std::uint32_t key_bits_;
  bool constant_ = false;
  KeyIndex<K, V, H> entries_;
};

}  // namespace horae::dataplane
