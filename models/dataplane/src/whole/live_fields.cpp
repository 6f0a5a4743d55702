// From which stage to which a field needs its container.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "containers.hpp"
#include "horae/dataplane/place/field_order.hpp"

namespace horae::dataplane {
namespace {

/// Stages of all objects that name a field.
struct Uses {
  std::optional<int> first_write, first_read, last;
};

/// By gress and name.
using AllUses = std::map<std::pair<Gress, std::string>, Uses>;

AllUses uses_of(const Design& design, const Placement& placement) {
  std::map<std::size_t, std::pair<int, int>> stages;  // of each object: first, last
  for (const auto& placed : placement.units) {
    const int s = static_cast<int>(placed.stage);
    for (const auto& share : placed.unit.shares) {
      const auto [at, added] = stages.try_emplace(share.object, s, s);
      at->second = {std::min(at->second.first, s), std::max(at->second.second, s)};
    }
  }
  AllUses out;
  std::set<std::string> listed;
  for (const auto& field : design.fields) listed.insert(field.name);
  const auto earliest = [](std::optional<int>& n, int s) { n = std::min(n.value_or(s), s); };
  for (std::size_t i = 0; i < design.objects.size(); ++i) {
    const auto found = stages.find(i);
    if (found == stages.end()) continue;
    const auto first = found->second.first, last = found->second.second;
    const auto named = fields_of(design.objects[i]);
    const auto use = [&](const std::set<std::string>& names, bool write) {
      for (const auto& name : names) {
        // "x[3]" is of the copies of x, which are used alike.
        Uses& u = out[{design.objects[i].gress,
                       listed.contains(name) ? name : name.substr(0, name.rfind('['))}];
        earliest(write ? u.first_write : u.first_read, first);
        u.last = std::max(u.last.value_or(last), last);
      }
    };
    use(named.reads, false);
    use(named.uses, false);
    use(named.writes, true);
  }
  return out;
}

}  // namespace

std::vector<LiveField> live_fields(const Design& design, const ChipSpec& chip,
                                   const Placement& placement) {
  const int deparser = static_cast<int>(chip.stages);
  const auto uses = uses_of(design, placement);
  std::vector<LiveField> out;
  for (const auto& field : design.fields) {
    LiveField live{&field, -1, deparser, true};
    const auto used = uses.find({field.gress, field.name});
    if (field.header == valid_bits_header) {
      out.push_back(live);
    } else if (!field.header.empty()) {
      live.touched = used != uses.end() || !field.stages.empty();
      out.push_back(live);
    } else if (!field.stages.empty()) {
      live.first = field.parsed ? -1 : static_cast<int>(field.stages.front());
      live.last = field.deparsed ? deparser : static_cast<int>(field.stages.back());
      out.push_back(live);
    } else if (used != uses.end() || (field.parsed && field.deparsed)) {
      const Uses u = used != uses.end() ? used->second : Uses{};
      // Who reads it first had it from the parser; what a stage writes is there in the next one.
      const bool written = u.first_write && (!u.first_read || *u.first_write <= *u.first_read);
      if (written && !field.parsed) live.first = *u.first_write + 1;
      if (!field.deparsed) live.last = std::max(u.last.value_or(0), live.first);
      out.push_back(live);
    }
  }
  return out;
}

}  // namespace horae::dataplane
