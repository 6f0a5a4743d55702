#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "flow_list.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/core/random.hpp"
#include "horae/params/shipped_file.hpp"
#include "horae/workload/end_points.hpp"
#include "list_triggers.hpp"

namespace horae::workload {
namespace {

using traffic::FlowList;
using traffic::ListedFlow;

constexpr std::int64_t longest = 1'000'000'000'000'000'000;  // ps, as in a list
constexpr std::int64_t largest = std::int64_t{1} << 40;      // bytes, as in a list

// A flow without end is messages as perftest sends them: its default size and tx-depth, as of kind
// "messages".
constexpr Bytes endless_message = 64_KiB;
constexpr std::uint32_t endless_depth = 128;

/// Reads, filters and scales a list.
class Placer {
 public:
  Placer(const config::PlatformConfig& platform, const FlowListConfig& config, std::string path)
      : platform_(platform),
        config_(config),
        path_(std::move(path)),
        members_(members_of(platform, config.members)) {
    // In a network that has numbers of its own, a list uses the same numbers.
    if (config.members.empty()) by_number();
  }

  PlacedList place(std::uint64_t seed, std::size_t table) {
    traffic::ListNodes nodes;
    for (const unsigned m : members_)
      nodes.names.push_back(m == nobody ? "" : platform_.devices[m].name);
    if (nics_ < 2) {
      throw input_error(config_.file.where,
                        fmt::format("{} NICs take part; expected 2 or more", nics_));
    }
    nodes.fold = config_.nodes == FlowListConfig::Nodes::modulo;
    const auto list = FlowList::open(path_, config_.format, nodes);
    PlacedList out;
    out.format = list->format();
    while (const auto flow = list->next()) {
      ++out.listed;
      take(*flow, out);
    }
    if (out.flows.empty()) refuse_empty(out);
    out.surplus = list->surplus();
    out.triggers = !list->triggers().empty();
    resolve_triggers(platform_, config_, path_, list->triggers(), lines_, out.flows);
    sort(out);
    RandomStream psns(seed, fmt::format("traffic{}.psns", table));
    for (auto& m : out.flows)
      m.first_psn = Psn(config_.random_first_psn ? psns.below(Psn::mask + 1) : 0);
    return out;
  }

 private:
  static constexpr unsigned nobody = ~0u;

  void by_number() {
    std::vector<unsigned> numbered;
    for (const unsigned m : members_) {
      const auto& number = platform_.devices[m].number;
      if (!number) return;
      if (numbered.size() <= *number) numbered.resize(*number + 1, nobody);
      numbered[*number] = m;
    }
    members_ = numbered;
  }

  InputError error(std::uint32_t line, std::string_view message) const {
    return input_error({path_, line, 1, {}}, message);
  }

  void take(const ListedFlow& flow, PlacedList& out) {
    check_priority(flow);
    check_connection(flow);
    const bool triggers =
        flow.trigger != 0 || flow.fires_at_sender != 0 || flow.fires_at_receiver != 0;
    const bool folded =
        flow.from == flow.to;  // the list refuses those of nodes that are not folded
    if (triggers && (folded || config_.from > 0_ps || config_.to)) {
      throw error(flow.line, folded ? "a flow with triggers that ends where it begins on so few "
                                      "nodes; expected a list for this platform"
                                    : "a flow with triggers; a list that has them is taken whole, "
                                      "without from and to");
    }
    Flow m;
    if (flow.trigger == 0) {
      first_ = std::min(first_, flow.at);
      if (flow.at < config_.from || (config_.to && flow.at >= *config_.to)) {
        ++out.outside;
        return;
      }
      m.start = config_.start + Picoseconds(scaled((flow.at - config_.from).count(),
                                                   config_.scale_time, longest, flow.line, "time"));
      if (m.start >= platform_.sim.duration && !triggers) {
        ++out.outside;
        return;
      }
    }
    if (folded) {
      ++out.folded;
      return;
    }
    m.from = members_[flow.from];
    m.to = members_[flow.to];
    if (flow.endless) {
      m.message = endless_message;
      m.count = 0;
      m.depth = endless_depth;
      ++out.endless;
    } else {
      // Scaling down leaves a byte at least; a message without bytes stays one.
      m.message = Bytes(std::max<std::int64_t>(
          flow.bytes == 0_B ? 0 : 1,
          scaled(flow.bytes.count(), config_.scale_bytes, largest, flow.line, "size")));
      out.bytes += m.message;
    }
    if (config_.priorities == FlowListConfig::Priorities::traffic_class && flow.priority)
      m.traffic_class = static_cast<std::uint8_t>(*flow.priority);
    m.trigger = flow.trigger;
    m.fires_at_sender = flow.fires_at_sender;
    m.fires_at_receiver = flow.fires_at_receiver;
    try {
      check_psns(platform_, m.from, m.message);
    } catch (const InputError& e) {
      throw error(flow.line, e.what());
    }
    // Each NIC has 65536 queue pairs at most: a list that is longer cannot run, whatever it says.
    if (out.flows.size() == 32768 * nics_)
      throw error(flow.line, fmt::format("more than {} flows within the run, which the queue pairs "
                                         "of {} NICs cannot hold; expected a shorter time, by to",
                                         out.flows.size(), nics_));
    out.flows.push_back(m);
    lines_.push_back(flow.line);
  }

  void check_priority(const ListedFlow& flow) {
    using Priorities = FlowListConfig::Priorities;
    if (!flow.priority || config_.priorities == Priorities::ignore) return;
    if (config_.priorities == Priorities::traffic_class) {
      if (*flow.priority <= 7) return;
      throw error(flow.line,
                  fmt::format("priority {} is no traffic class; expected 0 to 7", *flow.priority));
    }
    if (!priority_) priority_ = {*flow.priority, flow.line};
    if (priority_->first == *flow.priority) return;
    throw error(flow.line,
                fmt::format("priority {} after {} on line {}; expected one priority, or priorities "
                            "= \"class\" or \"ignore\"",
                            *flow.priority, priority_->first, priority_->second));
  }

  /// htsim sends the messages of a connection one after the other, by one window.
  void check_connection(const ListedFlow& flow) {
    if (flow.connection == 0 || config_.shared_connections == FlowListConfig::Shared::own) return;
    const auto [it, first] = connections_.emplace(flow.connection, flow.line);
    if (first) return;
    throw error(flow.line,
                fmt::format("a message (msg) of connection {}, which has that of line {}; expected "
                            "one message a connection, or shared_connections = \"own\"",
                            flow.connection, it->second));
  }

  std::int64_t scaled(std::int64_t value, double factor, std::int64_t most, std::uint32_t line,
                      const char* what) const {
    if (factor == 1.0) return value;
    // One multiplication and one rounding: the same everywhere.
    const double product = std::round(static_cast<double>(value) * factor);
    if (product <= static_cast<double>(most)) return static_cast<std::int64_t>(product);
    throw error(line,
                fmt::format("its scaled {} is beyond the largest that a list may have", what));
  }

  void refuse_empty(const PlacedList& list) const {
    if (list.listed == 0) throw input_error({path_, 0, 0, {}}, "a list without flows");
    throw input_error(
        config_.file.where,
        fmt::format("none of the {} flows of {} starts within the run: {} are outside from, to and "
                    "sim.duration, {} end where they begin; the first starts at {}",
                    list.listed, path_, list.outside, list.folded, to_text(first_)));
  }

  /// In the order of time; what waits for others keeps the order of the file.
  static void sort(PlacedList& list) {
    const auto key = [](const Flow& m) { return m.trigger != 0 ? never : m.start; };
    std::stable_sort(list.flows.begin(), list.flows.end(),
                     [&](const Flow& a, const Flow& b) { return key(a) < key(b); });
  }

  const config::PlatformConfig& platform_;
  const FlowListConfig& config_;
  std::string path_;
  std::vector<unsigned> members_;  ///< by node
  std::size_t nics_ = members_.size();
  std::vector<std::uint32_t> lines_;                    ///< of the messages
  std::map<std::uint32_t, std::uint32_t> connections_;  ///< of messages (msg): first line of each
  Picoseconds first_ = never;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> priority_;  ///< and its line
};

}  // namespace

PlacedList place_list(const config::PlatformConfig& platform, std::size_t table,
                      const FlowListConfig& config) {
  return Placer(platform, config, find_file(config.file, "file")).place(platform.sim.seed, table);
}

}  // namespace horae::workload
