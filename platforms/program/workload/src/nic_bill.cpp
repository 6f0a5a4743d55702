// Bill of the state that NICs hold on their chips, as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horae/core/quantity_text.hpp"
#include "horae/workload/nic_fit.hpp"

namespace horae::workload {
namespace {

using rnic::NicBudget;

std::string limit_text(std::int64_t queue_pairs) {
  return queue_pairs == NicBudget::unlimited ? "any number of" : std::to_string(queue_pairs);
}

double percent(Bytes part, Bytes whole) {
  return 100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

std::string title_of(const SizedNic& nic) {
  constexpr std::size_t most_listed = 8;
  std::string text = "NIC " + nic.profile;
  if (!nic.spec.empty() && nic.spec != nic.profile) text += fmt::format(" ({})", nic.spec);
  if (nic.devices.size() > most_listed)
    text += fmt::format(", {} devices", nic.devices.size());
  else if (!nic.devices.empty())
    text += fmt::format(", {}", fmt::join(nic.devices, " "));
  if (nic.demand.groups.empty()) text += ": no queue pairs";
  for (const auto& g : nic.demand.groups) {
    text += fmt::format("{} {} queue pair{} with {} messages outstanding and {} of memory",
                        &g == &nic.demand.groups.front() ? ":" : " and", g.queue_pairs,
                        g.queue_pairs == 1 ? "" : "s", g.outstanding, to_text(g.memory));
  }
  if (nic.demand.queue_pairs() > 1) text += " each";
  return text;
}

}  // namespace

std::string nics_text(const std::vector<SizedNic>& nics) {
  std::string out;
  for (const auto& nic : nics) {
    const NicBudget& b = nic.budget;
    const auto row = [&](std::string_view name, std::string_view place, const std::string& count,
                         const std::string& each, Bytes bytes) {
      out += fmt::format("  {:<18} {:<6} {:>9} {:>12} {:>12} {:>8.2f} %\n", name, place, count,
                         each, bytes.count(), percent(bytes, b.capacity));
    };
    if (!out.empty()) out += "\n";
    out += title_of(nic) + "\n";
    out += fmt::format("  {:<18} {:<6} {:>9} {:>12} {:>12} {:>10}\n", "structure", "place", "count",
                       "bytes each", "bytes", fmt::format("of {}", to_text(b.capacity)));
    for (const auto& line : b.lines) {
      if (line.bytes().count() == 0) continue;
      row(line.name, line.cached ? "cache" : "chip", std::to_string(line.count),
          std::to_string(line.each.count()), line.bytes());
    }
    row("total", "", "", "", b.used());
    for (const auto& line : b.lines) {
      if (line.fields.empty()) continue;
      std::vector<std::string> fields;
      for (const auto& field : line.fields)
        fields.push_back(fmt::format("{} {}", field.name, field.bits));
      out += fmt::format("  {}: {} bits each: {}.\n", line.name, policy::total_bits(line.fields),
                         fmt::join(fields, ", "));
    }
    if (!b.fits()) {
      out += fmt::format("  Does not fit: {} bytes must be on the chip, {} are there. Would fit:\n",
                         b.on_chip().count(), b.capacity.count());
      for (const auto& r : nic.remedies)
        out += fmt::format("    {} = {} (now {})\n", r.key, r.fits, r.now);
      continue;
    }
    out += fmt::format("  Contexts take {} of the {} bytes left to the cache: {}.\n",
                       b.cached().count(), b.cache().count(),
                       b.used() <= b.capacity ? "all stay" : "in round robin none stays");
    if (!b.overfull.empty())
      out += fmt::format("  More entries than the cache holds: {}.\n", fmt::join(b.overfull, ", "));
    out += fmt::format(
        "  All contexts stay up to {} queue pairs like these; their state fits the chip up to "
        "{}.\n",
        limit_text(b.most_cached), limit_text(b.most_on_chip));
    if (b.binds != "shared") out += fmt::format("  The cache of {} binds.\n", b.binds);
    if (!nic.limited && !nic.demand.caches.any())
      out += "  In a run every access hits, as sram.limited is false.\n";
  }
  return out;
}

}  // namespace horae::workload
