// State by connection.
#pragma once

#include <bit>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/psn.hpp"
#include "horae/policy/ordering/ordering.hpp"

namespace horae::policy {

/// One row for each connection number up to the highest seen; rows start as T{}. Connections are
/// numbered as queue pairs are, in 24 bits.
template <class T>
class ConnectionTable {
 public:
  T& at(ConnectionId id) {
    if (id >= rows_.size()) [[unlikely]]
      grow(id);
    return rows_[id];
  }
  /// Null when no connection of so high a number was seen.
  T* find(ConnectionId id) { return id < rows_.size() ? &rows_[id] : nullptr; }
  const T* find(ConnectionId id) const { return id < rows_.size() ? &rows_[id] : nullptr; }

 private:
  void grow(ConnectionId id) {
    if (id > Psn::mask) {
      throw ModelError("connection " + std::to_string(id) + " is above 2^24 - 1");
    }
    rows_.resize(std::bit_ceil(id + 1));
  }

  std::vector<T> rows_;
};

}  // namespace horae::policy
