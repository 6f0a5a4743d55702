// The part of the catalogue that has a name: `horae list SECTION NAME`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace horae::cli {

/// Searches `catalogue`: in sections of entries, the entries called `name`; where there are none
/// the parameters whose key is `name` or below it, else those with `name` in their key, each under
/// its entry, else quantities with `name` in theirs. A key may stand behind the name of its entry
/// ("sim.seed") or, of an rnic, behind that of the profile in shipped platforms
/// ("nic.mtu"). InputError with the nearest name where nothing is called so.
nlohmann::ordered_json named(const nlohmann::ordered_json& catalogue, const std::string& name);

}  // namespace horae::cli
