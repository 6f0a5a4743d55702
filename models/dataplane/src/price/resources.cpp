#include "horae/dataplane/price/resources.hpp"

namespace horae::dataplane {
namespace {

struct Names {
  std::string_view name, title;
};
constexpr std::array<Names, resource_count> names = {{
    {"sram", "SRAM blocks"},
    {"map_ram", "Map RAM blocks"},
    {"tcam", "TCAM blocks"},
    {"stateful_alu", "stateful ALUs"},
    {"statistics_alu", "statistics ALUs"},
    {"gateway", "gateways"},
    {"vliw", "VLIW words"},
    {"logical_table", "logical tables"},
    {"hash_bits", "hash bits"},
    {"hash_dist", "hash distribution units"},
    {"exact_xbar", "exact crossbar bytes"},
    {"ternary_xbar", "ternary crossbar bytes"},
    {"action_data_bus", "action data bus bytes"},
}};

}  // namespace

std::string_view resource_name(Resource r) { return names[static_cast<std::size_t>(r)].name; }
std::string_view resource_title(Resource r) { return names[static_cast<std::size_t>(r)].title; }

std::optional<Resource> find_resource(std::string_view name) {
  for (const Resource r : all_resources) {
    if (resource_name(r) == name) return r;
  }
  return std::nullopt;
}

}  // namespace horae::dataplane
