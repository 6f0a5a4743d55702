// A register array with its stateful ALU.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Cells of type T. One read-modify-write of one cell per pass, atomic and in the order in which
/// packets enter the pipeline. An array in several pieces is addressed as one; the piece's own
/// access is the one that runs.
template <class T>
class Register final : public Object {
  static_assert(sizeof(T) <= 16, "wider than the stateful ALU");
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// A cell as wide as T, all set to `initial`.
  Register(Pipeline& pipeline, Gress gress, const std::string& name, std::size_t entries,
           T initial = {}, const Needs& needs = {})
      : Register(pipeline, gress, name, RegisterSpec{.width = 8 * sizeof(T), .entries = entries},
                 needs, initial) {}

  /// Cells of `spec.width` bits, which may be fewer than T has: a value that does not fit is
  /// refused. A pair's T is two words of that width.
  Register(Pipeline& pipeline, Gress gress, const std::string& name, const RegisterSpec& spec,
           const Needs& needs = {}, T initial = {})
      : Object(pipeline, gress, name, spec, needs),
        width_(spec.width),
        entries_(spec.entries),
        initial_(initial) {
    if (spec.cell_bits() > 8 * sizeof(T)) {
      throw_wrong_shape(Object::name(), spec.cell_bits(), 8 * sizeof(T));
    }
  }

  std::size_t entries() const { return entries_; }
  /// Control plane.
  void write(std::size_t index, T value) {
    if (cells_.empty()) cells_.assign(entries_, initial_);
    cells_.at(index) = value;
  }
  T read(std::size_t index) {
    if (cells_.empty()) cells_.assign(entries_, initial_);
    return cells_.at(index);
  }

  /// Runs `f(T& cell)` on cell `index` and returns what it returns.
  template <class F>
  decltype(auto) apply(const Pass& pass, std::size_t index, F&& f) {
    check_single_access(pass);
    if (index >= cells_.size()) [[unlikely]]
      first_access(pass, index);
    if constexpr (std::unsigned_integral<T>) {
      if (width_ < 8 * sizeof(T)) return narrow(pass, index, std::forward<F>(f));
    }
    return std::forward<F>(f)(cells_[index]);
  }

 private:
  [[noreturn]] static void throw_wrong_shape(const std::string& name, std::size_t cell,
                                             std::size_t type) {
    throw ModelError(fmt::format("{}: cells of {} bits in a type of {}", name, cell, type));
  }

  template <class F>
  decltype(auto) narrow(const Pass& pass, std::size_t index, F&& f) {
    T cell = cells_[index];
    const auto keep = [&] {
      if (cell >> width_ != 0) {
        broken_rule(pass,
                    fmt::format("value {} in a cell of {} bits", std::uint64_t{cell}, width_));
      }
      cells_[index] = cell;
    };
    if constexpr (std::is_void_v<std::invoke_result_t<F, T&>>) {
      std::forward<F>(f)(cell);
      keep();
    } else {
      auto result = std::forward<F>(f)(cell);
      keep();
      return result;
    }
  }

  void first_access(const Pass& pass, std::size_t index) {
    if (index >= entries_) {
      broken_rule(pass, fmt::format("index {} of {} cells", index, entries_));
    }
    cells_.assign(entries_, initial_);
  }

  std::uint32_t width_;
  std::size_t entries_;
  T initial_;
  std::vector<T> cells_;  ///< none before the first access: a program may be priced and never run
};

}  // namespace horae::dataplane
