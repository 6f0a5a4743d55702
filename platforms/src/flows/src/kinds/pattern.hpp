// Who sends to whom in streams: pairs by name, or a permutation.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horae/flows/end_points.hpp"
#include "horae/flows/traffic_kind.hpp"
#include "horae/params/schema.hpp"

namespace horae::flows {

/// Parameters of each kind of stream.
struct PatternConfig {
  enum class Pattern : std::uint8_t { pairs, permutation };
  Pattern pattern = Pattern::pairs;
  std::vector<Located<std::string>> from, to;  ///< of pairs
};

/// Adds the parameters. `each` is how their text names an end point: "NIC". (Members of a base
/// class: their pointers are converted.)
template <class T>
Schema<T> with_pattern(Schema<T> s, const std::string& each) {
  using Pattern = PatternConfig::Pattern;
  s.choice("pattern", static_cast<Pattern T::*>(&PatternConfig::pattern),
           {{"pairs", Pattern::pairs}, {"permutation", Pattern::permutation}},
           {.doc = "from[i] to to[i], or every " + each + " to another one at random"})
      .field("from", static_cast<std::vector<Located<std::string>> T::*>(&PatternConfig::from),
             {.doc = "senders of pattern pairs"})
      .field("to", static_cast<std::vector<Located<std::string>> T::*>(&PatternConfig::to),
             {.doc = "their receivers"});
  return s;
}

/// InputError at its place in the file where the pattern does not fit the platform's end points.
void check_pattern(const TrafficSection& table, const PatternConfig& config, EndPoint kind);

/// Senders and receivers, by their place among the platform's devices: those of the file, or each
/// end point of the kind to another one, by the platform's seed.
std::vector<std::pair<unsigned, unsigned>> pairs_of(const config::PlatformConfig& platform,
                                                    const PatternConfig& config, EndPoint kind);

}  // namespace horae::flows
