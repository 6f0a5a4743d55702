// An exact-match table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Up to `entries` keys, each with an action datum. Looked up once per pass; written by the control
/// plane only.
template <class K, class V>
class ExactTable final : public Object {
 public:
  ExactTable(Pipeline& pipeline, Gress gress, std::string name, std::size_t entries)
      : Object(pipeline, gress, std::move(name)), capacity_(entries) {
    map_.reserve(entries);
  }

  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return map_.size(); }

  /// Control plane: adds or replaces an entry. A full table is a ModelError.
  void insert(const K& key, V value) {
    if (map_.size() == capacity_ && !map_.contains(key)) {
      throw ModelError(name() + ": full");
    }
    map_.insert_or_assign(key, std::move(value));
  }

  /// The datum of `key`, or null on a miss.
  const V* lookup(const Pass& pass, const K& key) {
    check_single_access(pass);
    const auto it = map_.find(key);
    return it == map_.end() ? nullptr : &it->second;
  }

 private:
  std::size_t capacity_;
  std::unordered_map<K, V> map_;
};

}  // namespace horae::dataplane
