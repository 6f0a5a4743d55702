// Statistics of a run: histograms, gauges, rates, and the tree of named results a report prints.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/units.hpp"

namespace horae {

namespace detail {

__extension__ typedef __int128 SignedWide;

/// Bins of a histogram of 0 .. 2^63-1: one per value below 64, from there 32 equal ones per power
/// of two, so a bin is never wider than 1/32 of its lower edge.
class LogLinearAxis {
 public:
  using value_type = std::int64_t;

  /// Bin of a value; -1 for a negative one.
  static int index(value_type value) noexcept {
    if (value < exact) return value < 0 ? -1 : static_cast<int>(value);
    const int shift = std::bit_width(static_cast<std::uint64_t>(value)) - mantissa_bits;
    return shift * steps + static_cast<int>(value >> shift);
  }
  static int size() noexcept { return (63 - mantissa_bits) * steps + exact; }

  /// Smallest and largest value of bin `i`, 0 <= i < size().
  static value_type lower(int i) noexcept {
    return i < exact ? i : static_cast<value_type>(i % steps + steps) << shift_of(i);
  }
  static value_type upper(int i) noexcept {
    return lower(i) + ((value_type{1} << shift_of(i)) - 1);
  }

  /// Value that represents bin `i`: its middle.
  static value_type value(int i) noexcept { return lower(i) + (upper(i) - lower(i)) / 2; }

 private:
  static constexpr int mantissa_bits = 6;
  static constexpr int exact = 1 << mantissa_bits;
  static constexpr int steps = exact / 2;

  static int shift_of(int i) noexcept { return i < exact ? 0 : i / steps - 1; }
};

}  // namespace detail

/// Distribution of non-negative integers (latencies in ps, queue depths in bytes). Count, sum,
/// minimum and maximum are exact integers; percentiles are exact below 64 and within 1/64 (1.6 %)
/// of the sample above. Bins up to that of the largest sample are kept: none without samples, 15 KB
/// at most. (A histogram of Boost has all of them from the start, which is most of a NIC's memory.)
class Histogram {
 public:
  /// Counts `value` `weight` times. ModelError when either is negative.
  void add(std::int64_t value, std::int64_t weight = 1) {
    if (value < 0 || weight < 0) refuse(value, weight);
    if (weight == 0) return;
    const auto bin = static_cast<std::size_t>(detail::LogLinearAxis::index(value));
    if (bin >= bins_.size()) [[unlikely]]
      bins_.resize(bin + 1);
    bins_[bin] += weight;
    count_ += weight;
    sum_ += static_cast<detail::Wide>(value) * static_cast<detail::Wide>(weight);
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }
  /// Adds all samples of `other`.
  void merge(const Histogram& other);

  /// Samples, with their weights.
  std::int64_t count() const { return count_; }
  bool empty() const { return count_ == 0; }

  /// Exact sum over exact count. ModelError when empty, as for the next three.
  double mean() const;
  std::int64_t min() const;
  std::int64_t max() const;
  /// Nearest-rank percentile: the smallest sample with at least the share `q` of all samples at or
  /// below it, `q` in 0..1 (ModelError outside). Given as the middle of the sample's bin, kept
  /// within min() and max(); so 0 and 1 give these exactly.
  std::int64_t percentile(double q) const;

  /// All of it as numbers, to be put together again elsewhere.
  std::vector<std::int64_t> parts() const;
  /// Inverse of parts().
  static Histogram of_parts(const std::vector<std::int64_t>& parts);

 private:
  [[noreturn]] static void refuse(std::int64_t value, std::int64_t weight);
  void require_samples() const;

  std::vector<std::int64_t> bins_;  ///< of a detail::LogLinearAxis
  std::int64_t count_ = 0;
  detail::Wide sum_ = 0;
  std::int64_t min_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_ = 0;
};

/// A quantity that holds its value between changes (queue depth, packets in flight), averaged over
/// time. The integral is exact.
class TimeWeighted {
 public:
  explicit TimeWeighted(Picoseconds start = {}, std::int64_t value = 0)
      : start_(start), last_(start), current_(value), max_(value) {}

  /// The value is `value` from `t` on. ModelError when `t` lies before the last change.
  void update(Picoseconds t, std::int64_t value);
  /// Starts a measurement window at `t` (not before the last change) with the current value.
  void reset(Picoseconds t);

  Picoseconds start() const { return start_; }
  std::int64_t current() const { return current_; }
  /// Largest value since the start of the window, also one held for no time.
  std::int64_t max() const { return max_; }
  /// Time-weighted mean over [start(), t]; the current value when that is empty. ModelError when
  /// `t` lies before the last change.
  double mean(Picoseconds t) const;

 private:
  void advance(Picoseconds t);
  detail::SignedWide integral_to(Picoseconds t) const;

  Picoseconds start_;
  Picoseconds last_;
  std::int64_t current_;
  std::int64_t max_;
  detail::SignedWide integral_ = 0;  ///< value x ps over [start_, last_]
};

/// A number of packets.
using Packets = Quantity<struct PacketsTag, std::int64_t>;

/// An amount (`Bytes`, `Packets`) together with the time in which it came: there is no rate without
/// its window.
template <class Amount>
class Rate {
 public:
  /// ModelError when the window is not longer than zero.
  Rate(Amount amount, Picoseconds window) : amount_(amount), window_(window) {
    if (window <= Picoseconds(0)) {
      throw ModelError("rate over a window of " + std::to_string(window.count()) +
                       " ps, expected more than 0");
    }
  }

  Amount amount() const { return amount_; }
  Picoseconds window() const { return window_; }
  /// Amount, in its own unit, per second.
  double per_second() const { return static_cast<double>(amount_.count()) / to_seconds(window_); }
  bool operator==(const Rate&) const = default;

 private:
  Amount amount_;
  Picoseconds window_;
};

/// Sums an amount between marks.
template <class Amount>
class WindowedRate {
 public:
  explicit WindowedRate(Picoseconds start = {}) : start_(start) {}

  void add(Amount amount) { amount_ += amount; }
  /// Sum of the window so far.
  Amount amount() const { return amount_; }
  Picoseconds start() const { return start_; }

  /// Ends the window at `t` and starts the next one there with nothing in it. ModelError when `t`
  /// is not later than the start; the window then goes on.
  Rate<Amount> close(Picoseconds t) {
    const Rate<Amount> rate(amount_, t - start_);
    reset(t);
    return rate;
  }
  /// Drops the window and starts one at `t`, as at the end of a warm-up.
  void reset(Picoseconds t) {
    start_ = t;
    amount_ = Amount{};
  }

 private:
  Picoseconds start_;
  Amount amount_{};
};

/// Kind of a number of a StatTree. Its name says it.
enum class StatKind {
  count,    ///< grows: of a window it is the difference of what was counted at its two ends
  maximum,  ///< of all the time so far: the last part of its name begins with `most_` or `longest`
  state,    ///< as things are now: the last part of its name is `waiting`
};
/// `path`: of groups and name, "a.b".
StatKind stat_kind(std::string_view path);

/// Named results in the order they were given, in nested groups; every number has a unit ("1" for a
/// pure number). Members that add a result return the tree they were called on. Each throws
/// ModelError, naming the full path, for an empty or used name, an empty unit or a number that is
/// not finite.
class StatTree {
 public:
  StatTree() = default;
  StatTree(StatTree&&) = default;
  StatTree& operator=(StatTree&&) = default;

  /// The group of that name, made at the first call; stays at its address while the tree lives.
  /// ModelError when the name is a result's.
  StatTree& group(std::string_view name);

  template <std::integral T>
  requires(!std::same_as<T, bool>) StatTree& value(std::string_view name, T number,
                                                   std::string_view unit) {
    if constexpr (std::unsigned_integral<T>) {
      return add(name, Number(std::uint64_t{number}), unit);
    } else {
      return add(name, Number(std::int64_t{number}), unit);
    }
  }
  StatTree& value(std::string_view name, double number, std::string_view unit) {
    return add(name, Number(number), unit);
  }

  /// Bits per second, with the window beside it. ModelError for a window that is not longer than
  /// zero.
  StatTree& rate(std::string_view name, Bytes amount, Picoseconds window) {
    return rate(name, Rate<Bytes>(amount, window));
  }
  StatTree& rate(std::string_view name, const Rate<Bytes>& rate);
  /// Packets per second, with the window beside it.
  StatTree& rate(std::string_view name, const Rate<Packets>& rate);

  /// A group of count, mean, min, max, p50, p90, p99 and p99.9, all but the count in `unit`; of an
  /// empty histogram the count alone.
  StatTree& histogram(std::string_view name, const Histogram& h, std::string_view unit);

  /// Visits every result in its order: its name behind those of its groups, from the root on
  /// ("a.b"), its number and its unit.
  void for_each(const std::function<void(const std::string& path, double number,
                                         const std::string& unit)>& visit) const;

  /// Groups as objects, results as {"value": ..., "unit": ...}, of rates also "window", itself a
  /// value in ps.
  nlohmann::ordered_json to_json() const;

 private:
  using Number = std::variant<std::int64_t, std::uint64_t, double>;
  struct Leaf {
    Number number;
    std::string unit;
    std::optional<Picoseconds> window;
  };
  struct Entry {
    std::string name;
    std::variant<Leaf, std::unique_ptr<StatTree>> content;
  };

  explicit StatTree(std::string path) : path_(std::move(path)) {}

  StatTree& add(std::string_view name, Number number, std::string_view unit,
                std::optional<Picoseconds> window = std::nullopt);
  Entry* find(std::string_view name);
  std::string path_of(std::string_view name) const;

  std::string path_;  ///< empty for the root
  std::vector<Entry> entries_;
};

}  // namespace horae
