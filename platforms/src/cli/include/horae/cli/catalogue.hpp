// What there is: the content of `horae list`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace horae::cli {

/// Sections of the list: platforms, devices, chips, nics, programs, policies, parameters.
const std::vector<std::string>& catalogue_sections();

/// One section (InputError with the nearest name for an unknown one), or all of them for an empty
/// name. Platforms are the *.toml of `platform_dir`.
nlohmann::ordered_json catalogue(const std::string& section, const std::string& platform_dir);

/// The same as text for a terminal.
std::string catalogue_text(const nlohmann::ordered_json& catalogue);

}  // namespace horae::cli
