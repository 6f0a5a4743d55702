#include "horae/run/flows_csv.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "horae/run/named_result.hpp"
#include "results/result_parts.hpp"

namespace horae::run {

std::string flows_csv(const elaboration::Simulation& simulation, const elaboration::Findings& found,
                      Picoseconds end) {
  std::string csv =
      "flow,sender,receiver,sender_qpn,receiver_qpn,messages_posted,messages_completed,bytes_"
      "completed,"
      "bytes_delivered,first_post_us,last_completion_us,mean_rate_gbps,message_p50_us,message_p99_"
      "us,"
      "message_max_us,size_bytes,fct_us,ideal_us,slowdown,packets_received,out_of_order,"
      "reorder_mean,reorder_max";
  const bool gives_up = may_give_up(simulation.platform());
  csv += gives_up ? ",messages_failed,error_us\n" : "\n";
  std::size_t n = 0;
  auto planned = simulation.messages().begin();  // in the order of the flows
  for (const auto& flow : simulation.flows()) {
    const elaboration::FlowEnd& ended = found.flows[n];
    const auto& p = ended.progress;
    const bool posted = p.first_post != never;
    // From the first post to the last completion when all is done, else what has been delivered by
    // the end of the run.
    const Picoseconds until = ended.finished ? p.last_completion : end;
    const std::uint64_t moved = ended.finished ? p.completed_bytes : p.delivered_bytes;
    const double rate =
        posted ? mean_bits_per_second(Bytes(static_cast<std::int64_t>(moved)), until - p.first_post)
               : 0.0;
    const auto us = [&](std::int64_t latency) {
      return ended.timed ? fmt::format("{:.3f}", static_cast<double>(latency) * 1e-6)
                         : std::string();
    };
    csv += fmt::format(
        "{},{},{},{:#x},{:#x},{},{},{},{},{},{},{:.6f},{},{},{}", n, flow.sender->name(),
        flow.receiver->name(), rnic::rnic::first_qpn + flow.sender_qp,
        rnic::rnic::first_qpn + flow.receiver_qp, p.posted_messages, p.completed_messages,
        p.completed_bytes, p.delivered_bytes,
        posted ? fmt::format("{:.6f}", to_microseconds(p.first_post)) : "",
        p.completed_messages > 0 ? fmt::format("{:.6f}", to_microseconds(p.last_completion)) : "",
        rate / 1e9, us(ended.p50), us(ended.p99), us(ended.most));
    if (planned != simulation.messages().end() && planned->connection == n) {
      const Picoseconds fct = p.last_completion - found.posted_at(*planned);
      csv +=
          fmt::format(",{},{},{},{}", planned->flow.message.count(),
                      ended.finished ? fmt::format("{:.6f}", to_microseconds(fct)) : "",
                      planned->ideal ? fmt::format("{:.6f}", to_microseconds(*planned->ideal)) : "",
                      ended.finished && planned->ideal
                          ? fmt::format("{:.4f}", static_cast<double>(fct.count()) /
                                                      static_cast<double>(planned->ideal->count()))
                          : "");
      ++planned;
    } else {
      csv += ",,,,";
    }
    csv +=
        fmt::format(",{},{},{:.3f},{}", p.received, p.out_of_order,
                    ratio(static_cast<double>(p.reorder_sum), static_cast<double>(p.out_of_order)),
                    p.reorder_max);
    if (gives_up) {
      csv +=
          fmt::format(",{},{}", p.failed_messages,
                      ended.in_error() ? fmt::format("{:.6f}", to_microseconds(p.error_time)) : "");
    }
    csv += '\n';
    ++n;
  }
  return csv;
}

}  // namespace horae::run
