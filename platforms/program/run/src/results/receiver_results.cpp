// Results of receivers: delivery, reordering, acknowledgements.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/stats.hpp"
#include "result_parts.hpp"

namespace horae::run {

void receiver_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                      const Snapshot& from, const Snapshot& to, std::vector<NamedResult>& out) {
  const double window = to_seconds(to.time - from.time);
  rnic::RnicCounters sum;
  const Histogram& depth = found.reorder_depth;
  bool grants = false, engine = false;
  const auto& nics = s.nics();
  for (std::size_t i = 0; i < nics.size(); ++i) {
    if (!among(s.receivers(), *nics[i])) continue;
    sum = sum + (to.nics[i] - from.nics[i]);
    engine |= nics[i]->config().engine.has_value();
    grants |=
        policy::find_congestion_algorithm(nics[i]->config().congestion.algorithm).make_grants !=
        nullptr;
  }
  const auto n = static_cast<double>(s.receivers().size());
  const auto add = [&](std::string name, double value, std::string unit) {
    out.push_back({"receivers." + std::move(name), value, std::move(unit)});
  };
  add("delivered_rate", 8.0 * static_cast<double>(sum.delivered_bytes) / n / window / 1e9,
      "Gbps of payload");
  add("data_packets", static_cast<double>(sum.data_received), "packets");
  add("out_of_order",
      ratio(static_cast<double>(sum.out_of_order), static_cast<double>(sum.data_received)),
      "share of packets");
  add("reorder_mean", depth.empty() ? 0.0 : depth.mean(), "packets");
  add("reorder_p99", depth.empty() ? 0.0 : static_cast<double>(depth.percentile(0.99)), "packets");
  add("reorder_max", depth.empty() ? 0.0 : static_cast<double>(depth.max()), "packets");
  add("nacks_sent", static_cast<double>(sum.nacks_sent), "packets");
  add("acks_sent", static_cast<double>(sum.acks_sent), "packets");
  add("sacks_sent", static_cast<double>(sum.sacks_sent), "packets");
  add("duplicates", static_cast<double>(sum.duplicates), "packets");
  add("discarded", static_cast<double>(sum.discarded), "packets");
  add("nacks_suppressed", static_cast<double>(sum.nacks_suppressed), "packets");
  add("cnps_sent", static_cast<double>(sum.cnps_sent), "packets");
  if (grants) add("pulls_sent", static_cast<double>(sum.pulls_sent), "packets");
  add("context_misses_per_packet",
      ratio(static_cast<double>(sum.context_misses), static_cast<double>(sum.data_received)),
      "misses/packet");
  if (engine) {
    add("rxb_wait",
        ratio(static_cast<double>(sum.engine.rxb_wait.count()) / 1e6,
              static_cast<double>(sum.data_received)),
        "us a data packet received, for the packet engine");
  }
  if (std::ranges::any_of(s.flows(), &elaboration::Connection::receives)) {
    add("messages_received", static_cast<double>(sum.messages_received), "messages");
    add("receive_wqe_waits", static_cast<double>(sum.receive_wqe_waits), "packets");
  }
  if (std::ranges::any_of(
          s.flows(), [](const elaboration::Connection& c) { return is_unreliable(c.service); })) {
    add("messages_whole", static_cast<double>(sum.messages_whole), "messages");
    add("messages_broken", static_cast<double>(sum.messages_broken), "messages");
    add("messages_unwanted", static_cast<double>(sum.messages_unwanted), "messages");
    // A message that was under way when the measurement began may arrive in it.
    std::int64_t lost = 0;
    for (std::size_t i = 0; i < nics.size(); ++i) {
      const auto d = to.nics[i] - from.nics[i];
      lost += static_cast<std::int64_t>(d.messages_left - d.messages_whole);
    }
    add("messages_lost", static_cast<double>(std::max<std::int64_t>(lost, 0)), "messages");
    add("psn_gaps", static_cast<double>(sum.psn_gaps), "packets");
  }
  add("rx_buffer_drops", static_cast<double>(sum.rx_buffer_drops), "packets");
  add("bitmap_words", static_cast<double>(sum.bitmap_words), "64-bit words");
}

}  // namespace horae::run
