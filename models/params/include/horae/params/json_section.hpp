// A table that is no file: what a program in another language hands over.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "horae/params/section.hpp"

namespace horae {

/// A JSON object as a table of a document called `name`. In messages a place is its path,
/// "design.register[0].width". InputError for null, for integers beyond 64 bits, and for what is
/// nested as no TOML file may be.
Section section_of(const nlohmann::ordered_json& table, const std::string& name);

}  // namespace horae
