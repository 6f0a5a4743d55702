#include "horae/run/site_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "horae/elaboration/pause_shares.hpp"
#include "message_bins.hpp"

namespace horae::run {
namespace {

struct SiteClass {
  const char* name;
  std::vector<MessageBin> bins;  ///< all, then by size
};

std::vector<SiteClass> site_classes(const elaboration::Simulation& s,
                                    const elaboration::Findings& found, Picoseconds from,
                                    Picoseconds to) {
  const auto& devices = s.platform().devices;
  const auto stays = [&](const elaboration::Message& m) {
    return devices[m.flow.from].site == devices[m.flow.to].site;
  };
  return {{"intra", message_bins(s, found, from, to, stays)},
          {"inter", message_bins(s, found, from, to,
                                 [&](const elaboration::Message& m) { return !stays(m); })},
          {"all", message_bins(s, found, from, to)}};
}

/// When the last message was completed; `to` if one never was.
Picoseconds last_completion(const elaboration::Simulation& s, const elaboration::Findings& found,
                            Picoseconds to) {
  Picoseconds last{};
  for (const auto& m : s.messages()) {
    const auto& flow = found.flows[m.connection];
    if (!flow.finished) return to;
    last = std::max(last, flow.progress.last_completion);
  }
  return std::min(last, to);
}

}  // namespace

void site_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                  Picoseconds from, Picoseconds to, std::vector<NamedResult>& out) {
  if (!s.platform().has_sites()) return;
  if (!s.messages().empty()) {
    const auto classes = site_classes(s, found, from, to);
    for (const auto& c : classes) {
      for (const auto& bin : c.bins) {
        const auto add = [&](const char* name, double value, const char* unit) {
          out.push_back({fmt::format("sites.{}.{}{}", c.name, bin.name, name), value, unit});
        };
        add("completed", static_cast<double>(bin.fct.count()), "messages");
        add("unfinished", static_cast<double>(bin.unfinished()), "messages");
        const auto figure = [&](const char* name, const Figure& f, const char* unit) {
          out.push_back(over_all(fmt::format("sites.{}.{}{}", c.name, bin.name, name), f, unit,
                                 bin.unfinished(), bin.messages, "messages"));
        };
        figure("fct_mean", bin.fct.mean(), "us");
        figure("slowdown_mean", bin.slowdown.mean(), "ratio");
        figure("slowdown_p99", bin.slowdown.percentile_between(990), "ratio");
      }
    }
    const MessageBin &intra = classes[0].bins[0], &inter = classes[1].bins[0];
    out.push_back(over_all(
        "sites.unfairness", {intra.slowdown.mean().value / inter.slowdown.mean().value}, "ratio",
        intra.unfinished() + inter.unfinished(), intra.messages + inter.messages, "messages"));
    to = last_completion(s, found, to);
  }
  if (to <= from) return;
  const auto pauses = elaboration::pause_shares(found.devices, from, to);
  out.push_back({"pauses.one_stream", pauses.one_stream, "share of time"});
  out.push_back({"pauses.any_port", pauses.any_port, "share of time"});
  out.push_back({"pauses.all_ports", pauses.all_ports, "shares of time, added up"});
}

nlohmann::ordered_json site_rows(const elaboration::Simulation& s,
                                 const elaboration::Findings& found, Picoseconds from,
                                 Picoseconds to) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& c : site_classes(s, found, from, to)) {
    for (const auto& bin : c.bins) {
      nlohmann::ordered_json upto;
      if (bin.to != Bytes::max()) upto = bin.to.count();
      auto& row = rows.emplace_back(nlohmann::ordered_json{{"messages_are", c.name},
                                                           {"above_bytes", bin.from.count()},
                                                           {"upto_bytes", upto},
                                                           {"messages", bin.messages},
                                                           {"unfinished", bin.unfinished()}});
      put(row, "fct_mean_us", bin.fct.mean());
      put(row, "slowdown_mean", bin.slowdown.mean());
      put(row, "slowdown_p99", bin.slowdown.percentile_between(990));
    }
  }
  return rows;
}

}  // namespace horae::run
