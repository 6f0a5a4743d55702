// The entries of an exact-match table, found by their keys.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "horae/dataplane/objects/flat_table.hpp"

namespace horae::dataplane {

/// Keys that are small numbers (members of groups, nodes) are indexes of an array; the rest are
/// hashed. A pointer to a value lasts until the next change.
template <class K, class V, class H>
class KeyIndex {
 public:
  const V* find(const K& key) const {
    if constexpr (std::integral<K>) {
      const auto number = static_cast<std::make_unsigned_t<K>>(key);
      if (number < places_) [[likely]] {
        const std::optional<V>& place = small_.data()[number];
        return place ? &*place : nullptr;
      }
    }
    return others_.find(key);
  }
  bool contains(const K& key) const { return find(key) != nullptr; }
  std::size_t size() const { return small_used_ + others_.size(); }

  /// Adds or replaces.
  void put(const K& key, V value) {
    if (std::optional<V>* place = small(key)) {
      small_used_ += *place ? 0 : 1;
      *place = std::move(value);
    } else {
      others_.put(key, std::move(value));
    }
  }
  void erase(const K& key) {
    if (!contains(key)) return;
    if (std::optional<V>* place = small(key)) {
      place->reset();
      --small_used_;
    } else {
      others_.erase(key);
    }
  }

 private:
  /// The array is as long as its largest key asks, so keys that are larger are not worth it.
  static constexpr std::size_t most_small = std::size_t{1} << 13;

  /// The place of a small number, or null.
  std::optional<V>* small(const K& key) {
    if constexpr (std::integral<K>) {
      const auto number = static_cast<std::make_unsigned_t<K>>(key);
      if (number >= most_small) return nullptr;
      if (number >= places_) small_.resize(places_ = std::size_t{number} + 1);
      return &small_[number];
    } else {
      return nullptr;
    }
  }

  std::vector<std::optional<V>> small_;
  std::size_t places_ = 0;  ///< in `small_`, whose size() divides
  std::size_t small_used_ = 0;
  FlatTable<K, V, H> others_;
};

}  // namespace horae::dataplane
