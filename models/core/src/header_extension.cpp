#include "horae/core/header_extension.hpp"

namespace horae {

std::optional<std::string> header_conflict(const HeaderExtension& a, const HeaderExtension& b) {
  if (a.feature == b.feature) return std::nullopt;
  if (!(a.data && b.data) && !(a.acknowledgements && b.acknowledgements)) return std::nullopt;
  std::string fields;
  const auto add = [&fields](bool overlap, std::string_view field) {
    if (!overlap) return;
    if (!fields.empty()) fields += " and ";
    fields += field;
  };
  add((a.bth_reserved & b.bth_reserved) != 0, "reserved bits of the BTH");
  add((a.behind_bth & b.behind_bth) != 0, "the four bytes behind the BTH");
  add((a.metadata & b.metadata) != 0, "the metadata that goes along with a packet");
  if (fields.empty()) return std::nullopt;
  return fields;
}

}  // namespace horae
