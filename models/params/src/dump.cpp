#include "horae/params/dump.hpp"

#include <nlohmann/json.hpp>

namespace horae::detail {

void dump_flag(bool flag, nlohmann::ordered_json& out) { out = flag; }
void dump_integer(std::int64_t n, nlohmann::ordered_json& out) { out = n; }
void dump_unsigned(std::uint64_t n, nlohmann::ordered_json& out) { out = n; }
void dump_number(double n, nlohmann::ordered_json& out) { out = n; }
void dump_text(const std::string& text, nlohmann::ordered_json& out) { out = text; }

void dump_list(nlohmann::ordered_json& out) { out = nlohmann::ordered_json::array(); }
nlohmann::ordered_json& dump_element(nlohmann::ordered_json& list) {
  return list.emplace_back(nullptr);
}

}  // namespace horae::detail
