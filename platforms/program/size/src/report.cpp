// The account as JSON and as text.
#include "horae/size/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "horae/dataplane/price/priced.hpp"
#include "horae/size/nic.hpp"
#include "horae/workload/nic_fit.hpp"

namespace horae::size {
namespace {

using nlohmann::ordered_json;

/// Note behind the stages of a design that was written by hand.
constexpr const char* by_hand_text =
    "  (a design written by hand: expect more stages, gateways and instructions of the P4 "
    "program)\n";

std::string number(double v) { return fmt::format("{:.10g}", v); }

/// Where objects stand in the source, what decides, what was taken for something else.
void add_source(const SourceAccount& source, ordered_json& pipeline) {
  auto& objects = pipeline["objects"];
  for (std::size_t i = 0; i < source.places.size() && i < objects.size(); ++i)
    objects[i]["place"] = source.places[i];
  pipeline["chain"] = {{"stages", source.chain_stages}, {"links", source.chain}};
  pipeline["notes"] = ordered_json::array();
  for (const auto& n : source.notes)
    pipeline["notes"].push_back({{"object", n.object}, {"text", n.text}, {"place", n.place}});
}

void add_rehearsal(const programs::Rehearsal& rehearsal, ordered_json& pipeline) {
  auto& out = pipeline["unpriced"] = ordered_json::array();
  for (const auto& u : rehearsal.unpriced)
    out.push_back({{"kind", kind_name(u.kind)}, {"gress", gress_name(u.gress)}, {"what", u.what}});
  if (!rehearsal.stopped.empty()) pipeline["passes_stopped"] = rehearsal.stopped;
}

std::string rehearsal_text(const programs::Rehearsal& rehearsal) {
  constexpr std::size_t most = 12;
  std::string out;
  const auto& all = rehearsal.unpriced;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i)
    out += fmt::format("  warning: not priced: {}\n", unpriced_text(all[i]));
  if (all.size() > most) out += fmt::format("  warning: {} more of these\n", all.size() - most);
  if (!rehearsal.stopped.empty())
    out += fmt::format("  note: {} passes tried; the last ended by: {}\n", rehearsal.passes,
                       rehearsal.stopped);
  return out;
}

std::string source_text(const SourceAccount& source) {
  std::string out;
  if (!source.chain.empty()) {
    out += fmt::format("\n  the longest chain of dependencies takes {} stages:\n",
                       source.chain_stages);
    for (const auto& link : source.chain) out += "    " + link + "\n";
  }
  for (const auto& n : source.notes) {
    out += fmt::format("  note: {}{}{}{}{}\n", n.place, n.place.empty() ? "" : ": ", n.object,
                       n.object.empty() ? "" : ": ", n.text);
  }
  return out;
}

std::string remedy_text(const Remedy& remedy) {
  std::string out;
  for (const auto& [a, value] : remedy.changes)
    out += fmt::format("{}{} = {} (now {})", out.empty() ? "" : " and ", a.key, value, a.value);
  return out;
}

}  // namespace

ordered_json size_json(const SizeRequest& request, const std::vector<SizedDesign>& designs,
                       const std::vector<Remedy>& remedies,
                       const std::vector<workload::SizedNic>& nics, bool by_stage) {
  ordered_json out = {{"schema", 1}, {"file", request.file}};
  std::set<std::string> chips;
  for (const auto& d : designs) chips.insert(d.ledger.chip);
  out["chip"] = fmt::format("{}", fmt::join(chips, ", "));
  out["pipelines"] = ordered_json::array();
  out["refused"] = ordered_json::array();
  out["validation"] = ordered_json::array();
  for (const auto& d : designs) {
    const dataplane::Priced priced{d.ledger, d.undeclared, d.beside};
    auto pipeline = dataplane::priced_json(priced, d.copies, by_stage);
    pipeline["accounts"] = ordered_json::object();
    for (const auto& a : d.accounts)
      pipeline["accounts"][a.name] = {{"value", a.value}, {"unit", a.unit}, {"how", a.how}};
    if (d.source) add_source(*d.source, pipeline);
    if (d.rehearsal) add_rehearsal(*d.rehearsal, pipeline);
    out["pipelines"].push_back(std::move(pipeline));
    for (auto& r : dataplane::priced_refusals_json(priced)) out["refused"].push_back(std::move(r));
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
  out["nics"] = nics_json(nics);
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

namespace {

/// Warnings, a line each.
std::string undeclared_text(const std::vector<dataplane::FieldOrder>& orders) {
  constexpr std::size_t most = 12;
  std::string out;
  for (std::size_t i = 0; i < std::min(orders.size(), most); ++i) {
    const auto& o = orders[i];
    const auto [does, did] =
        o.kind == dataplane::DependencyKind::match    ? std::pair("reads", "writes")
        : o.kind == dataplane::DependencyKind::action ? std::pair("writes", "writes")
                                                      : std::pair("writes", "reads");
    out +=
        fmt::format("  warning: {} {} {}, which {} {} before it, and no dependency orders them\n",
                    o.object, does, o.field, o.on, did);
  }
  if (orders.size() > most)
    out += fmt::format("  warning: {} more of these\n", orders.size() - most);
  return out;
}

}  // namespace

std::string size_text(const std::vector<SizedDesign>& designs, const std::vector<Remedy>& remedies,
                      bool by_stage) {
  std::string out;
  for (const auto& d : designs) {
    if (!out.empty()) out += "\n";
    out += ledger_text(d.ledger, by_stage);
    if (d.beside) out += beside_text(*d.beside, d.ledger.stages_used());
    if (d.by_hand && !d.ledger.objects.empty()) out += by_hand_text;
    out += undeclared_text(d.undeclared);
    if (d.source) out += source_text(*d.source);
    if (d.rehearsal) out += rehearsal_text(*d.rehearsal);
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

}  // namespace horae::size
