#include "horae/run/flows_csv.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "horae/core/stats.hpp"
#include "horae/run/named_result.hpp"

namespace horae::run {

std::string flows_csv(const build::Simulation& simulation, Picoseconds end) {
  std::string csv =
      "flow,sender,receiver,sender_qpn,receiver_qpn,messages_posted,messages_completed,bytes_"
      "completed,"
      "bytes_delivered,first_post_us,last_completion_us,mean_rate_gbps,message_p50_us,message_p99_"
      "us,"
      "message_max_us,size_bytes,fct_us,ideal_us,slowdown,packets_received,out_of_order,"
      "reorder_mean,reorder_max\n";
  std::size_t n = 0;
  auto planned = simulation.messages().begin();  // in the order of the flows
  for (const auto& flow : simulation.flows()) {
    const auto& sender = flow.sender->queue_pair(flow.sender_qp);
    const auto& receiver = flow.receiver->queue_pair(flow.receiver_qp);
    const auto& p = sender.progress();
    const bool posted = p.first_post != never;
    // Mean over first post to last completion when all is done, else to the end of the run.
    const Picoseconds until = sender.finished() ? p.last_completion : end;
    const double rate =
        posted ? mean_bits_per_second(Bytes(static_cast<std::int64_t>(p.completed_bytes)),
                                      until - p.first_post)
               : 0.0;
    const Histogram h = sender.message_latency();
    const auto at = [&](double q) {
      return h.empty() ? std::string()
                       : fmt::format("{:.3f}", static_cast<double>(h.percentile(q)) * 1e-6);
    };
    csv += fmt::format(
        "{},{},{},{:#x},{:#x},{},{},{},{},{},{},{:.6f},{},{},{}", n, flow.sender->name(),
        flow.receiver->name(), rnic::rnic::first_qpn + flow.sender_qp,
        rnic::rnic::first_qpn + flow.receiver_qp, p.posted_messages, p.completed_messages,
        p.completed_bytes, receiver.progress().delivered_bytes,
        posted ? fmt::format("{:.6f}", to_microseconds(p.first_post)) : "",
        p.completed_messages > 0 ? fmt::format("{:.6f}", to_microseconds(p.last_completion)) : "",
        rate / 1e9, at(0.5), at(0.99),
        h.empty() ? "" : fmt::format("{:.3f}", static_cast<double>(h.max()) * 1e-6));
    if (planned != simulation.messages().end() && planned->connection == n) {
      const Picoseconds fct = p.last_completion - simulation.posted_at(*planned);
      csv += fmt::format(
          ",{},{},{:.6f},{}", planned->flow.message.count(),
          sender.finished() ? fmt::format("{:.6f}", to_microseconds(fct)) : "",
          to_microseconds(planned->ideal),
          sender.finished() ? fmt::format("{:.4f}", static_cast<double>(fct.count()) /
                                                        static_cast<double>(planned->ideal.count()))
                            : "");
      ++planned;
    } else {
      csv += ",,,,";
    }
    const auto& r = receiver.progress();
    csv +=
        fmt::format(",{},{},{:.3f},{}\n", r.received, r.out_of_order,
                    ratio(static_cast<double>(r.reorder_sum), static_cast<double>(r.out_of_order)),
                    r.reorder_max);
    ++n;
  }
  return csv;
}

}  // namespace horae::run
