// Who sends to whom: pairs by name, a permutation, a tornado, an incast.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/params/schema.hpp"
#include "horae/workload/end_points.hpp"
#include "horae/workload/traffic_kind.hpp"

namespace horae::workload {

/// Parameters of each kind of stream.
struct PatternConfig {
  enum class Pattern : std::uint8_t { pairs, permutation, tornado, incast };
  Pattern pattern = Pattern::pairs;
  std::vector<Located<std::string>> from, to;  ///< of pairs
  std::optional<std::uint32_t> fan_in;         ///< of incast; absent: 8

  std::uint32_t senders_of_incast() const { return fan_in.value_or(8); }
};

/// Adds the parameters. `each` is how their text names an end point: "NIC". (Members of a base
/// class: their pointers are converted.)
template <class T>
Schema<T> with_pattern(Schema<T> s, const std::string& each) {
  using Pattern = PatternConfig::Pattern;
  s.choice("pattern", static_cast<Pattern T::*>(&PatternConfig::pattern),
           {{"pairs", Pattern::pairs},
            {"permutation", Pattern::permutation},
            {"tornado", Pattern::tornado},
            {"incast", Pattern::incast}},
           {.doc = "from[i] to to[i]; every " + each +
                   " to another one at random; of n the i-th to the (i + n/2)-th, modulo n; or "
                   "fan_in of them, the first of the second half, to the first",
            .source = "tornado, incast: connection matrices of htsim"})
      .field("fan_in", static_cast<std::optional<std::uint32_t> T::*>(&PatternConfig::fan_in),
             {.doc = "senders of pattern incast; absent: 8",
              .min = 1,
              .source = "8 and 32: REPS (EuroSys 2026)"})
      .field("from", static_cast<std::vector<Located<std::string>> T::*>(&PatternConfig::from),
             {.doc = "senders of pattern pairs"})
      .field("to", static_cast<std::vector<Located<std::string>> T::*>(&PatternConfig::to),
             {.doc = "receivers of pattern pairs, in the order of the senders"});
  return s;
}

/// InputError at its place in the file where the pattern does not fit the platform's end points.
void check_pattern(const TrafficSection& table, const PatternConfig& config, EndPoint kind);

/// Senders and receivers, by their place among the platform's devices: those of the file, or end
/// points of the kind as the pattern says; a permutation is by the platform's seed.
std::vector<std::pair<unsigned, unsigned>> pairs_of(const config::PlatformConfig& platform,
                                                    const PatternConfig& config, EndPoint kind);

}  // namespace horae::workload
