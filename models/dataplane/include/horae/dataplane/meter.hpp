// Meters: two rates, three colours.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/units.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

enum class Colour : std::uint8_t { green, yellow, red };

/// Rates and bursts of a meter, of frame bytes (RFC 2698: CIR, CBS, PIR, PBS).
struct MeterRates {
  BitRate committed;
  Bytes committed_burst;
  BitRate peak;
  Bytes peak_burst;
};

/// Two-rate three-colour markers (RFC 2698), colour-aware: a packet that comes yellow or red is no
/// better afterwards. Both buckets are full at first. Run once per pass. A bucket is the time at
/// which it is full again, so each packet costs it at most a picosecond in rounding.
class Meter final : public Object {
 public:
  Meter(Pipeline& pipeline, Gress gress, const std::string& name, const MeterSpec& spec,
        const MeterRates& rates, const Needs& needs = {})
      : Object(pipeline, gress, name, spec, needs), entries_(spec.entries), rates_(rates) {}
  /// Meters whose rates the control plane gives one by one. One without rates leaves the
  /// colour as it was before.
  Meter(Pipeline& pipeline, Gress gress, const std::string& name, const MeterSpec& spec,
        const Needs& needs = {})
      : Object(pipeline, gress, name, spec, needs), entries_(spec.entries) {}

  std::size_t entries() const { return entries_; }
  /// Control plane: rates of one meter, whose buckets are full. ModelError: there is no such meter.
  void set_rates(std::size_t index, const MeterRates& rates) {
    if (index >= entries_)
      throw ModelError(fmt::format("{}: index {} of {} meters", name(), index, entries_));
    own_rates_.resize(entries_);
    own_rates_[index] = rates;
    if (!cells_.empty()) cells_[index] = {};
  }

  /// `less`: bytes of the packet that do not count (TNA 7.9: adjust_byte_count).
  Colour execute(const Pass& pass, std::size_t index, Colour before = Colour::green,
                 Bytes less = {}) {
    check_single_access(pass);
    if (index >= entries_) broken_rule(pass, fmt::format("index {} of {} meters", index, entries_));
    if (cells_.empty()) cells_.resize(entries_);
    const std::optional<MeterRates>& rates =
        index < own_rates_.size() && own_rates_[index] ? own_rates_[index] : rates_;
    if (!rates) return before;
    const Bytes length = std::max(Bytes(pass.header().frame) - less, Bytes{});
    return mark(cells_[index], *rates, length, pass.now(), before);
  }

 private:
  struct Cell {
    Picoseconds committed_full{}, peak_full{};
  };
  /// When the bucket would be full again with these bytes taken, or `never` if it has not as many.
  static Picoseconds take(Picoseconds full, Bytes bytes, BitRate rate, Bytes burst, Picoseconds t) {
    if (rate.count() == 0) return never;
    const Picoseconds after = std::max(full, t) + serialisation_time(bytes, rate);
    return after - t <= serialisation_time(burst, rate) ? after : never;
  }
  static Colour mark(Cell& cell, const MeterRates& rates, Bytes bytes, Picoseconds t,
                     Colour before) {
    const Picoseconds peak = take(cell.peak_full, bytes, rates.peak, rates.peak_burst, t);
    if (before == Colour::red || peak == never) return Colour::red;
    cell.peak_full = peak;
    const Picoseconds committed =
        take(cell.committed_full, bytes, rates.committed, rates.committed_burst, t);
    if (before == Colour::yellow || committed == never) return Colour::yellow;
    cell.committed_full = committed;
    return Colour::green;
  }

  std::size_t entries_;
  std::optional<MeterRates> rates_;                   ///< of all that have none of their own
  std::vector<std::optional<MeterRates>> own_rates_;  ///< none before the first is set
  std::vector<Cell> cells_;                           ///< none before the first is used
};

}  // namespace horae::dataplane
