#include "horae/dataplane/price/pipeline_amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "containers.hpp"
#include "horae/core/error.hpp"
#include "parser_use.hpp"

namespace horae::dataplane {
namespace {

/// Containers of a chip: those of the stages, and tagalong ones.
Containers of_chip(const ChipSpec& chip, bool aside) {
  Containers out;
  const auto add = [&](const std::vector<std::uint32_t>& kind) {
    for (std::size_t i = 0; i < kind.size(); ++i) out.count[i] += kind[i];
  };
  if (aside) {
    add(chip.phv.tagalong);
  } else {
    add(chip.phv.normal);
    add(chip.phv.mocha);
    add(chip.phv.dark);
  }
  return out;
}

struct AmountName {
  const char* name;
  const char* title;
};
constexpr AmountName amount_names[] = {
    {"phv_8", "containers of 8 bits"},
    {"phv_16", "containers of 16 bits"},
    {"phv_32", "containers of 32 bits"},
    {"tagalong_8", "tagalong containers, 8 bits"},
    {"tagalong_16", "tagalong containers, 16 bits"},
    {"tagalong_32", "tagalong containers, 32 bits"},
    {"phv_bits", "bits of containers"},
    {"valid_bits", "validity bits"},
    {"ingress_parser_rows", "ingress parser TCAM rows"},
    {"egress_parser_rows", "egress parser TCAM rows"},
    {"ingress_parser_states", "ingress parser states"},
    {"egress_parser_states", "egress parser states"},
    {"ingress_parser_checksums", "ingress parser checksum units"},
    {"egress_parser_checksums", "egress parser checksum units"},
    {"ingress_deparser_entries", "ingress deparser entries"},
    {"egress_deparser_entries", "egress deparser entries"},
    {"ingress_deparser_checksums", "ingress deparser checksum units"},
    {"egress_deparser_checksums", "egress deparser checksum units"},
    {"deparser_checksums", "deparser checksum units, both"},
};

std::int64_t capacity_of(std::string_view name, const ChipSpec& chip) {
  const auto stages = of_chip(chip, false), aside = of_chip(chip, true);
  for (std::size_t i = 0; i < Containers::sizes.size(); ++i) {
    if (name == fmt::format("phv_{}", Containers::sizes[i])) return stages.count[i];
    if (name == fmt::format("tagalong_{}", Containers::sizes[i])) return aside.count[i];
  }
  if (name == "phv_bits") return stages.bits() + aside.bits();
  if (name == "valid_bits") return chip.phv.valid_bits;
  if (name.ends_with("parser_rows")) return chip.parser.rows;
  if (name.ends_with("parser_states")) return chip.parser.states;
  if (name.ends_with("parser_checksums") && !name.ends_with("deparser_checksums"))
    return chip.parser.checksums;
  if (name == "deparser_checksums") {
    return 2 * std::int64_t{chip.parser.deparser_checksums} - chip.parser.deparser_shared_checksums;
  }
  if (name.ends_with("deparser_checksums")) return chip.parser.deparser_checksums;
  return chip.parser.deparser_entries;
}

/// Refusals by bounds.
class Bounds {
 public:
  Bounds(const Design& design, const ChipSpec& chip, std::vector<Refusal>& out)
      : design_(design), chip_(chip), out_(out) {}

  void bits(const std::vector<LiveField>& fields) {
    const std::int64_t stages = of_chip(chip_, false).bits();
    const std::int64_t all = stages + of_chip(chip_, true).bits();
    const std::int64_t touched = live_bits(design_, fields, false, chip_);
    const std::int64_t both = live_bits(design_, fields, true, chip_);
    const bool aside = chip_.phv.clot_bytes == 0;
    if (stages != 0 && touched > stages)
      too_many_bits(touched, stages, "that stages touch are live at once");
    else if (all != 0 && aside && both > all)
      too_many_bits(both, all, "are live at once");
  }

  void at_most(const PipelineAmount& amount, const std::string& instead) {
    if (amount.capacity == 0 || amount.used <= amount.capacity) return;
    refuse(amount.name, amount.used, amount.capacity,
           fmt::format("{} {} needed, {} has {}", amount.used, amount.title, chip_.name,
                       amount.capacity),
           instead);
  }

  /// A state compares what its value set does, at once.
  void match_bits(const ValueSetSpec& set) {
    if (chip_.parser.match_bits == 0 || set.key_bits <= chip_.parser.match_bits) return;
    out_.push_back({set.name, "parser_match_bits", -1, set.key_bits, chip_.parser.match_bits,
                    fmt::format("a key of {} bits, a state of {}'s parser compares {}",
                                set.key_bits, chip_.name, chip_.parser.match_bits),
                    fmt::format("key_bits = {}, or a match table", chip_.parser.match_bits)});
  }

 private:
  void too_many_bits(std::int64_t need, std::int64_t have, const char* which) {
    refuse("phv_bits", need, have,
           fmt::format("{} bits of fields {}, the containers of {} hold {}", need, which,
                       chip_.name, have),
           fmt::format("fields of {} bits less{}", need - have,
                       design_.parser.empty()
                           ? ", or [[state]] tables, if there are headers that no packet has "
                             "together: they share containers"
                           : ""));
  }
  void refuse(std::string resource, std::int64_t need, std::int64_t have, std::string why,
              std::string instead) {
    out_.push_back(
        {design_.name, std::move(resource), -1, need, have, std::move(why), std::move(instead)});
  }

  const Design& design_;
  const ChipSpec& chip_;
  std::vector<Refusal>& out_;
};

/// Bits that say which headers a packet has: listed, or one of each header.
std::int64_t valid_bits(const Design& design) {
  std::int64_t listed = 0;
  std::set<std::pair<Gress, std::string>> headers;
  for (const auto& f : design.fields) {
    if (f.header == valid_bits_header)
      listed += std::int64_t{f.bits} * f.copies;
    else if (!f.header.empty())
      headers.insert({f.gress, f.header});
  }
  return listed != 0 ? listed : static_cast<std::int64_t>(headers.size());
}

/// A field of validity bits of each gress, where the design lists none.
std::vector<HeaderField> unlisted_valid_bits(const Design& design) {
  std::map<Gress, std::set<std::string>> headers;
  for (const auto& f : design.fields) {
    if (f.header == valid_bits_header) return {};
    if (!f.header.empty()) headers[f.gress].insert(f.header);
  }
  std::vector<HeaderField> out;
  for (const auto& [gress, of_gress] : headers) {
    HeaderField field;
    field.name = valid_bits_header;
    field.bits = static_cast<std::uint32_t>(of_gress.size());
    field.gress = gress;
    field.header = valid_bits_header;
    out.push_back(std::move(field));
  }
  return out;
}

}  // namespace

std::vector<std::string> pipeline_amount_names() {
  std::vector<std::string> out;
  for (const auto& n : amount_names) out.emplace_back(n.name);
  return out;
}

PipelineAmount pipeline_amount(const std::string& name, std::int64_t used, const ChipSpec& chip) {
  const auto* found = std::ranges::find_if(
      amount_names, [&](const AmountName& n) { return std::string_view(n.name) == name; });
  if (found == std::end(amount_names)) throw ModelError("pipeline: no amount " + name);
  return {name, found->title, used, used, capacity_of(name, chip)};
}

std::vector<PipelineAmount> container_amounts(const Containers& least, const Containers& most,
                                              const Containers& least_aside,
                                              const Containers& most_aside, const ChipSpec& chip) {
  std::vector<PipelineAmount> out;
  const auto add = [&](const std::string& name, std::int64_t used, std::int64_t at_most) {
    out.push_back(pipeline_amount(name, used, chip));
    out.back().most = at_most;
  };
  for (std::size_t i = 0; i < Containers::sizes.size(); ++i)
    add(fmt::format("phv_{}", Containers::sizes[i]), least.count[i], most.count[i]);
  if (of_chip(chip, true).bits() != 0) {
    for (std::size_t i = 0; i < Containers::sizes.size(); ++i) {
      add(fmt::format("tagalong_{}", Containers::sizes[i]), least_aside.count[i],
          most_aside.count[i]);
    }
  }
  add("phv_bits", least.bits() + least_aside.bits(), most.bits() + most_aside.bits());
  return out;
}

PipelineUse pipeline_use(const Design& design, const ChipSpec& chip, const Placement& placement) {
  PipelineUse out;
  Bounds bounds(design, chip, out.refused);
  if (!design.fields.empty()) {
    auto fields = live_fields(design, chip, placement);
    const auto valid = unlisted_valid_bits(design);
    for (const auto& field : valid)
      fields.push_back({&field, -1, static_cast<int>(chip.stages), true});
    bounds.bits(fields);
    auto least = pack_fields(design, fields, true), most = pack_fields(design, fields, false);
    if (of_chip(chip, true).bits() == 0) {
      for (auto* packed : {&least, &most}) {
        // Past the stages, or among the others: there is nothing else.
        for (std::size_t i = 0; i < Containers::sizes.size(); ++i) {
          if (chip.phv.clot_bytes == 0) packed->touched.count[i] += packed->aside.count[i];
          packed->aside.count[i] = 0;
        }
      }
    }
    out.amounts = container_amounts(least.touched, most.touched, least.aside, most.aside, chip);
    out.amounts.push_back(pipeline_amount("valid_bits", valid_bits(design), chip));
    bounds.at_most(out.amounts.back(), "fewer headers");
  }
  const auto limited = [&](const std::string& name, std::int64_t used, const char* instead) {
    if (used == 0) return;
    out.amounts.push_back(pipeline_amount(name, used, chip));
    bounds.at_most(out.amounts.back(), instead);
  };
  for (const Gress gress : {Gress::ingress, Gress::egress}) {
    const std::string name(gress_name(gress));
    limited(name + "_parser_rows", parser_rows(design, gress),
            "states that tell fewer values apart, or value sets of fewer entries: a match table "
            "can");
    limited(name + "_parser_states",
            std::ranges::count_if(design.parser, [&](const auto& s) { return s.gress == gress; }),
            "fewer states");
    limited(name + "_parser_checksums", parser_checksum_units(design, gress),
            "verifications in states of their own (states = [...]): they share a unit");
  }
  std::int64_t updates = 0;
  for (const Gress gress : {Gress::ingress, Gress::egress}) {
    const std::int64_t of_gress = deparser_checksum_units(design, gress);
    updates += of_gress;
    limited(std::string(gress_name(gress)) + "_deparser_checksums", of_gress,
            "updates in the other gress");
  }
  limited("deparser_checksums", updates, "fewer updates");
  for (const auto& set : design.value_sets) bounds.match_bits(set);
  return out;
}

std::vector<Tightness> by_tightness(const Amounts& total, unsigned stages, const ChipSpec& chip,
                                    const std::vector<PipelineAmount>& pipeline) {
  std::vector<Tightness> out;
  const auto add = [&](std::string name, std::int64_t used, std::int64_t capacity) {
    if (used == 0 || capacity == 0) return;
    out.push_back(
        {std::move(name), 100.0 * static_cast<double>(used) / static_cast<double>(capacity)});
  };
  add("stages", stages, chip.stages);
  for (const Resource r : all_resources)
    add(std::string(resource_name(r)), total[r], chip.capacity(r) * chip.stages);
  for (const auto& amount : pipeline) add(amount.name, amount.used, amount.capacity);
  std::ranges::stable_sort(out, [](const auto& a, const auto& b) { return a.percent > b.percent; });
  return out;
}

}  // namespace horae::dataplane
