// Waterfalls as JSON, as lines of a table and as comma-separated values.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "horae/views/waterfall.hpp"
#include "time_summary.hpp"

namespace horae::views {
namespace {

template <class TimeOf>
TimeSummary summary_of(const std::vector<WaterfallRecorder::Message>& messages, TimeOf time_of) {
  std::vector<std::int64_t> all;
  all.reserve(messages.size());
  for (const auto& m : messages) all.push_back(time_of(m).count());
  return TimeSummary::of(std::move(all));
}

nlohmann::ordered_json row(std::string_view name, const TimeSummary& time, double waiting_ns) {
  return {{"stage", name},
          {"mean_ns", time.mean_ns},
          {"p99_ns", time.p99_ns},
          {"service_ns", time.mean_ns - waiting_ns},
          {"waiting_ns", waiting_ns}};
}

}  // namespace

std::string_view name_of(Stage stage) {
  constexpr std::array<std::string_view, stages> names = {
      "posting",     "doorbell", "wqe",        "payload",    "context",   "schedule", "engine",
      "tx_pipe",     "wire",     "network",    "rx_pipe",    "rx_engine", "decision", "ack",
      "ack_network", "ack_pipe", "ack_engine", "completion", "cqe",       "polling"};
  return names[static_cast<std::size_t>(stage)];
}

nlohmann::ordered_json WaterfallRecorder::to_json() const {
  nlohmann::ordered_json out = {{"schema", 1}, {"messages", messages_.size()}};
  if (messages_.empty()) return out;
  auto& rows = out["stages"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < stages; ++i) {
    const TimeSummary waiting =
        summary_of(messages_, [&](const Message& m) { return m.waiting[i]; });
    rows.push_back(row(name_of(static_cast<Stage>(i)),
                       summary_of(messages_, [&](const Message& m) { return m.time[i]; }),
                       waiting.mean_ns));
  }
  const TimeSummary all =
      summary_of(messages_, [](const Message& m) { return m.completed - m.posted; });
  out["total"] = {{"mean_ns", all.mean_ns}, {"p99_ns", all.p99_ns}};
  const TimeSummary write = summary_of(messages_, [](const Message& m) { return m.write; });
  out["beside"] = {{"write", {{"mean_ns", write.mean_ns}, {"p99_ns", write.p99_ns}}}};
  return out;
}

std::string WaterfallRecorder::text() const {
  const nlohmann::ordered_json all = to_json();
  if (messages_.empty()) return "waterfall: no message was completed in the time asked for\n";
  std::string out = fmt::format("waterfall of {} messages, ns\n  {:<12}{:>12}{:>12}{:>12}{:>12}\n",
                                messages_.size(), "", "mean", "service", "waiting", "p99");
  for (const auto& r : all["stages"]) {
    out +=
        fmt::format("  {:<12}{:>12.3f}{:>12.3f}{:>12.3f}{:>12.3f}\n", r["stage"].get<std::string>(),
                    r["mean_ns"].get<double>(), r["service_ns"].get<double>(),
                    r["waiting_ns"].get<double>(), r["p99_ns"].get<double>());
  }
  out += fmt::format("  {:<12}{:>12.3f}{:>36.3f}\n", "in all",
                     all["total"]["mean_ns"].get<double>(), all["total"]["p99_ns"].get<double>());
  const auto& write = all["beside"]["write"];
  out += fmt::format("  beside these: payload in memory {:.3f} ns after the decision, p99 {:.3f}\n",
                     write["mean_ns"].get<double>(), write["p99_ns"].get<double>());
  return out;
}

void WaterfallRecorder::write_csv(std::ostream& out) const {
  out << "flow,message,posted_ps,completed_ps";
  for (std::size_t i = 0; i < stages; ++i)
    fmt::print(out, ",{0}_ps,{0}_waiting_ps", name_of(static_cast<Stage>(i)));
  out << ",write_ps\n";
  for (const Message& m : messages_) {
    fmt::print(out, "{},{},{},{}", m.flow, m.ordinal, m.posted.count(), m.completed.count());
    for (std::size_t i = 0; i < stages; ++i)
      fmt::print(out, ",{},{}", m.time[i].count(), m.waiting[i].count());
    fmt::print(out, ",{}\n", m.write.count());
  }
}

}  // namespace horae::views
