// Results of a run as lines for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace horae::cli {

/// A line per result of a summary's `results`: name, value, unit. Unless `all`, a result is left
/// out that is zero, that was not measured (no number), or that another line has already: a rate in
/// the layer of `sim.rate_layer` is the rate without a layer in its name, and completion times of
/// all connections are those of the flows where there is nothing but flows. The last line says how
/// many are left out. With `all` a value that was not measured is "-", or "none" with the reason
/// where the summary has one.
std::string result_lines(const nlohmann::ordered_json& results, bool all);

}  // namespace horae::cli
