// Refusals of a table's keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "horae/params/section.hpp"
#include "horae/params/value.hpp"

namespace horae::detail {

[[noreturn]] void refuse_missing(const Section& section, std::string_view key,
                                 std::string_view doc);
[[noreturn]] void refuse_unknown(const Section& section, const Entry& entry,
                                 const std::vector<std::string>& valid);

}  // namespace horae::detail
