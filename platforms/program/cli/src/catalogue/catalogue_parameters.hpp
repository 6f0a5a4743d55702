// The parameters of the lists of `horae list`.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "horae/params/schema.hpp"

namespace horae::cli {

/// Each with its key, type, default, range, doc and source, as far as it has them.
nlohmann::ordered_json parameters_of(const std::vector<ParamInfo>& infos);

/// Every table of platform files, of what `horae explain` reads and of objects files.
nlohmann::ordered_json list_parameters();

/// The NICs that come with the program, with the values of their files.
nlohmann::ordered_json list_nics();

}  // namespace horae::cli
