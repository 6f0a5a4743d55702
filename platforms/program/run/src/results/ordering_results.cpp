// Results of the ordering engines of NICs.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "horae/rtl/ordering_block.hpp"
#include "result_parts.hpp"

namespace horae::run {

/// Work and memory of the receivers' ordering engines, per NIC.
void ordering_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                      const Loaded& loaded, std::vector<NamedResult>& out) {
  rnic::RnicCounters sum;
  double mean = 0, bitmap = 0, n = 0;
  std::int64_t most = 0;
  bool modelled = true;   // all of them are
  bool remembers = true;  // all of them say what memory they use
  for (std::size_t i = 0; i < s.nics().size(); ++i) {
    const rnic::rnic& nic = *s.nics()[i];
    if (nic.ordering() == nullptr) continue;
    modelled = modelled && nic.config().ordering.level != "rtl";
    remembers = remembers && dynamic_cast<const rtl::BlockRtl*>(nic.ordering()) == nullptr;
    const auto& use = loaded.to.ordering[i];
    mean += use.mean_bytes;
    bitmap += use.mean_bitmap_bytes;
    most = std::max(most, use.most.count());
    sum = sum + (to.nics[i] - from.nics[i]);
    ++n;
  }
  if (n == 0) return;
  const auto add = [&](std::string name, double value, std::string unit) {
    out.push_back({"ordering." + std::move(name), value, std::move(unit)});
  };
  const auto add_if = [&](bool there, std::string name, double value, std::string unit,
                          const char* otherwise) {
    add(std::move(name), there ? value : std::numeric_limits<double>::quiet_NaN(), std::move(unit));
    out.back().none = otherwise;
  };
  const auto packets = static_cast<double>(sum.data_received);
  const auto held = [&](std::string name, double value, std::string unit) {
    add_if(remembers, std::move(name), value, std::move(unit),
           "nobody knows which registers of a block outside the tree are in use");
  };
  held("bytes_mean", mean / n, loaded.unit("bytes/NIC"));
  held("bitmap_bytes_mean", bitmap / n, loaded.unit("bytes/NIC"));
  held("bytes_max", static_cast<double>(most), loaded.unit("bytes"));
  const auto counted = [&](std::string name, std::uint64_t count, std::string unit) {
    add_if(modelled, std::move(name), ratio(static_cast<double>(count), packets), std::move(unit),
           "hardware alone counts clocks, its model counts this");
  };
  counted("words_per_packet", sum.ordering_words, "words/packet");
  counted("searched_per_packet", sum.ordering_searched, "positions/packet");
  add("cycles_per_packet", ratio(static_cast<double>(sum.ordering_cycles), packets),
      "clocks/packet");
  add("wait_mean", ratio(to_microseconds(sum.ordering_wait) * 1e3, packets), "ns/packet");
  const auto rejected = [&](const char* name, policy::Rejection cause) {
    add(name, static_cast<double>(sum.rejected[static_cast<std::size_t>(cause)]), "packets");
  };
  rejected("rejected_reach", policy::Rejection::reach);
  rejected("rejected_no_block", policy::Rejection::no_block);
  rejected("rejected_no_metadata", policy::Rejection::no_metadata);
  add("writes_held", static_cast<double>(sum.writes_held), "packets");
}

}  // namespace horae::run
