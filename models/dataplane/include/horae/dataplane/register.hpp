// A register array with its stateful ALU.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// `entries` cells of type T (at most 128 bits: the widest stateful ALU of Tofino2). One
/// read-modify-write of one cell per pass, atomic and in the order in which packets enter the
/// pipeline.
template <class T>
class Register final : public Object {
  static_assert(sizeof(T) <= 16, "wider than the stateful ALU");

 public:
  Register(Pipeline& pipeline, Gress gress, std::string name, std::size_t entries, T initial = {})
      : Object(pipeline, gress, std::move(name)), cells_(entries, initial) {}

  std::size_t entries() const { return cells_.size(); }

  /// Runs `f(T& cell)` on cell `index` and returns what it returns.
  template <class F>
  decltype(auto) apply(const Pass& pass, std::size_t index, F&& f) {
    check_single_access(pass);
    if (index >= cells_.size()) [[unlikely]] {
      broken_rule(pass, fmt::format("index {} of {} cells", index, cells_.size()));
    }
    return std::forward<F>(f)(cells_[index]);
  }

 private:
  std::vector<T> cells_;
};

}  // namespace horae::dataplane
