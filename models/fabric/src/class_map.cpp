#include "horae/fabric/class_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>

namespace horae::fabric {
namespace {

template <class Entry>
std::optional<std::uint8_t> entry_of(const std::optional<std::vector<Entry>>& map,
                                     std::vector<std::uint32_t> Entry::*codes, std::uint8_t code) {
  if (!map) return std::nullopt;
  for (const Entry& e : *map) {
    const auto& of = e.*codes;
    if (std::find(of.begin(), of.end(), code) != of.end())
      return static_cast<std::uint8_t>(e.traffic_class);
  }
  return std::nullopt;
}

template <class Entry>
void check_map(const std::optional<std::vector<Entry>>& map,
               std::vector<std::uint32_t> Entry::*codes, const Section& section, const char* table,
               const char* key) {
  if (!map) return;
  const auto tables = section.children(table);
  std::set<std::uint32_t> seen;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (((*map)[i].*codes).empty())
      throw tables[i].error(key, fmt::format("{} is empty; expected the codes of the class", key));
    for (const std::uint32_t code : (*map)[i].*codes) {
      if (!seen.insert(code).second)
        throw tables[i].error(key, fmt::format("{} {} has a class already", key, code));
    }
  }
}

}  // namespace

const Schema<ClassOfDscp>& ClassOfDscp::schema() {
  static const Schema<ClassOfDscp> s =
      Schema<ClassOfDscp>("dscp_to_class", "Class of packets with some DSCPs, at this switch.")
          .required("dscp", &ClassOfDscp::dscp,
                    {.doc = "codes of the class; packets of NICs carry those of [classes]",
                     .max = 63,
                     .source = "DSCP_TO_TC_MAP of SONiC's configuration database; RFC 2474"})
          .required("class", &ClassOfDscp::traffic_class,
                    {.doc = "traffic class of such packets while they are in the switch; they "
                            "leave with the code that they came with",
                     .max = 7});
  return s;
}

const Schema<ClassOfPcp>& ClassOfPcp::schema() {
  static const Schema<ClassOfPcp> s =
      Schema<ClassOfPcp>("pcp_to_class",
                         "Class of frames with some PCPs in their VLAN tag, at this switch.")
          .required("pcp", &ClassOfPcp::pcp,
                    {.doc = "codes of the class. Frames of a replayed capture may have tags, those "
                            "of NICs have none",
                     .max = 7,
                     .source = "DOT1P_TO_TC_MAP of SONiC's configuration database; IEEE 802.1Q "
                               "6.9.3"})
          .required("class", &ClassOfPcp::traffic_class,
                    {.doc = "traffic class of such frames", .max = 7});
  return s;
}

const Schema<ClassMaps>& ClassMaps::schema() {
  static const Schema<ClassMaps> s =
      Schema<ClassMaps>("maps", "Classes by codes in headers.")
          .tables("dscp_to_class", &ClassMaps::dscp_to_class, ClassOfDscp::schema())
          .tables("pcp_to_class", &ClassMaps::pcp_to_class, ClassOfPcp::schema())
          .choice("trust", &ClassMaps::trust, {{"dscp", Trust::dscp}, {"pcp", Trust::pcp}},
                  {.doc = "what classes a frame that has both an IP header and a VLAN tag; one "
                          "without an IP header has the class of its PCP. Absent: dscp",
                   .source = "trust modes L3 and L2 of switches; SONiC maps DSCP of IP packets"});
  return s;
}

std::uint8_t ClassMaps::of_dscp(std::uint8_t code) const {
  return entry_of(dscp_to_class, &ClassOfDscp::dscp, code).value_or(codes.class_of_dscp(code));
}
std::uint8_t ClassMaps::of_pcp(std::uint8_t code) const {
  return entry_of(pcp_to_class, &ClassOfPcp::pcp, code).value_or(codes.class_of_pcp(code));
}
std::array<std::uint8_t, 8> ClassMaps::of_classes() const {
  std::array<std::uint8_t, 8> out{};
  for (unsigned c = 0; c < out.size(); ++c) {
    // Classes of one code stay apart where the switch says nothing of it.
    out[c] = entry_of(dscp_to_class, &ClassOfDscp::dscp, codes.dscp[c])
                 .value_or(static_cast<std::uint8_t>(c));
  }
  return out;
}

void check_class_maps(const ClassMaps& maps, const Section& section) {
  check_map(maps.dscp_to_class, &ClassOfDscp::dscp, section, "dscp_to_class", "dscp");
  check_map(maps.pcp_to_class, &ClassOfPcp::pcp, section, "pcp_to_class", "pcp");
}

}  // namespace horae::fabric
