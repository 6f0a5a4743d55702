#include "horae/programs/conweave/conweave.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "config.hpp"
#include "destination.hpp"
#include "horae/params/schema.hpp"
#include "parts.hpp"
#include "shared/configured_factory.hpp"
#include "source.hpp"

namespace horae::programs::conweave {
namespace {

/// Routes, the table of flows, and both halves of ConWeave around them.
class Conweave final : public RuleKeeper<Conweave> {
 public:
  Conweave(dataplane::Pipeline& pipeline, const ConweaveConfig& config, const Routes& routes)
      : config_(config),
        control_(routes),
        is_control_(pipeline, in, "is_control", {.kind = ConditionKind::bit, .reads = {"shim"}}),
        // Replies and notifications are looked up as the data they answer.
        swap_(pipeline, in, "swap_addresses", {.writes = {"ip.src", "ip.dst"}},
              {guarded_by(is_control_)}),
        routes_(pipeline, in, "routes",
                {.key_bits = 32,
                 .entries = config.route_entries,
                 .data_bits = 37,  // group or port 16, size 8, last hop, rack 12
                 .reads = {"ip.dst"}},
                {matches(swap_)}),
        flow_hash_(pipeline, in, "flow_hash", {.input_bits = 80, .output_bits = 16}),
        is_data_(pipeline, in, "is_data",
                 {.kind = ConditionKind::lt,
                  .bits = 8,
                  .constant = number(Opcode::read_request),
                  .reads = {"bth.opcode"}}),
        leaves_(pipeline, in, "leaves_rack", {.bits = 8, .terms = 2, .reads = {"last_hop", "shim"}},
                {0, 0}, {matches(routes_), guarded_by(is_data_)}),
        arrives_(pipeline, in, "arrives", {.bits = 8, .terms = 2, .reads = {"last_hop", "shim"}},
                 {1, static_cast<std::uint64_t>(Kind::data)},
                 {matches(routes_), guarded_unless(leaves_)}),
        flows_(pipeline, in, "flows",
               {.key_bits = 80,
                .entries = config.flow_entries,
                .data_bits = 48,  // index and reply time
                .reads = {"ip.src", "ip.dst", "udp.sport"}},
               {matches(swap_)}),
        is_known_(pipeline, in, "is_known", flags(1), {}, {matches(flows_), guarded_by(leaves_)}),
        source_(pipeline, config, routes_, flows_, is_known_, is_control_),
        members_(pipeline, in, "members",
                 {.key_bits = 16, .entries = config.member_entries, .data_bits = 9},
                 {matches(routes_), matches(flow_hash_), matches(source_.path())}),
        destination_(pipeline, config, routes, flows_, arrives_) {
    fill(routes);
    add_up(pipeline.design());
  }

  void on_ingress(PassKind auto& pass) {
    const Packet& p = pass.header();
    const Kind kind = Shim::of(p).kind;
    if (is_control_.test(pass, kind == Kind::reply || kind == Kind::notify)) return control(pass);
    const Route* route = routes_.lookup(pass, p.dst);
    if (route == nullptr || route->group.count == 0) return pass.drop();
    const bool data = is_data_.test(pass, number(p.opcode));
    const bool leaves =
        data && leaves_.test(pass, bit(route->attached), static_cast<std::uint64_t>(kind));
    if (leaves) {
      const FlowEntry* flow = flows_.lookup(pass, {p.src, p.dst, p.entropy});
      if (is_known_.test(pass, flow != nullptr))
        return leave_by(pass, *route, source_.data(pass, *flow, *route));
      ++unknown_;
    } else if (data &&
               arrives_.test(pass, bit(route->attached), static_cast<std::uint64_t>(kind))) {
      const std::uint16_t port = route->group.first;
      pass.forward(port);
      return destination_.ingress(pass, flows_.lookup(pass, {p.src, p.dst, p.entropy}), port);
    }
    if (route->attached) return pass.forward(route->group.first);
    const std::uint32_t hash =
        flow_hash_.of(pass, {std::uint64_t{p.src} << 32 | p.dst, std::uint64_t{p.entropy}});
    leave_by(pass, *route, hash * route->group.count >> 16);
  }

  void on_egress(PassKind auto& pass) { destination_.egress(pass); }

  /// Flows within the rack have one path and no state; those that find the table full have none
  /// either, and take the path of their hash.
  void connect(const Connection& c) override {
    const auto sender = control_.pipeline_of(c.sender);
    const auto receiver = control_.pipeline_of(c.receiver);
    if (sender.has_value() == receiver.has_value()) return;
    const FlowName name{c.sender, c.receiver, c.entropy};
    if (known_.contains(name)) return;
    if (known_.size() == config_.flow_entries) {
      ++not_added_;
      return;
    }
    const auto index = static_cast<std::uint16_t>(known_.size());
    known_.insert(name);
    flows_.insert(name, {index, deadline_ticks(config_.reply_timeout)});
    if (!sender) return;
    for (const auto& entry : control_.entries) {
      if (entry.node != c.receiver || entry.ports.empty()) continue;
      source_.install(index, static_cast<std::uint8_t>(FlowNameHash{}(name) % entry.ports.size()));
    }
  }

  std::vector<std::pair<std::string_view, std::uint64_t>> counters() const override {
    const auto& s = source_.counts();
    const auto& d = destination_.counts();
    return {{"epochs", s.epochs},
            {"reroutes", s.reroutes},
            {"moves_after_silence", s.moves},
            {"replies_in_time", s.replies},
            {"replies_ignored", s.late},
            {"clears_seen", s.clears},
            {"notifies_seen", s.notifies},
            {"unknown_flow_packets", unknown_},
            {"flows_not_added", not_added_},
            {"replies_made", d.replies},
            {"clears_made", d.clears},
            {"notifies_made", d.notifies},
            {"past_epoch_packets", d.past},
            {"reorderings", d.reorders},
            {"queues_exhausted", d.exhausted},
            {"packets_queued", d.queued},
            {"released_by_tail", d.by_tail},
            {"released_by_timeout", d.by_timeout},
            {"released_by_epoch", d.by_epoch},
            {"timer_passes", d.timer_passes},
            {"most_queues", d.most_queues}};
  }

  std::vector<StateAccount> accounts() const override;

 private:
  void control(PassKind auto& pass) {
    const Packet& p = pass.header();
    swap_.run(pass, [] {});  // in the metadata; the packet ends here
    const Route* route = routes_.lookup(pass, p.src);
    if (route == nullptr) return pass.drop();
    source_.control(pass, flows_.lookup(pass, {p.dst, p.src, p.entropy}), *route);
  }

  void leave_by(PassKind auto& pass, const Route& route, std::uint32_t path) {
    pass.forward(*members_.lookup(pass, static_cast<std::uint16_t>(route.group.first + path)));
  }

  void fill(const Routes& routes) {
    const PortGroups groups(routes);
    std::map<NodeId, std::uint16_t> racks;
    for (std::size_t i = 0; i < routes.entries.size(); ++i) {
      const auto& entry = routes.entries[i];
      const auto rack = racks.try_emplace(entry.node / config_.nodes_per_rack,
                                          static_cast<std::uint16_t>(racks.size()));
      Route route{groups.nodes()[i].second, entry.attached, rack.first->second};
      if (entry.attached) route.group = {entry.ports.at(0), 1};
      routes_.insert(entry.node, route);
    }
    for (std::size_t i = 0; i < groups.ports().size(); ++i)
      members_.insert(static_cast<std::uint16_t>(i), groups.ports()[i]);
  }

  void add_up(const dataplane::Design& design) {
    for (const auto& object : design.objects) {
      const auto* r = std::get_if<RegisterSpec>(&object.spec);
      if (r == nullptr) continue;
      const auto bits = r->entries * r->cell_bits();
      register_bits_ += bits;
      if (r->reads == std::vector<std::string>{"flow"}) flow_bits_ += r->cell_bits();
    }
  }

  ConweaveConfig config_;
  Routes control_;
  std::unordered_set<FlowName, FlowNameHash> known_;
  dataplane::Gateway is_control_;
  dataplane::Action swap_;
  dataplane::ExactTable<NodeId, Route> routes_;
  dataplane::Hash flow_hash_;
  dataplane::Gateway is_data_;
  dataplane::Gateway leaves_;
  dataplane::Gateway arrives_;
  dataplane::ExactTable<FlowName, FlowEntry, FlowNameHash> flows_;
  dataplane::Gateway is_known_;
  Source source_;
  dataplane::ExactTable<std::uint16_t, std::uint16_t> members_;
  Destination destination_;
  std::uint64_t register_bits_ = 0;
  std::uint64_t flow_bits_ = 0;
  std::uint64_t unknown_ = 0;    // statistics of the model
  std::uint64_t not_added_ = 0;  // likewise
};

std::vector<StateAccount> Conweave::accounts() const {
  return {{"bytes_per_flow", static_cast<double>(flow_bits_) / 8, "B",
           "registers with a cell per flow, of both ends"},
          {"megabytes_per_tor", static_cast<double>(register_bits_) / 8e6, "MB",
           fmt::format("all registers, {} flows; MB = 10^6 B", config_.flow_entries)}};
}

class ConweaveFactory final : public ConfiguredFactory<ConweaveFactory, ConweaveConfig> {
 public:
  static constexpr std::string_view name = "conweave";
  using ConfiguredFactory::ConfiguredFactory;
  std::unique_ptr<Program> make(dataplane::Pipeline& pipeline,
                                const Routes& routes) const override {
    check(config_, routes, pipeline.name());
    return std::make_unique<Conweave>(pipeline, config_, routes);
  }
  std::vector<HeaderExtension> header_extensions() const override { return {conweave::extension}; }
};

}  // namespace
}  // namespace horae::programs::conweave

namespace horae::programs {

ProgramEntry conweave_entry() {
  return entry_of<conweave::ConweaveFactory, conweave::check>(
      "per-flow rerouting with in-network reordering for RDMA (ConWeave, SIGCOMM 2023)");
}

}  // namespace horae::programs
