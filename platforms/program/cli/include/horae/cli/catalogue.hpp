// The content of `horae list`: everything that platforms, programs and policies offer.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace horae::cli {

/// Sections of the list: platforms, devices, chips, nics, programs, policies, parameters.
const std::vector<std::string>& catalogue_sections();

/// One section (InputError with the nearest name for an unknown one), or all of them for an empty
/// name. Platforms are the *.toml of `platform_dir`. With a `name` only the entries of that name,
/// and of others the parameters whose key it is, else those below it, else those that contain it;
/// InputError with the nearest name where nothing is called so.
nlohmann::ordered_json catalogue(const std::string& section, const std::string& platform_dir,
                                 const std::string& name = "");

/// The same as text for a terminal.
std::string catalogue_text(const nlohmann::ordered_json& catalogue);

}  // namespace horae::cli
