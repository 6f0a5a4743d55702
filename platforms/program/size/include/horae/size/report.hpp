// The answer of `horae size` as JSON and text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "horae/size/search.hpp"
#include "horae/size/size.hpp"
#include "horae/workload/nic_fit.hpp"

namespace horae::size {

/// `horae size --json`. `by_stage`: also what each object has in each stage.
nlohmann::ordered_json size_json(const SizeRequest& request,
                                 const std::vector<SizedDesign>& designs,
                                 const std::vector<Remedy>& remedies,
                                 const std::vector<workload::SizedNic>& nics,
                                 bool by_stage = false);
/// The designs as text.
std::string size_text(const std::vector<SizedDesign>& designs, const std::vector<Remedy>& remedies,
                      bool by_stage);
/// Comparisons of many designs in one table.
std::string comparison_text(const std::vector<SizedDesign>& designs);

}  // namespace horae::size
