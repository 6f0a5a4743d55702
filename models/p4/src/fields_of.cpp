#include "fields_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace horae::p4 {
namespace {

using dataplane::Gress;

bool is_validity(const std::string& name) {
  return name.ends_with(".$valid") || name.ends_with(".$stkvalid");
}

std::string header_of(const std::string& name) { return name.substr(0, name.rfind('.')); }

dataplane::HeaderField field_of(const HeaderVector::Field& reported,
                                const std::set<std::string>& headers,
                                const dataplane::ChipSpec& chip) {
  dataplane::HeaderField out;
  out.name = reported.name;
  out.gress = reported.gress;
  std::map<std::uint32_t, std::uint32_t> bits;  // a part may move between containers
  int first = static_cast<int>(chip.stages), last = 0;
  bool touched = false;
  for (const auto& part : reported.parts) {
    auto& most = bits[part.low];
    most = std::max(most, part.bits);
    touched |= !part.container.starts_with('T');
    const bool throughout = part.first < 0;
    first = std::min(first, throughout ? 0 : part.first);
    last = std::max(last, throughout ? static_cast<int>(chip.stages) : part.last);
    out.parsed |= throughout;
  }
  out.bits = 0;
  for (const auto& [low, n] : bits) out.bits += n;
  if (is_validity(reported.name)) {
    out.header = dataplane::valid_bits_header;
    out.parsed = false;
  } else if (headers.contains(header_of(reported.name))) {
    out.header = header_of(reported.name);
    out.parsed = false;
  }
  const bool metadata = out.header.empty();
  if (metadata || (touched && out.header != dataplane::valid_bits_header))
    out.stages = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)};
  out.deparsed = metadata && last >= static_cast<int>(chip.stages);
  return out;
}

}  // namespace

void add_fields(const CompilerReport& report, const dataplane::ChipSpec& chip,
                ImportedDesign& out) {
  std::set<std::string> headers[2];
  for (const auto& field : report.headers.fields) {
    if (is_validity(field.name))
      headers[static_cast<std::size_t>(field.gress)].insert(header_of(field.name));
  }
  auto& design = out.design;
  std::set<std::string> known[2];
  for (const auto& field : report.headers.fields) {
    const auto g = static_cast<std::size_t>(field.gress);
    design.fields.push_back(field_of(field, headers[g], chip));
    known[g].insert(design.fields.back().header);
  }
  design.parser = report.headers.states;
  for (auto& state : design.parser) {
    const auto& of_gress = known[static_cast<std::size_t>(state.gress)];
    std::erase_if(state.extracts, [&](const auto& h) { return !of_gress.contains(h); });
  }
  design.value_sets = report.headers.value_sets;
  design.checksums = report.headers.checksums;
  std::set<std::string> names;
  for (const auto& object : design.objects) names.insert(object.name);
  for (const auto& checksum : design.checksums) names.insert(checksum.name);
  for (auto& set : design.value_sets) {
    set.key_bits = chip.parser.match_bits;
    // The gresses may have one of a name each.
    while (!names.insert(set.name).second) set.name += "_value_set";
    out.notes.push_back(
        {set.name,
         fmt::format("value set: its key taken as {} bits, what a state compares", set.key_bits),
         false});
  }
  for (const Gress gress : {Gress::ingress, Gress::egress}) {
    const auto& units = report.headers.clot_checksums[static_cast<std::size_t>(gress)];
    if (units.empty()) continue;
    out.notes.push_back({"",
                         fmt::format("{} checksum units of the {} parser, which sum bytes that "
                                     "pass the stages, for updates",
                                     units.size(), gress_name(gress)),
                         true});
  }
  if (report.headers.unread > 0) {
    out.notes.push_back({"",
                         fmt::format("{} fields of the header vector in a form that is not known",
                                     report.headers.unread),
                         true});
  }
}

std::vector<dataplane::PipelineAmount> pipeline_of(const CompilerReport& report,
                                                   const dataplane::ChipSpec& chip) {
  std::vector<dataplane::PipelineAmount> out;
  const HeaderVector& headers = report.headers;
  std::set<std::string> names;
  std::int64_t valid = 0;
  for (const auto& field : headers.fields) {
    for (const auto& part : field.parts) names.insert(part.container);
    if (is_validity(field.name)) valid += field.parts.front().bits;
  }
  if (!names.empty()) {
    dataplane::Containers stages, aside;
    for (const auto& name : names) {
      auto& of = name.starts_with('T') ? aside : stages;
      const char size = name[name.find_first_of("BHW")];
      ++of.count[size == 'B' ? 0 : size == 'H' ? 1 : 2];
    }
    out = container_amounts(stages, stages, aside, aside, chip);
    out.push_back(dataplane::pipeline_amount("valid_bits", valid, chip));
  }
  std::int64_t all_updates = 0;
  for (const Gress gress : {Gress::ingress, Gress::egress}) {
    std::int64_t rows = 0, states = 0;
    for (const auto& s : headers.states) {
      if (s.gress != gress) continue;
      rows += s.rows;
      ++states;
    }
    for (const auto& v : headers.value_sets)
      if (v.gress == gress) rows += static_cast<std::int64_t>(v.tcam_rows());
    if (states == 0) continue;
    const auto g = static_cast<std::size_t>(gress);
    auto sums = static_cast<std::int64_t>(headers.clot_checksums[g].size());
    std::int64_t updates = 0;
    for (const auto& c : headers.checksums) {
      if (c.gress == gress) ++(c.use == dataplane::ChecksumUse::update ? updates : sums);
    }
    all_updates += updates;
    const std::string name(gress_name(gress));
    const auto add = [&](const char* what, std::int64_t n) {
      out.push_back(dataplane::pipeline_amount(name + what, n, chip));
    };
    add("_parser_rows", rows);
    add("_parser_states", states);
    if (sums > 0) add("_parser_checksums", sums);
    add("_deparser_entries", static_cast<std::int64_t>(headers.deparser_entries[g]));
    if (updates > 0) add("_deparser_checksums", updates);
  }
  if (all_updates > 0)
    out.push_back(dataplane::pipeline_amount("deparser_checksums", all_updates, chip));
  return out;
}

}  // namespace horae::p4
