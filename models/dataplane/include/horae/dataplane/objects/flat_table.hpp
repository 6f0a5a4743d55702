// A hash table in one array.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::dataplane {

/// Keys and values side by side, the next place taken where that of the key's hash is (linear
/// probing), at most half full: a look-up is a multiplication and mostly one comparison, where
/// std::unordered_map divides and follows pointers. A pointer to a value lasts until the next
/// change. (Boost has such a table from 1.81 on; Debian's default is older.)
template <class K, class V, class H>
class FlatTable {
 public:
  const V* find(const K& key) const {
    if (used_ == 0) return nullptr;
    const Place* places = places_.data();
    const Place* place = places + home(key);
    for (;;) {
      if (!place->taken) return nullptr;
      if (place->key == key) return &place->value;
      place = places + ((static_cast<std::size_t>(place - places) + 1) & mask());
    }
  }
  std::size_t size() const { return used_; }

  /// Adds or replaces.
  void put(const K& key, V value) {
    if (2 * (used_ + 1) > places_.size()) grow();
    Place& p = places_[place_of(key)];
    if (!p.taken) ++used_;
    p = {key, std::move(value), true};
  }
  /// Removes the entry if there is one.
  void erase(const K& key) {
    if (used_ == 0) return;
    std::size_t hole = place_of(key);
    if (!places_[hole].taken) return;
    --used_;
    // Entries that were put further on because of it move up.
    for (std::size_t i = (hole + 1) & mask(); places_[i].taken; i = (i + 1) & mask()) {
      const std::size_t from_home = (i - home(places_[i].key)) & mask();
      if (from_home < ((i - hole) & mask())) continue;
      places_[hole] = std::move(places_[i]);
      hole = i;
    }
    places_[hole] = {};
  }

 private:
  struct Place {
    K key{};
    V value{};
    bool taken = false;
  };
  std::size_t mask() const { return places_.size() - 1; }
  /// The upper bits of the hash, spread: hashes of numbers are often the numbers.
  std::size_t home(const K& key) const {
    return static_cast<std::size_t>(std::uint64_t{H{}(key)} * 0x9e3779b97f4a7c15ULL >> shift_);
  }
  /// Where the key is, or would be.
  std::size_t place_of(const K& key) const {
    std::size_t i = home(key);
    while (places_[i].taken && !(places_[i].key == key)) i = (i + 1) & mask();
    return i;
  }
  void grow() {
    std::vector<Place> before(places_.empty() ? 16 : 2 * places_.size());
    before.swap(places_);
    shift_ = 64u - static_cast<unsigned>(std::bit_width(mask()));
    for (Place& p : before) {
      if (p.taken) places_[place_of(p.key)] = std::move(p);
    }
  }

  std::vector<Place> places_;
  std::size_t used_ = 0;
  unsigned shift_ = 63;
};

}  // namespace horae::dataplane
