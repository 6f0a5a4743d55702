// The parameters of DCQCN and the published sets of their values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::policy {

/// The two published forms of the algorithm. With the byte counter off, the only stage counter
/// stands for the larger and for the smaller of the two.
enum class DcqcnForm {
  /// Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015: every CNP
  /// cuts, raises alpha and restarts the timers. The stage counters T and B count first: fast
  /// recovery while max(T, B) < threshold, hyper increase by i * hyper_increase with
  /// i = min(T, B) - threshold above zero, additive increase otherwise.
  per_cnp,
  /// Mellanox: alpha is updated every alpha_timer, by whether there was a CNP in it; the rate is
  /// cut at most once every cut_period, counted from the first CNP. Counting comes after the
  /// increase: hyper increase is plain hyper_increase.
  monitored,
};

/// The parameters, each as a `Slot`. Rates and times have their units; vendor names are those of
/// mlxconfig.
template <template <class> class Slot>
struct DcqcnFields {
  Slot<DcqcnForm> form{};
  Slot<std::uint32_t> gain{};           ///< g in 1024ths (1024 - DCE_TCP_G)
  Slot<std::uint32_t> initial_alpha{};  ///< in 1024ths (INITIAL_ALPHA_VALUE)
  Slot<Picoseconds> alpha_timer{};      ///< DCE_TCP_RTT
  Slot<Picoseconds> cut_period{};       ///< monitored form (RATE_REDUCE_MONITOR_PERIOD)
  Slot<std::uint32_t> cut_log2{};       ///< log2 of Gd: a cut takes 1024 alpha / Gd (RPG_GD)
  Slot<std::uint32_t> least_kept{};  ///< percent of the rate that any cut leaves (RPG_MIN_DEC_FAC)
  Slot<bool> clamp_target{};         ///< every cut sets the target rate (CLAMP_TGT_RATE)
  Slot<bool> clamp_after_time{};     ///< ... if the timer raised the rate (.._AFTER_TIME_INC)
  Slot<BitRate> first_cnp_rate{};    ///< zero: as it is (RATE_TO_SET_ON_FIRST_CNP)
  Slot<Picoseconds> rate_timer{};    ///< RPG_TIME_RESET
  Slot<std::uint32_t> byte_counter{};  ///< in units; zero: off (RPG_BYTE_RESET)
  Slot<Bytes> byte_counter_unit{};
  Slot<std::uint32_t> threshold{};    ///< F (RPG_THRESHOLD)
  Slot<BitRate> additive_increase{};  ///< RPG_AI_RATE
  Slot<BitRate> hyper_increase{};     ///< RPG_HAI_RATE
  Slot<BitRate> min_rate{};           ///< RPG_MIN_RATE
  Slot<bool> release_at_line{};       ///< the limiter goes when the rate is back at the line's
  Slot<Picoseconds> cnp_interval{};   ///< MIN_TIME_BETWEEN_CNPS

  friend bool operator==(const DcqcnFields&, const DcqcnFields&) = default;
};

namespace detail {
template <class T>
using Plain = T;
template <class T>
using Maybe = std::optional<T>;
}  // namespace detail

using DcqcnParameters = DcqcnFields<detail::Plain>;

/// Values that replace those of a set.
using DcqcnOverrides = DcqcnFields<detail::Maybe>;
/// Where every value of every set comes from, too.
const Schema<DcqcnOverrides>& dcqcn_schema();

/// The parameters of the algorithm `dcqcn`.
struct DcqcnConfig {
  std::string set = "vendor";  ///< see `dcqcn_parameter_sets`
  DcqcnOverrides overrides;    ///< what differs from the set

  static const Schema<DcqcnConfig>& schema();
};

/// A published set. Some of its values are in proportion to the line rate.
struct DcqcnSet {
  std::string_view name;
  std::string_view doc;
  DcqcnParameters (*values)(BitRate line);
};

/// "paper", "vendor", "hpcc" and "longhaul".
const std::vector<DcqcnSet>& dcqcn_parameter_sets();
/// The set's values for a line rate with the overrides in their places; an unknown set is an
/// InputError with the nearest one.
DcqcnParameters dcqcn_parameters(std::string_view set, const DcqcnOverrides& overrides,
                                 BitRate line);
inline DcqcnParameters dcqcn_parameters(const DcqcnConfig& config, BitRate line) {
  return dcqcn_parameters(config.set, config.overrides, line);
}

}  // namespace horae::policy
