// Writing values into the JSON of an effective configuration, whose type is seen in sources only.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "horae/core/cxx20.hpp"

namespace horae::detail {

void dump_flag(bool flag, nlohmann::ordered_json& out);
void dump_integer(std::int64_t n, nlohmann::ordered_json& out);
void dump_unsigned(std::uint64_t n, nlohmann::ordered_json& out);
void dump_number(double n, nlohmann::ordered_json& out);
void dump_text(const std::string& text, nlohmann::ordered_json& out);

/// Makes `out` an empty list.
void dump_list(nlohmann::ordered_json& out);
/// A new last element of a list.
nlohmann::ordered_json& dump_element(nlohmann::ordered_json& list);

}  // namespace horae::detail
