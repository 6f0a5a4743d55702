// Low-pass filters and weighted random early detection: averages over time.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/core/units.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// How values are averaged (Open Tofino, "Tofino Native Architecture", Lpf). `sample`: the average
/// moves towards each value, by 1 - e^(-t/tau) of the way after a time t. `rate`: values are added
/// up, and the sum decays with tau.
struct LowPassSetting {
  bool rate = false;
  Picoseconds rising{};    ///< tau where the value is above the average; of `rate` not used
  Picoseconds falling{};   ///< tau where it is below
  unsigned out_shift = 0;  ///< the result is the average divided by 2^this, 0 to 31
};

/// An average in 1/65536 of a unit, with the time of its last value.
class MovingAverage {
 public:
  /// Values of up to 32 bits. Gives the average with this one. The first value is the average.
  std::uint64_t with(std::uint64_t value, Picoseconds t, const LowPassSetting& setting) {
    const std::uint64_t x = std::min<std::uint64_t>(value, 0xffffffff) << 16;
    const bool first = !begun_;
    begun_ = true;
    const Picoseconds waited = t - std::exchange(last_, t);
    if (first)
      average_ = x;
    else if (setting.rate)
      average_ = std::min(decayed(average_, waited, setting.falling) + x, most);
    else if (x >= average_)
      average_ = x - decayed(x - average_, waited, setting.rising);
    else
      average_ = x + decayed(average_ - x, waited, setting.falling);
    return average_ >> 16;
  }
  /// Rest of a value after a time: value * e^(-waited/tau). Zero, if tau is zero.
  static std::uint64_t decayed(std::uint64_t value, Picoseconds waited, Picoseconds tau) {
    if (tau.count() <= 0) return 0;
    if (waited.count() <= 0) return value;
    // e^-x = 2^(-x log2 e), log2 e in 1/65536, halvings rounded to 1/256.
    constexpr std::uint64_t log2_e = 94548;
    const auto halvings = static_cast<std::uint64_t>(
        (static_cast<unsigned __int128>(static_cast<std::uint64_t>(waited.count())) * log2_e /
             static_cast<std::uint64_t>(tau.count()) +
         128) >>
        8);
    if (halvings >= std::uint64_t{48} << 8) return 0;
    const std::uint64_t part = static_cast<std::uint64_t>(
        static_cast<unsigned __int128>(value) * powers()[halvings & 255] >> 16);
    return part >> (halvings >> 8);
  }

 private:
  static constexpr std::uint64_t most = std::uint64_t{0xffffffff} << 16 | 0xffff;
  /// 2^(-i/256) in 1/65536.
  static const std::array<std::uint32_t, 256>& powers() {
    static const auto table = [] {
      std::array<std::uint32_t, 256> out{};
      for (unsigned i = 0; i < 256; ++i)
        out[i] = static_cast<std::uint32_t>(std::lround(65536 * std::exp2(-(i / 256.0))));
      return out;
    }();
    return table;
  }

  std::uint64_t average_ = 0;
  Picoseconds last_{};
  bool begun_ = false;
};

/// Averages of values that packets bring, by index. One without a setting gives the value as it
/// comes. Run once per pass.
class LowPass final : public Object {
 public:
  /// `spec` is of kind lpf.
  LowPass(Pipeline& pipeline, Gress gress, const std::string& name, const MeterSpec& spec,
          const Needs& needs = {})
      : Object(pipeline, gress, name, spec, needs), cells_(spec.entries) {}

  std::size_t entries() const { return cells_.size(); }
  /// Control plane: it begins anew. ModelError: no such filter.
  void set(std::size_t index, const LowPassSetting& setting) {
    if (index >= cells_.size())
      throw ModelError(fmt::format("{}: index {} of {} filters", name(), index, cells_.size()));
    cells_[index] = {setting, {}};
  }
  std::uint64_t execute(const Pass& pass, std::size_t index, std::uint64_t value) {
    check_single_access(pass);
    if (index >= cells_.size())
      broken_rule(pass, fmt::format("index {} of {} filters", index, cells_.size()));
    Cell& cell = cells_[index];
    if (!cell.setting) return value;
    return cell.average.with(value, pass.now(), *cell.setting) >> cell.setting->out_shift;
  }

 private:
  struct Cell {
    std::optional<LowPassSetting> setting;
    MovingAverage average;
  };
  std::vector<Cell> cells_;
};

/// From `least` of the average on packets are dropped at random, from `most` on all; between them
/// the probability rises to `most_percent` (Floyd and Jacobson, "Random Early Detection Gateways
/// for Congestion Avoidance", 1993; Open Tofino, Wred).
struct EarlyDropSetting {
  LowPassSetting average;
  std::uint64_t least = 0, most = 0;
  unsigned most_percent = 100;  ///< 0 to 100
};

/// Weighted random early detection, by index. One without a setting drops nothing. Run once per
/// pass.
class EarlyDrop final : public Object {
 public:
  /// `spec` is of kind wred.
  EarlyDrop(Pipeline& pipeline, Gress gress, const std::string& name, const MeterSpec& spec,
            const Needs& needs = {})
      : Object(pipeline, gress, name, spec, needs),
        random_(pipeline.seed(), pipeline.name() + "." + name),
        cells_(spec.entries) {}

  std::size_t entries() const { return cells_.size(); }
  /// Control plane. ModelError: no such one, or a setting out of its range.
  void set(std::size_t index, const EarlyDropSetting& setting) {
    if (index >= cells_.size())
      throw ModelError(fmt::format("{}: index {} of {}", name(), index, cells_.size()));
    if (setting.most < setting.least || setting.most_percent > 100)
      throw ModelError(fmt::format("{}: from {} to {} at {} %", name(), setting.least, setting.most,
                                   setting.most_percent));
    cells_[index] = {setting, {}};
  }
  /// Whether the packet is to be dropped.
  bool execute(const Pass& pass, std::size_t index, std::uint64_t value) {
    check_single_access(pass);
    if (index >= cells_.size())
      broken_rule(pass, fmt::format("index {} of {}", index, cells_.size()));
    Cell& cell = cells_[index];
    if (!cell.setting) return false;
    const EarlyDropSetting& s = *cell.setting;
    const std::uint64_t average = cell.average.with(value, pass.now(), s.average);
    if (average < s.least) return false;
    if (average >= s.most) return true;
    // In 2^-32 of a packet.
    const auto chance = static_cast<std::uint64_t>(
        static_cast<unsigned __int128>((average - s.least) * s.most_percent) * (1ull << 32) / 100 /
        (s.most - s.least));
    return random_.bits() < chance;
  }

 private:
  struct Cell {
    std::optional<EarlyDropSetting> setting;
    MovingAverage average;
  };
  RandomStream random_;
  std::vector<Cell> cells_;
};

}  // namespace horae::dataplane
