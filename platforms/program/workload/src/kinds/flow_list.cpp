#include "flow_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/params/file_content.hpp"
#include "horae/params/shipped_file.hpp"
#include "horae/workload/end_points.hpp"
#include "horae/workload/traffic_kind.hpp"

namespace horae::workload {

const Schema<FlowListConfig>& FlowListConfig::schema() {
  using T = FlowListConfig;
  using traffic::ListFormat;
  static const Schema<T> s =
      Schema<T>("traffic", "Messages of a flow list, each on a queue pair of its own.")
          .required("file", &T::file,
                    {.doc = "the list, beside this file; formats: traces/README.md"})
          .choice("format", &T::format,
                  {{"auto", ListFormat::automatic},
                   {"ns3", ListFormat::ns3},
                   {"htsim", ListFormat::htsim},
                   {"csv", ListFormat::csv}},
                  {.doc = "how it is written; auto: as its first line looks"})
          .field("content", &T::content,
                 {.doc = "a hash of its bytes, as the effective configuration has it; refused if "
                         "it is another"})
          .field("members", &T::members,
                 {.doc = "NICs: node i of the list is the i-th; empty: all, in the order of the "
                         "platform"})
          .choice("nodes", &T::nodes, {{"refuse", T::Nodes::refuse}, {"modulo", T::Nodes::modulo}},
                  {.doc = "of nodes that the platform does not have: refuse the list, or take the "
                          "remainder; a flow that then ends where it begins is left out"})
          .field("from", &T::from,
                 {.doc = "flows that start before, by the list's clock, are left out; this time "
                         "becomes start",
                  .min = 0_ps})
          .field("to", &T::to, {.doc = "flows that start then or later are left out", .min = 0_ps})
          .field("scale_time", &T::scale_time,
                 {.doc = "times since from are multiplied by this: 0.5 doubles the load",
                  .min = 1e-9,
                  .max = 1e9})
          .field("scale_bytes", &T::scale_bytes,
                 {.doc = "sizes are multiplied by this, rounded, at least a byte",
                  .min = 1e-9,
                  .max = 1e9})
          .field("start", &T::start, {.doc = "added to every time, after scaling", .min = 0_ps})
          .choice("priorities", &T::priorities,
                  {{"refuse", T::Priorities::refuse},
                   {"ignore", T::Priorities::ignore},
                   {"class", T::Priorities::traffic_class}},
                  {.doc = "of lists whose flows have different priorities: refuse, treat all "
                          "alike (ignore), or take each flow's as its traffic class (class)"})
          .choice("send_done", &T::send_done,
                  {{"local", T::Triggers::local}, {"on_receipt", T::Triggers::on_receipt}},
                  {.doc = "of a send_done_trigger that starts a flow of the receiver: refuse, or "
                          "fire when the message has arrived, which is earlier by the "
                          "acknowledgement's way"})
          .choice(
              "shared_connections", &T::shared_connections,
              {{"refuse", T::Shared::refuse}, {"own", T::Shared::own}},
              {.doc = "of messages (msg) that share a connection: refuse, or give each a queue "
                      "pair of its own, on which none waits for those before it. Absent: refuse"})
          .field("random_first_psn", &T::random_first_psn,
                 {.doc = "an initial PSN at random for each connection; else 0"});
  return s;
}

namespace {

class FlowListTraffic final : public TrafficOf<FlowListConfig> {
 public:
  explicit FlowListTraffic(const TrafficSection& table) : TrafficOf(table) {
    check_end_points(table, config_.members, EndPoint::nic);
    if (config_.to && *config_.to <= config_.from) {
      throw table.section.error("to", fmt::format("to = {} is not above from = {}",
                                                  to_text(*config_.to), to_text(config_.from)));
    }
    if (config_.priorities == FlowListConfig::Priorities::traffic_class && traffic_class()) {
      throw table.section.error("traffic_class",
                                "traffic_class beside priorities = \"class\", by which each flow "
                                "has its own; expected one of the two");
    }
    take_content(find_file(config_.file, "file"), config_.content);
    list_ = place_list(table.platform, number(), config_);
    table.demand.ask(queue_pairs_of(*this, table.platform), table.section, "file");
  }

  void plan(const config::PlatformConfig& /*platform*/, const FlowSink& sink) const override {
    for (const Flow& flow : list_.flows) sink(flow);
  }

  Measure measure() const override { return Measure::messages; }

  /// The end is unknown: triggers start flows at times that only the run tells.
  Picoseconds arrivals_end(const config::PlatformConfig& platform) const override {
    return list_.triggers ? platform.sim.duration : list_.flows.back().start;
  }

  void add_rows(nlohmann::ordered_json& rows) const override {
    rows["flow_lists"].push_back({{"traffic", number()},
                                  {"file", config_.file.value},
                                  {"format", traffic::name_of(list_.format)},
                                  {"flows", list_.listed},
                                  {"messages", list_.flows.size()},
                                  {"bytes", list_.bytes.count()},
                                  {"outside", list_.outside},
                                  {"folded", list_.folded},
                                  {"endless", list_.endless},
                                  {"surplus_from_line", list_.surplus}});
  }

  std::string note() const override {
    std::string text;
    if (list_.surplus != 0) {
      text = fmt::format(
          "{}:{}: the {} flows that the first line announces are read, and nothing "
          "from here on, as in ns-3",
          config_.file.value, list_.surplus, list_.listed);
    }
    if (list_.endless != 0) {
      text += fmt::format(
          "{}{}: flows without end (size 0): {}; they send until the run ends at sim.duration",
          text.empty() ? "" : "\n", config_.file.value, list_.endless);
    }
    return text;
  }

 private:
  PlacedList list_;
};

}  // namespace

TrafficKind flow_list_kind() { return traffic_kind<FlowListTraffic>("flow_list"); }

}  // namespace horae::workload
