#include "size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "horae/core/error.hpp"
#include "horae/dataplane/design_file.hpp"
#include "platform_config.hpp"

namespace horae::platforms {
namespace {

using dataplane::Ledger;
using nlohmann::ordered_json;

/// Ours of a quantity: a resource of an object or of the whole design, stages, cycles.
std::optional<double> quantity_of(const Ledger& ledger, const std::string& object,
                                  const std::string& quantity) {
  if (quantity == "placed") {
    if (object.empty()) return ledger.refused.empty() ? 1 : 0;
    return std::any_of(ledger.objects.begin(), ledger.objects.end(),
                       [&](const auto& o) { return o.name == object && o.refused; })
               ? 0
               : 1;
  }
  if (const auto r = dataplane::find_resource(quantity)) {
    if (object.empty()) return static_cast<double>(ledger.total[*r]);
    for (const auto& o : ledger.objects) {
      if (o.name == object) return static_cast<double>(o.total()[*r]);
    }
    return std::nullopt;
  }
  if (quantity == "stages") return ledger.stages_used();
  if (quantity == "ingress_stages") return ledger.gress_stages[0];
  if (quantity == "egress_stages") return ledger.gress_stages[1];
  if (quantity == "ingress_cycles") return static_cast<double>(ledger.latency[0].count());
  if (quantity == "egress_cycles") return static_cast<double>(ledger.latency[1].count());
  return std::nullopt;
}

/// The chip with twice as much of a resource in each stage. Twice the ALUs come with rows half as
/// wide, twice the map RAM with the SRAM beside it.
void relieve(dataplane::ChipSpec& chip, dataplane::Resource r) {
  using dataplane::Resource;
  auto& stage = chip.stage;
  switch (r) {
    case Resource::sram:
      stage.sram *= 2;
      break;
    case Resource::map_ram:
      stage.sram += stage.map_ram;
      stage.map_ram *= 2;
      chip.stateful.rams_per_row *= 2;
      break;
    case Resource::stateful_alu:
      if (chip.stateful.rams_per_row % 2 != 0) break;  // no rows half as wide
      stage.stateful_alu *= 2;
      chip.stateful.rows *= 2;
      chip.stateful.reach_rows *= 2;
      chip.stateful.rams_per_row /= 2;
      break;
    case Resource::tcam:
      stage.tcam *= 2;
      break;
    case Resource::statistics_alu:
      stage.statistics_alu *= 2;
      break;
    case Resource::gateway:
      stage.gateway *= 2;
      break;
    case Resource::vliw:
      stage.vliw *= 2;
      break;
    case Resource::logical_table:
      stage.logical_table *= 2;
      break;
    case Resource::hash_bits:
      stage.hash_bits *= 2;
      break;
    case Resource::hash_dist:
      stage.hash_dist *= 2;
      break;
    case Resource::exact_xbar:
      stage.exact_xbar *= 2;
      break;
    case Resource::ternary_xbar:
      stage.ternary_xbar *= 2;
      break;
    case Resource::action_data_bus:
      stage.action_data_bus *= 2;
      break;
  }
}

/// The chip a request is about: its own, or the one the file names.
dataplane::ChipSpec chip_of(const SizeRequest& request, const Located<std::string>& named) {
  auto chip =
      dataplane::ChipSpec::find(request.chip ? Located<std::string>{*request.chip, {}} : named);
  if (request.relieved) relieve(chip, *request.relieved);
  return chip;
}

SizedDesign size_case(const dataplane::DesignCase& c, const SizeRequest& request) {
  const auto spec = chip_of(request, c.chip);
  SizedDesign out;
  out.ledger = make_ledger(c.design, spec, place(c.design, spec));
  std::set<std::string> expected;
  for (const auto& e : c.expected) {
    out.comparisons.push_back({e.object, e.quantity, e.value,
                               quantity_of(out.ledger, e.object, e.quantity), "", c.source,
                               e.deviation, true});
    if (e.quantity == "placed" && e.value == 0) expected.insert(e.object);
  }
  // Expected of the design, or of each object that is refused.
  out.expected_refusal =
      !out.ledger.refused.empty() &&
      (expected.contains("") ||
       std::all_of(out.ledger.refused.begin(), out.ledger.refused.end(),
                   [&](const dataplane::Refusal& r) {
                     return expected.contains(r.object.substr(0, r.object.find('[')));
                   }));
  return out;
}

/// A published figure beside ours.
Comparison compare(const PublishedSizeSpec& published, const SizedDesign& design) {
  constexpr std::string_view percent = "_percent";
  Comparison c{published.id,   published.quantity, published.value, std::nullopt,
               published.unit, published.source,   published.note,  false};
  std::string name = published.quantity;
  if (name.ends_with(percent)) {
    name.resize(name.size() - percent.size());
    if (const auto r = dataplane::find_resource(name)) {
      const std::int64_t stages =
          published.over_stages != 0 ? published.over_stages : design.ledger.stages_used();
      const std::int64_t capacity = design.ledger.capacity[*r] * stages;
      const std::int64_t used = design.ledger.total[*r];
      c.ours =
          capacity == 0 ? 0.0 : 100.0 * static_cast<double>(used) / static_cast<double>(capacity);
      const std::string made_of =
          fmt::format("ours {} of {} over {} stages", used, capacity, stages);
      c.note = c.note.empty() ? made_of : made_of + "; " + c.note;
      return c;
    }
  }
  for (const auto& account : design.accounts) {
    if (account.name != published.quantity.value) continue;
    c.ours = account.value;
    c.note = c.note.empty() ? account.how : account.how + "; " + c.note;
    return c;
  }
  c.ours = quantity_of(design.ledger, "", published.quantity);
  if (c.ours) return c;
  std::vector<std::string> known = {"stages", "ingress_cycles", "egress_cycles"};
  for (const auto& account : design.accounts) known.push_back(account.name);
  for (const auto r : dataplane::all_resources) {
    known.emplace_back(resource_name(r));
    known.push_back(std::string(resource_name(r)) + std::string(percent));
  }
  throw input_error(
      published.quantity.where,
      fmt::format("quantity = \"{}\" is nothing that is sized{}", published.quantity.value,
                  suggestion(published.quantity.value, known)));
}

std::vector<SizedDesign> size_platform(const SizeRequest& request) {
  const PlatformConfig platform = read_platform(Document::load(request.file, request.overrides));
  const auto routes = platform.topology.shortest_path_routes();
  std::vector<SizedDesign> out;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    const auto& device = platform.devices[i];
    const auto* profile = std::get_if<TofinoProfile>(&platform.profiles.at(device.profile));
    if (profile == nullptr || !seen.insert(device.profile).second) continue;
    const auto table = chip_routes(platform, static_cast<unsigned>(i), routes[i]);
    dataplane::Pipeline pipeline(device.profile, 0, platform.sim.seed);
    const auto program = profile->program->make(pipeline, table);
    const auto chip = chip_of(request, profile->chip.chip);
    dataplane::Design design = pipeline.design();
    design.name = device.profile;
    SizedDesign sized;
    sized.ledger = make_ledger(design, chip, place(design, chip));
    sized.copies = profile->chip.pipelines;
    for (auto& account : program->accounts())
      sized.accounts.push_back({account.name, account.value, account.unit, account.how});
    for (const auto& published : platform.size.published) {
      if (published.profile.value == device.profile)
        sized.comparisons.push_back(compare(published, sized));
    }
    out.push_back(std::move(sized));
  }
  if (out.empty()) {
    throw InputError(
        fmt::format("{}: no device of this platform runs a program (kind tofino)", request.file));
  }
  return out;
}

bool all_fit(const std::vector<SizedDesign>& designs) {
  return std::all_of(designs.begin(), designs.end(), [](const SizedDesign& d) {
    return d.ledger.refused.empty() || d.expected_refusal;
  });
}

SizeRequest with(SizeRequest request, const std::string& key, std::int64_t value) {
  request.overrides.push_back(fmt::format("{}={}", key, value));
  return request;
}

/// Trials that a search may still make. Counted, not timed: the same search on any machine.
using Trials = int;

/// Whether everything fits; a value that the file's own rules refuse does not.
bool fits(const SizeRequest& request) {
  try {
    return all_fit(size_designs(request));
  } catch (const InputError&) {
    return false;
  }
}

/// The value nearest to the present one, on one side of it, with which everything fits.
std::optional<std::int64_t> nearest_fit(const SizeRequest& request, const Adjustable& a, bool up,
                                        Trials& trials) {
  std::int64_t bad = a.value;
  std::optional<std::int64_t> good;
  if (up ? bad >= a.most : bad <= a.least) return std::nullopt;
  while (!good) {
    const std::int64_t next = up ? std::min(bad * 2, a.most) : std::max(bad / 2, a.least);
    if (next == bad || trials-- <= 0) return std::nullopt;
    if (fits(with(request, a.key, next)))
      good = next;
    else
      bad = next;
  }
  // Between a value that does not fit and one that does; the former may be the present one.
  while (std::abs(*good - bad) > 1) {
    const std::int64_t middle = bad + (*good - bad) / 2;
    (fits(with(request, a.key, middle)) ? *good : bad) = middle;
  }
  return good;
}

std::string number(double v) { return fmt::format("{:.10g}", v); }

std::string remedy_text(const Remedy& remedy) {
  std::string out;
  for (const auto& [a, value] : remedy.changes)
    out += fmt::format("{}{} = {} (now {})", out.empty() ? "" : " and ", a.key, value, a.value);
  return out;
}

}  // namespace

std::vector<SizedDesign> size_designs(const SizeRequest& request) {
  if (!request.objects) return size_platform(request);
  const auto file = dataplane::read_design_file(Document::load(request.file, request.overrides));
  std::vector<SizedDesign> out;
  for (const auto& c : file.cases) out.push_back(size_case(c, request));
  return out;
}

std::vector<Adjustable> adjustables(const SizeRequest& request) {
  constexpr std::int64_t largest = std::int64_t{1} << 24;
  std::vector<Adjustable> out;
  const Document document = Document::load(request.file, request.overrides);
  if (!request.objects) {
    const PlatformConfig platform = read_platform(document);
    for (const auto& [name, profile] : platform.profiles) {
      const auto* chip = std::get_if<TofinoProfile>(&profile);
      if (chip == nullptr) continue;
      const auto config = chip->program->config();
      for (const auto& [key, value] : config.items()) {
        if (value.is_number_integer() && value.get<std::int64_t>() > 0)
          out.push_back({fmt::format("{}.program.{}", name, key), value, 1, largest, ""});
      }
    }
    return out;
  }
  constexpr std::string_view tables[] = {"register", "exact", "ternary", "counter", "meter"};
  const auto collect = [&](const Section& section, const std::string& prefix) {
    for (const auto kind : tables) {
      const auto objects = section.children(kind);
      for (std::size_t i = 0; i < objects.size(); ++i) {
        const auto json = objects[i].to_json();
        const std::string name = json.value("name", "");
        const auto add = [&](const char* key, std::int64_t otherwise, std::int64_t most) {
          const std::int64_t value = json.contains(key) && json[key].is_number_integer()
                                         ? json[key].get<std::int64_t>()
                                         : otherwise;
          if (value > 0)
            out.push_back({fmt::format("{}{}[{}].{}", prefix, kind, i, key), value, 1, most, name});
        };
        add("entries", 0, largest);
        if (kind == "register") add("pieces", 1, 64);
        if (kind == "exact" || kind == "ternary") add("key_bits", 0, 1024);
      }
    }
  };
  const Section root = document.root();
  collect(root, "");
  const auto designs = root.children("design");
  for (std::size_t i = 0; i < designs.size(); ++i)
    collect(designs[i], fmt::format("design[{}].", i));
  return out;
}

std::vector<Remedy> find_remedies(const SizeRequest& request) {
  std::vector<Remedy> out;
  auto all = adjustables(request);
  // Large designs take long to place: fewer trials, and what is refused is tried first.
  std::size_t objects = 1;
  std::set<std::string> refused;
  for (const auto& d : size_designs(request)) {
    objects += d.ledger.objects.size();
    for (const auto& r : d.ledger.refused) refused.insert(r.object.substr(0, r.object.find('[')));
  }
  std::stable_sort(all.begin(), all.end(), [&](const Adjustable& a, const Adjustable& b) {
    return refused.contains(a.object) && !refused.contains(b.object);
  });
  constexpr Trials fewest = 60, most = 600;
  Trials trials = std::clamp(static_cast<Trials>(12000 / objects), fewest, most);
  for (const auto& a : all) {
    for (const bool up : {false, true}) {
      if (up && a.key.ends_with("entries")) continue;  // more never costs less
      if (const auto value = nearest_fit(request, a, up, trials)) out.push_back({{{a, *value}}});
    }
  }
  if (!out.empty()) return out;
  // Two at once: every pair, halved or doubled together.
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      for (int step = 0; step < 4; ++step) {
        const auto moved = [](const Adjustable& a, bool up) {
          return up ? std::min(a.value * 2, a.most) : std::max(a.value / 2, a.least);
        };
        const std::int64_t vi = moved(all[i], (step & 1) != 0), vj = moved(all[j], (step & 2) != 0);
        if (vi == all[i].value || vj == all[j].value) continue;
        if (trials-- <= 0) return out;
        if (fits(with(with(request, all[i].key, vi), all[j].key, vj)))
          out.push_back({{{all[i], vi}, {all[j], vj}}});
      }
    }
  }
  return out;
}

Limit find_limit(const SizeRequest& request, const std::string& key) {
  const auto all = adjustables(request);
  const auto a =
      std::find_if(all.begin(), all.end(), [&](const Adjustable& x) { return x.key == key; });
  if (a == all.end()) {
    std::vector<std::string> keys;
    for (const auto& x : all) keys.push_back(x.key);
    throw InputError(fmt::format("'{}' is no whole-number parameter of {}{}", key, request.file,
                                 suggestion(key, keys)));
  }
  // From the present value when it fits (others below it may not: sizes of what must fit in),
  // else from the least.
  std::int64_t good = 0, bad = a->least;
  if (fits(request)) {
    good = a->value;
    bad = std::min(std::max(a->value * 2, a->least), a->most + 1);
  }
  while (bad <= a->most && fits(with(request, key, bad))) {
    good = bad;
    bad = bad == a->most ? a->most + 1 : std::min(bad * 2, a->most);
  }
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits(with(request, key, middle)) ? good : bad) = middle;
  }
  Limit limit{good, "none", "", "the largest value tried"};
  if (bad > a->most) return limit;
  SizeRequest more = with(request, key, bad);
  try {
    for (const auto& d : size_designs(more)) {
      for (const auto& r : d.ledger.refused) {
        if (!limit.object.empty() && limit.binding != "stages") continue;
        limit = {good, r.resource, r.object, r.why};
      }
    }
  } catch (const InputError& e) {
    return {good, "rule", "", e.what()};
  }
  std::string relieving;
  for (const auto r : dataplane::all_resources) {
    more.relieved = r;
    if (fits(more)) relieving += (relieving.empty() ? "" : " / ") + std::string(resource_name(r));
  }
  limit.binding = relieving.empty() ? "stages" : relieving;
  return limit;
}

ordered_json size_json(const SizeRequest& request, const std::vector<SizedDesign>& designs,
                       const std::vector<Remedy>& remedies) {
  ordered_json out = {{"schema", 1}, {"file", request.file}};
  std::set<std::string> chips;
  for (const auto& d : designs) chips.insert(d.ledger.chip);
  out["chip"] = fmt::format("{}", fmt::join(chips, ", "));
  out["pipelines"] = ordered_json::array();
  out["refused"] = ordered_json::array();
  out["validation"] = ordered_json::array();
  for (const auto& d : designs) {
    auto pipeline = ledger_json(d.ledger);
    pipeline["chip"] = d.ledger.chip;
    pipeline["copies"] = d.copies;
    pipeline["accounts"] = ordered_json::object();
    for (const auto& a : d.accounts)
      pipeline["accounts"][a.name] = {{"value", a.value}, {"unit", a.unit}, {"how", a.how}};
    out["pipelines"].push_back(std::move(pipeline));
    for (auto& r : refusals_json(d.ledger.refused)) {
      r["design"] = d.ledger.name;
      out["refused"].push_back(r);
    }
    for (const auto& c : d.comparisons) {
      ordered_json v = {{"design", d.ledger.name},
                        {"id", c.id},
                        {"quantity", c.quantity},
                        {"published", c.reference}};
      v["ours"] = c.ours ? ordered_json(*c.ours) : ordered_json();
      v["unit"] = c.unit;
      v["kind"] = "predicted";
      v["source"] = c.source;
      v["note"] = c.note;
      out["validation"].push_back(std::move(v));
    }
  }
  out["remedies"] = ordered_json::array();
  for (const auto& remedy : remedies) {
    ordered_json changes = ordered_json::array();
    for (const auto& [a, value] : remedy.changes)
      changes.push_back({{"key", a.key}, {"now", a.value}, {"fits", value}});
    out["remedies"].push_back(std::move(changes));
  }
  return out;
}

std::string comparison_text(const std::vector<SizedDesign>& designs) {
  struct Row {
    std::string design, id, quantity, reference, ours, verdict;
  };
  std::vector<Row> rows = {{"design", "of", "quantity", "reference", "ours", ""}};
  std::size_t exact = 0, explained = 0, wrong = 0;
  for (const auto& d : designs) {
    for (const auto& c : d.comparisons) {
      std::string verdict;
      if (c.must_agree) {
        if (c.agrees()) {
          verdict = "equal";
          ++exact;
        } else if (!c.note.empty()) {
          verdict = "differs: " + c.note;
          ++explained;
        } else {
          verdict = "DIFFERS";
          ++wrong;
        }
      } else {
        verdict = fmt::format("{} [{}]", c.note, c.source);
      }
      rows.push_back({d.ledger.name, c.id, c.quantity, number(c.reference) + c.unit,
                      !c.ours        ? "nothing"
                      : c.must_agree ? number(*c.ours) + c.unit
                                     : fmt::format("{:.4g}{}", *c.ours, c.unit),
                      verdict});
    }
  }
  const auto width = [&](auto member) {
    std::size_t w = 0;
    for (const auto& r : rows) w = std::max(w, (r.*member).size());
    return w;
  };
  const auto w0 = width(&Row::design), w1 = width(&Row::id), w2 = width(&Row::quantity),
             w3 = width(&Row::reference), w4 = width(&Row::ours);
  std::string out;
  for (const auto& r : rows) {
    out += fmt::format("  {:<{}}  {:<{}}  {:<{}}  {:>{}}  {:>{}}  {}\n", r.design, w0, r.id, w1,
                       r.quantity, w2, r.reference, w3, r.ours, w4, r.verdict);
  }
  if (exact + explained + wrong > 0) {
    out += fmt::format("  {} values: {} equal, {} differ for a stated reason, {} differ\n",
                       exact + explained + wrong, exact, explained, wrong);
  }
  return out;
}

std::string size_text(const std::vector<SizedDesign>& designs, const std::vector<Remedy>& remedies,
                      bool by_stage) {
  std::string out;
  for (const auto& d : designs) {
    if (!out.empty()) out += "\n";
    out += ledger_text(d.ledger, by_stage);
    if (d.copies > 1)
      out += fmt::format("  (each of the chip's {} pipelines holds this)\n", d.copies);
    if (!d.accounts.empty()) out += "\n";
    for (const auto& a : d.accounts)
      out += fmt::format("  {:<30} {:>12} {:<8} {}\n", a.name, number(a.value), a.unit, a.how);
    if (!d.ledger.refused.empty()) {
      out += fmt::format("\nDoes not fit {}:\n", d.ledger.chip);
      out += refusals_text(d.ledger.refused);
    }
    if (!d.comparisons.empty()) {
      out += "\nBeside published figures:\n";
      out += comparison_text({d});
    }
  }
  if (!all_fit(designs)) {
    out += remedies.empty() ? "\nNo change of one or two parameters was found that fits.\n"
                            : "\nWould fit (found by trying):\n";
    for (const auto& remedy : remedies) out += fmt::format("  {}\n", remedy_text(remedy));
  }
  return out;
}

}  // namespace horae::platforms
