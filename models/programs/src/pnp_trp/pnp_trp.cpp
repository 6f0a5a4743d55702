#include "horae/programs/pnp_trp/pnp_trp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "config.hpp"
#include "control_plane.hpp"
#include "forwarding.hpp"
#include "handshake_monitor.hpp"
#include "horae/core/codec/tcp_segment.hpp"
#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"
#include "notification_point.hpp"
#include "reaction_point.hpp"
#include "shared/configured_factory.hpp"

namespace horae::programs::pnp_trp {
namespace {

class PnpTrp final : public RuleKeeper<PnpTrp> {
 public:
  PnpTrp(dataplane::Pipeline& pipeline, const PnpTrpConfig& config, const Routes& routes)
      : config_(config),
        known_(routes),
        control_(config.insertion_latency),
        forwarding_(pipeline, config, routes),
        is_data_(pipeline, in, "is_data",
                 {.kind = ConditionKind::lt,
                  .bits = 8,
                  .constant = number(Opcode::acknowledge),
                  .reads = {"bth.opcode"}}) {
    if (config.handshake_monitor) {
      monitor_.emplace(pipeline, config, control_, forwarding_.routes(), forwarding_.members());
    }
    if (config.pnp) notification_.emplace(pipeline, config, is_data_, forwarding_.routes());
    if (config.trp) {
      reaction_.emplace(pipeline, config, control_, is_data_, forwarding_.routes(),
                        forwarding_.members(), routes.loopback_ports);
    }
  }

  void on_ingress(PassKind auto& pass) {
    control_.run(pass.now());
    const Route* route = forwarding_.route(pass);
    if (route == nullptr) return pass.drop();
    if (monitor_ && monitor_->ingress(pass, route->remote)) return;
    if (!expected_.empty() && pass.header().opcode == Opcode::none)
      follow(pass.header(), pass.now());
    const bool data = is_data_.test(pass, number(pass.header().opcode));
    bool around = false;
    if (notification_ && data) notification_->ingress(pass, route->remote);
    if (reaction_) {
      if (data)
        around = reaction_->data(pass, route->remote);
      else
        reaction_->cnp(pass, route->remote);
    }
    forwarding_.choose(pass, *route);
    if (around) reaction_->go_around(pass);
  }

  void on_egress(PassKind auto& pass) {
    if (notification_) notification_->egress(pass);
  }

  /// The daemons of both ends tell, some time before the first message; or, where the ends shake
  /// hands first, after that.
  void connect(const Connection& c) override {
    const Side side = side_of(c);
    if (side == Side::none) return;
    if (c.shakes_hands)
      expected_[{c.sender, c.receiver, c.entropy}] = c;
    else
      tell(c, side, std::max(Picoseconds(0), c.starts - config_.qp_lead));
  }
  /// They tell that the queue pairs are destroyed.
  void disconnect(const Connection& c, Picoseconds now) override {
    const Side side = side_of(c);
    if (side == Side::none) return;
    if (c.shakes_hands) expected_.erase({c.sender, c.receiver, c.entropy});
    control_.begin(now, [this, c, side] {
      if (notification_ && notifies(side)) notification_->uninstall(c);
      if (reaction_ && side == Side::comes_in) reaction_->uninstall(c);
    });
  }

  std::vector<Occupancy> occupancies() const override {
    std::vector<Occupancy> out;
    if (notification_) out.push_back(notification_->occupancy());
    if (reaction_) reaction_->targets().add_occupancies(out);
    return out;
  }

  std::vector<std::pair<std::string_view, std::uint64_t>> counters() const override {
    std::vector<std::pair<std::string_view, std::uint64_t>> out;
    if (notification_) {
      const auto& n = notification_->counts();
      out.insert(out.end(), {{"marks_cleared", n.marks},
                             {"cnps_made", n.cnps},
                             {"copies_of_unknown_flows", n.unknown},
                             {"connections_not_added", n.not_added},
                             {"most_connections", n.most_entries}});
    }
    if (monitor_ && config_.handshakes) {
      const auto& m = monitor_->counts();
      out.insert(out.end(), {{"cookies_sent", m.cookies},
                             {"handshakes_reset", m.resets},
                             {"handshakes_told", m.told},
                             {"connections_without_handshake", without_handshake_}});
    }
    if (reaction_) {
      const auto& r = reaction_->counts();
      const auto& t = reaction_->targets().counts();
      out.insert(out.end(), {{"cnps_seen", r.cnps},
                             {"loop_steps", r.steps},
                             {"packets_looped", r.looped},
                             {"loops", r.loops},
                             {"recoveries", r.recoveries},
                             {"left_in_turn", r.in_turn},
                             {"most_loops", r.most_loops},
                             {"flows_not_stored", t.not_stored},
                             {"flows_removed", t.removed},
                             {"most_flows_stored", t.most_stored},
                             {"cnps_of_unknown_flows", t.unknown},
                             {"peers_not_added", t.no_peer},
                             {"most_peers", t.most_peers}});
    }
    return out;
  }

 private:
  /// Side of a flow: only those that cross between the sides are of interest.
  enum class Side { none, leaves, comes_in };
  Side side_of(const Connection& c) const {
    const bool from_far = is_remote(config_, known_, c.sender);
    const bool to_far = is_remote(config_, known_, c.receiver);
    return from_far == to_far ? Side::none : to_far ? Side::leaves : Side::comes_in;
  }
  /// The message about a connection comes at `t`.
  void tell(const Connection& c, Side side, Picoseconds t) {
    control_.begin(t, [this, c, side] {
      // A message about nodes that nobody saw shake hands is of no interest.
      if (config_.handshakes && monitor_ && side == Side::leaves &&
          !monitor_->told_of(c.sender, c.receiver)) {
        ++without_handshake_;
        return;
      }
      if (notification_ && notifies(side)) notification_->install(c);
      if (reaction_ && side == Side::comes_in) reaction_->install(c);
    });
  }
  /// The last segment of a handshake passes: the daemons' messages are right behind it.
  void follow(const Packet& p, Picoseconds now) {
    if (TcpSegment::of(p).flags != TcpSegment::ack) return;
    const auto it = expected_.find({p.src, p.dst, p.entropy});
    if (it == expected_.end()) return;
    tell(it->second, side_of(it->second), now);
    expected_.erase(it);
  }
  bool notifies(Side side) const { return side == Side::leaves || config_.scope == PnpScope::any; }

  PnpTrpConfig config_;
  Routes known_;
  ControlPlane control_;
  Forwarding forwarding_;
  dataplane::Gateway is_data_;
  std::optional<HandshakeMonitor> monitor_;
  std::optional<NotificationPoint> notification_;
  std::optional<ReactionPoint> reaction_;
  std::uint64_t without_handshake_ = 0;
  /// Connections whose ends have not shaken hands yet, by the sender, the receiver and its port.
  std::map<std::tuple<NodeId, NodeId, std::uint16_t>, Connection> expected_;
};

class PnpTrpFactory final : public ConfiguredFactory<PnpTrpFactory, PnpTrpConfig> {
 public:
  static constexpr std::string_view name = "pnp_trp";
  using ConfiguredFactory::ConfiguredFactory;
  std::unique_ptr<Program> make(dataplane::Pipeline& pipeline,
                                const Routes& routes) const override {
    // A CNP enters by another port than the data it slows, and registers are a pipeline's own.
    const auto& of_port = routes.pipeline_of_port;
    if (config_.trp && std::set<unsigned>(of_port.begin(), of_port.end()).size() > 1) {
      throw InputError(
          fmt::format("{}: the reaction point needs all ports on one pipeline: a CNP and the data "
                      "it slows enter by different ports",
                      pipeline.name()));
    }
    return std::make_unique<PnpTrp>(pipeline, config_, routes);
  }
};

}  // namespace
}  // namespace horae::programs::pnp_trp

namespace horae::programs {

ProgramEntry pnp_trp_entry() {
  return entry_of<pnp_trp::PnpTrpFactory, pnp_trp::check>(
      "CNPs from the exit switch, and loops for flows whose receivers send CNPs (long-haul paper)");
}

}  // namespace horae::programs
