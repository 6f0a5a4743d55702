#include "quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "horae/core/error.hpp"

namespace horae::size {

std::optional<double> quantity_of(const dataplane::Ledger& ledger, const std::string& object,
                                  const std::string& quantity) {
  if (quantity == "placed") {
    if (object.empty()) return ledger.refused.empty() ? 1 : 0;
    return std::any_of(ledger.objects.begin(), ledger.objects.end(),
                       [&](const auto& o) {
                         return (o.name == object || o.name.starts_with(object + "[")) && o.refused;
                       })
               ? 0
               : 1;
  }
  if (const auto r = dataplane::find_resource(quantity)) {
    if (object.empty()) return static_cast<double>(ledger.total[*r]);
    std::optional<double> sum;  // of an object's copies: of all
    for (const auto& o : ledger.objects) {
      if (o.name == object || o.name.starts_with(object + "["))
        sum = sum.value_or(0) + static_cast<double>(o.total()[*r]);
    }
    return sum;
  }
  if (object.empty()) {
    for (const auto& amount : ledger.pipeline) {
      if (amount.name == quantity) return static_cast<double>(amount.used);
    }
  }
  if (quantity == "stages") return ledger.stages_used();
  if (quantity == "ingress_stages") return ledger.gress_stages[0];
  if (quantity == "egress_stages") return ledger.gress_stages[1];
  if (quantity == "ingress_cycles") return static_cast<double>(ledger.latency[0].count());
  if (quantity == "egress_cycles") return static_cast<double>(ledger.latency[1].count());
  return std::nullopt;
}

Comparison compare_with(const config::PublishedSizeSpec& published, const SizedDesign& design) {
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
  for (const auto& amount : design.ledger.pipeline) known.push_back(amount.name);
  for (const auto r : dataplane::all_resources) {
    known.emplace_back(resource_name(r));
    known.push_back(std::string(resource_name(r)) + std::string(percent));
  }
  throw input_error(
      published.quantity.where,
      fmt::format("quantity = \"{}\" is nothing that is sized{}", published.quantity.value,
                  suggestion(published.quantity.value, known)));
}

}  // namespace horae::size
