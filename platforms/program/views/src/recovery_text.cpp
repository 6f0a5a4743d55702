// Timelines of retransmissions as JSON, as text and as comma-separated values.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "horae/views/recovery.hpp"
#include "time_summary.hpp"

namespace horae::views {
namespace {

using Recovery = RecoveryRecorder::Recovery;
using nlohmann::ordered_json;

/// A part of a recovery, between two of its marks.
struct Part {
  const char* name;
  Mark from, to;
};
constexpr std::array<Part, 7> parts = {{
    {"lost to NACK decided", Mark::lost, Mark::nack_decided},
    {"NACK decided to sent", Mark::nack_decided, Mark::nack_sent},
    {"NACK sent to received", Mark::nack_sent, Mark::nack_received},
    {"NACK received to resent", Mark::nack_received, Mark::resent},
    {"lost to timeout", Mark::lost, Mark::timed_out},
    {"resent to arrived", Mark::resent, Mark::arrived},
    {"arrived to completed", Mark::arrived, Mark::completed},
}};

template <class TimeOf>
TimeSummary summary_over(const std::vector<Recovery>& all, TimeOf time_of) {
  std::vector<std::int64_t> times;
  for (const auto& r : all) {
    if (const auto t = time_of(r)) times.push_back(t->count());
  }
  return TimeSummary::of(std::move(times));
}

std::optional<Picoseconds> between(const Recovery& r, Mark from, Mark to) {
  if (r[from] < 0_ps || r[to] < r[from]) return std::nullopt;
  // Marks are first times: of several retransmissions the first did not arrive.
  if (from == Mark::resent && r.losses > 1) return std::nullopt;
  return r[to] - r[from];
}

std::optional<Picoseconds> whole(const Recovery& r) {
  if (r[Mark::completed] < 0_ps) return std::nullopt;
  return r[Mark::completed] - r.begin();
}

/// "lost 12.300 us (injected, s), NACK decided +0.500, ..."
std::string line_of(const Recovery& r) {
  constexpr std::array<const char*, marks> titles = {"lost",          "NACK decided", "NACK sent",
                                                     "NACK received", "served",       "timeout",
                                                     "resent",        "arrived",      "completed"};
  std::vector<std::size_t> order;
  for (std::size_t m = 0; m < marks; ++m) {
    if (r.at[m] >= 0_ps) order.push_back(m);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return r.at[a] < r.at[b]; });
  std::string out;
  for (const std::size_t m : order) {
    const bool first = out.empty();
    out += first ? fmt::format("{} at {:.3f} us", titles[m], to_microseconds(r.at[m]))
                 : fmt::format(", {} +{:.3f}", titles[m], to_microseconds(r.at[m] - r.begin()));
    if (m == static_cast<std::size_t>(Mark::lost))
      out += fmt::format(" ({}, {})", r.cause, r.place);
  }
  return out;
}

}  // namespace

std::string_view name_of(Mark mark) {
  constexpr std::array<std::string_view, marks> names = {
      "lost",      "nack_decided", "nack_sent", "nack_received", "served",
      "timed_out", "resent",       "arrived",   "completed"};
  return names[static_cast<std::size_t>(mark)];
}

ordered_json RecoveryRecorder::to_json() const {
  ordered_json out = {{"schema", 1}, {"resent_unasked", resent_unasked_}};
  auto& rows = out["recoveries"] = ordered_json::array();
  for (const Recovery& r : done_) {
    ordered_json row = {{"flow", r.flow},       {"name", r.name},     {"psn", r.psn},
                        {"message", r.message}, {"losses", r.losses}, {"nacks", r.nacks},
                        {"resends", r.resends}, {"place", r.place},   {"cause", r.cause}};
    for (std::size_t m = 0; m < marks; ++m) {
      if (r.at[m] >= 0_ps)
        row[fmt::format("{}_ps", views::name_of(static_cast<Mark>(m)))] = r.at[m].count();
    }
    rows.push_back(std::move(row));
  }
  auto& stages = out["parts"] = ordered_json::array();
  const auto add = [&](const char* name, const TimeSummary& s) {
    if (s.count == 0) return;
    stages.push_back(
        {{"part", name}, {"count", s.count}, {"mean_ns", s.mean_ns}, {"p99_ns", s.p99_ns}});
  };
  for (const Part& part : parts)
    add(part.name,
        summary_over(done_, [&](const Recovery& r) { return between(r, part.from, part.to); }));
  add("in all", summary_over(done_, whole));
  auto& beside = out["beside"] = ordered_json::array();
  for (const Beside& b : beside_) {
    ordered_json row = {
        {"what", b.what}, {"where", b.where}, {"from_ps", b.from.count()}, {"to_ps", b.to.count()}};
    if (b.flow) row["flow"] = *b.flow;
    beside.push_back(std::move(row));
  }
  return out;
}

std::string RecoveryRecorder::text() const {
  if (done_.empty()) return "recovery: nothing was lost, asked for again or timed out\n";
  const ordered_json all = to_json();
  std::string out = fmt::format("recovery of {} packets, us\n  {:<26}{:>10}{:>12}{:>12}\n",
                                done_.size(), "", "packets", "mean", "p99");
  for (const auto& part : all["parts"]) {
    out += fmt::format("  {:<26}{:>10}{:>12.3f}{:>12.3f}\n", part["part"].get<std::string>(),
                       part["count"].get<std::size_t>(), part["mean_ns"].get<double>() / 1e3,
                       part["p99_ns"].get<double>() / 1e3);
  }
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < std::min(shown, done_.size()); ++i)
    out += fmt::format("  {} psn {}: {}\n", done_[i].name, done_[i].psn, line_of(done_[i]));
  if (done_.size() > shown) out += fmt::format("  {} more in recovery.csv\n", done_.size() - shown);
  if (resent_unasked_ > 0)
    out += fmt::format("  sent again beside these: {} packets that no NACK or timeout named\n",
                       resent_unasked_);
  std::map<std::string, std::size_t> counts;
  for (const Beside& b : beside_) {
    const std::string kind = b.what.substr(0, b.what.find(" psn"));
    ++counts[kind];
  }
  for (const auto& [kind, count] : counts)
    out += fmt::format("  beside these: {} x {}\n", count, kind);
  return out;
}

void RecoveryRecorder::write_csv(std::ostream& out) const {
  out << "flow,psn,message,losses,nacks,resends,cause,place";
  for (std::size_t m = 0; m < marks; ++m)
    fmt::print(out, ",{}_ps", views::name_of(static_cast<Mark>(m)));
  out << "\n";
  for (const Recovery& r : done_) {
    fmt::print(out, "{},{},{},{},{},{},{},{}", r.flow, r.psn, r.message, r.losses, r.nacks,
               r.resends, r.cause, r.place);
    for (const Picoseconds t : r.at) {
      if (t >= 0_ps) {
        fmt::print(out, ",{}", t.count());
      } else {
        out << ",";
      }
    }
    out << "\n";
  }
}

}  // namespace horae::views
