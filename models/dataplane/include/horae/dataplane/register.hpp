// A register array with its stateful ALU.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/dataplane/objects/register_alu.hpp"
#include "horae/dataplane/objects/register_observer.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Cells of type T. One read-modify-write of one cell per pass, atomic and in the order in which
/// packets enter the pipeline. An array in several pieces is addressed as one; the piece's own
/// access is the one that runs.
template <class T>
class Register final : public Object, public AluSeat {
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
      : Object(pipeline, gress, name, checked(spec, pipeline.name() + "." + name, initial), needs),
        bits_(spec.cell_bits()),
        entries_(spec.entries),
        initial_(initial) {}

  std::size_t entries() const { return entries_; }
  /// Control plane.
  void write(std::size_t index, T value) {
    if (!fits(value, bits_)) {
      throw ModelError(fmt::format("{}: a value of more than {} bits written", name(), bits_));
    }
    allocate();
    cells_.at(index) = value;
  }
  T read(std::size_t index) {
    allocate();
    return cells_.at(index);
  }

  /// Runs `f(T& cell)` on cell `index` and returns what it returns. An `f(T)` only reads it. Nobody
  /// checks that a stateful ALU can do it: `horae size` says so of the register. RegisterAction is
  /// checked.
  template <class F>
  [[gnu::always_inline]] decltype(auto) apply(const PassKind auto& pass, std::size_t index, F&& f) {
    if (!actions_.empty()) [[unlikely]]
      unchecked_access(pass);
    return run(pass, index, std::forward<F>(f));
  }

  /// The same in two steps: a cell to be read and written at once. Null where only apply() does it:
  /// a first access, one that is watched, an index beyond the cells.
  T* open(const Pass& pass, std::size_t index) {
    if (index >= open_ || !actions_.empty()) [[unlikely]]
      return nullptr;
    check_single_access(pass);
    return &cell(index);
  }

  bool watch(RegisterObserver& watcher) override {
    watcher_ = &watcher;
    open_ = 0;
    return true;
  }
  void set_alu(RegisterAlu& alu) override {
    alu_ = &alu;
    open_ = 0;
  }
  const std::vector<std::string>& action_names() const override { return actions_; }

 private:
  template <class Cell, class F>
  friend class RegisterAction;

  template <class F>
  [[gnu::always_inline]] decltype(auto) run(const PassKind auto& pass, std::size_t index, F&& f) {
    if (index < open_) [[likely]]
      return run_open(pass, index, std::forward<F>(f));
    check_single_access(pass);
    first_access(pass, index);
    if (watcher_ != nullptr) return watched(pass, index, std::forward<F>(f));
    return access(pass, index, std::forward<F>(f));
  }
  /// Access to a cell before `open_`.
  template <class F>
  [[gnu::always_inline]] decltype(auto) run_open(const PassKind auto& pass, std::size_t index,
                                                 F&& f) {
    check_single_access(pass);
    return access(pass, index, std::forward<F>(f));
  }

  [[noreturn, gnu::noinline]] void unchecked_access(const AnyPass& pass) const {
    broken_rule(pass, "a function that is none of its actions");
  }
  /// A cell whose index was checked against `open_`.
  T& cell(std::size_t index) { return cells_.data()[index]; }

  template <class F>
  [[gnu::always_inline]] decltype(auto) access(const PassKind auto& pass, std::size_t index,
                                               F&& f) {
    if constexpr (std::integral<T> && !std::invocable<F, const T&> && !is_trusted<decltype(pass)>) {
      if (bits_ < 8 * sizeof(T)) return narrow(pass, index, std::forward<F>(f));
    }
    return std::forward<F>(f)(cell(index));
  }
  template <class F>
  decltype(auto) watched(const PassKind auto& pass, std::size_t index, F&& f) {
    const T before = cells_[index];
    const auto tell = [&] {
      watcher_->accessed(*this, pass, index, bytes_of(before), bytes_of(cells_[index]));
    };
    if constexpr (std::is_void_v<std::invoke_result_t<F, T&>>) {
      access(pass, index, std::forward<F>(f));
      tell();
    } else {
      auto result = access(pass, index, std::forward<F>(f));
      tell();
      return result;
    }
  }
  static std::span<const std::byte> bytes_of(const T& cell) {
    return std::as_bytes(std::span(&cell, 1));
  }

  /// Whether a value, signed or not, fits so many bits. Structs are as wide as they are.
  static bool fits(const T& value, std::uint32_t bits) {
    if constexpr (std::integral<T>) {
      if (bits >= 8 * sizeof(T)) return true;
      if constexpr (std::signed_integral<T>) {
        const T rest = value >> (bits - 1);
        return rest == 0 || rest == -1;
      } else {
        return value >> bits == 0;
      }
    } else {
      return true;
    }
  }

  /// Before anything is constructed: what is refused leaves no object behind.
  static RegisterSpec checked(RegisterSpec spec, const std::string& name, const T& initial) {
    if (spec.cell_bits() > 8 * sizeof(T)) {
      throw ModelError(fmt::format("{}: cells of {} bits in a type of {}", name, spec.cell_bits(),
                                   8 * sizeof(T)));
    }
    if (!fits(initial, spec.cell_bits())) {
      throw ModelError(
          fmt::format("{}: an initial value of more than {} bits", name, spec.cell_bits()));
    }
    spec.unchecked = true;  // until it has actions
    return spec;
  }

  template <class F>
  decltype(auto) narrow(const PassKind auto& pass, std::size_t index, F&& f) {
    T value = cell(index);
    const auto keep = [&] {
      if (!fits(value, bits_)) [[unlikely]]
        too_wide(pass, value);
      cell(index) = value;
    };
    if constexpr (std::is_void_v<std::invoke_result_t<F, T&>>) {
      std::forward<F>(f)(value);
      keep();
    } else {
      auto result = std::forward<F>(f)(value);
      keep();
      return result;
    }
  }

  [[noreturn, gnu::noinline]] void too_wide(const AnyPass& pass,
                                            T value) const requires std::integral<T> {
    broken_rule(pass, fmt::format("value {} in a cell of {} bits", +value, bits_));
  }
  [[gnu::noinline]] void first_access(const AnyPass& pass, std::size_t index) {
    if (index >= entries_) {
      broken_rule(pass, fmt::format("index {} of {} cells", index, entries_));
    }
    allocate();
    // A watched register keeps to this way, and one with hardware.
    if (watcher_ == nullptr && alu_ == nullptr) open_ = entries_;
  }
  void allocate() {
    if (cells_.empty()) cells_.assign(entries_, initial_);
  }

  std::uint32_t bits_;
  std::vector<std::string> actions_;  ///< names
  std::size_t entries_;
  T initial_;
  RegisterObserver* watcher_ = nullptr;
  RegisterAlu* alu_ = nullptr;
  std::size_t open_ = 0;  ///< cells before this one are accessed without a further look
  std::vector<T> cells_;  ///< none before the first access: a program may be priced and never run
};

}  // namespace horae::dataplane
