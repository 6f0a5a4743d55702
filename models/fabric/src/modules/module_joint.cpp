#include "horae/fabric/module_joint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/core/service.hpp"
#include "horae/core/stats.hpp"

namespace horae::fabric {

/// Two sockets back to back with what is connected.
class module_joint::face : public packet_fw_if, public packet_bw_if {
 public:
  face(module_joint& joint, unsigned side, bool inner)
      : to(fmt::format("{}{}_out", inner ? "inner" : "outer", side).c_str()),
        from(fmt::format("{}{}_in", inner ? "inner" : "outer", side).c_str()),
        joint_(joint),
        side_(static_cast<std::uint8_t>(side)),
        inner_(inner) {
    to.bind(static_cast<packet_bw_if&>(*this));
    from.bind(static_cast<packet_fw_if&>(*this));
  }

  packet_initiator_socket to;
  packet_target_socket from;

 private:
  tlm::tlm_sync_enum nb_transport_fw(Packet& p, packet_phase& phase, sc_core::sc_time& t) override {
    return guarded([&] {
      if (phase != packet_phase::begin_packet) throw ModelError("not a phase of the forward path");
      inner_ ? joint_.leave(side_, p, from_sc_time(t)) : come(p, from_sc_time(t));
    });
  }
  tlm::tlm_sync_enum nb_transport_bw(Packet& p, packet_phase& phase, sc_core::sc_time& t) override {
    return guarded([&] {
      if (phase == packet_phase::begin_packet) throw ModelError("not a phase of the backward path");
      inner_ ? joint_.leave_pause(side_, p, phase, from_sc_time(t))
             : come(p.traffic_class, phase, from_sc_time(t));
    });
  }

  void come(Packet& p, Picoseconds at) {
    auto& side = joint_.sides_[side_];
    ++side.packets;
    side.bytes += p.frame;
    joint_.inside_.emplace(&p, side_);
    joint_.file({.at = at, .side = side_, .packet = &p});
  }
  void come(std::uint8_t traffic_class, packet_phase phase, Picoseconds at) {
    joint_.sides_[side_].pauses += phase == packet_phase::pause ? 1 : 0;
    joint_.file({.at = at, .phase = phase, .side = side_, .traffic_class = traffic_class});
  }

  /// The module's processes are not to end for what is wrong in a call of theirs.
  template <class F>
  tlm::tlm_sync_enum guarded(F&& call) {
    try {
      call();
    } catch (const std::exception&) {
      if (!inner_) throw;  // to the device
      joint_.context_.clock.fail(std::current_exception(), &joint_);
    }
    return tlm::TLM_ACCEPTED;
  }

  module_joint& joint_;
  std::uint8_t side_;
  bool inner_;
};

bool module_joint::Coming::operator>(const Coming& o) const {
  const auto key = [](const Coming& c) {
    return std::tuple(c.at.count(), c.phase == packet_phase::begin_packet, c.side, c.ordinal);
  };
  return key(*this) > key(o);
}

module_joint::module_joint(const sc_core::sc_module_name& name, sim_context& context,
                           const ModuleFactory& factory, const End& first, const End& second,
                           Place place)
    : sc_module(name), context_(context), place_(place) {
  for (unsigned side = 0; side < 2; ++side) {
    const End& end = side == 0 ? first : second;
    const LinkConfig& towards = (side == 0 ? second : first).link;
    Side& s = sides_[side];
    s.peer = end.peer;
    s.port = end.port;
    s.rate = towards.rate;
    s.node = end.node;
    const Picoseconds half = end.link.delay / 2;
    s.delay = place == Place::end ? end.link.delay : side == 0 ? half : end.link.delay - half;
    s.outer = std::make_unique<face>(*this, side, false);
    s.inner = std::make_unique<face>(*this, side, true);
    auto& tx = end.peer->tx(end.port);
    tx.socket.bind(s.outer->from);
    s.outer->to.bind(end.peer->rx(end.port));
    LinkConfig link = end.link;
    link.delay = s.delay;
    tx.configure(link);
  }
  module_ = factory.make("module", *this);
  for (unsigned side = 0; side < 2; ++side) {
    sides_[side].inner->to.bind(module_->in(side));
    module_->out(side).bind(sides_[side].inner->from);
  }
  context.clock.attach(*this);
  SC_HAS_PROCESS(module_joint);
  SC_METHOD(hand_over);
  sensitive << due_;
  dont_initialize();
}

module_joint::~module_joint() = default;

RandomStream module_joint::random(std::string_view what) const {
  return {context_.seed, fmt::format("{}.{}", name(), what)};
}

void module_joint::file(Coming c) {
  c.ordinal = filed_++;
  const bool first = coming_.empty() || c.at < coming_.top().at;
  coming_.push(c);
  if (first) due_.notify(to_sc_time(c.at) - sc_core::sc_time_stamp());
}

void module_joint::hand_over() {
  // A delta cycle later: what the module's own timers do at this time has happened by then, however
  // SystemC orders processes.
  if (!std::exchange(deferred_, !deferred_)) return next_trigger(sc_core::SC_ZERO_TIME);
  const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
  try {
    while (!coming_.empty() && coming_.top().at <= now) {
      const Coming c = coming_.top();
      coming_.pop();
      packet_phase phase = c.phase;
      sc_core::sc_time t = sc_core::sc_time_stamp();
      face& inner = *sides_[c.side].inner;
      if (c.packet != nullptr) {
        inner.to->nb_transport_fw(*c.packet, phase, t);
      } else {
        Packet carrier;
        carrier.traffic_class = c.traffic_class;
        inner.from->nb_transport_bw(carrier, phase, t);
      }
    }
  } catch (...) {
    return context_.clock.fail(std::current_exception(), this);
  }
  if (!coming_.empty()) due_.notify(to_sc_time(coming_.top().at - now));
}

void module_joint::require_not_past(Picoseconds t) const {
  const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
  if (t >= now) return;
  throw ModelError(fmt::format("{}: the module sends at {} ps, in the past of {} ps", name(),
                               t.count(), now.count()));
}

unsigned module_joint::give_up(const Packet& p, const char* what) {
  const auto it = inside_.find(&p);
  if (it == inside_.end()) {
    throw ModelError(fmt::format("{}: the module {} a packet that it does not have", name(), what));
  }
  const unsigned from = it->second;
  inside_.erase(it);
  return from;
}

void module_joint::leave(unsigned side, Packet& p, Picoseconds last_bit) {
  require_not_past(last_bit);
  give_up(p, "sends");
  Side& s = sides_[side];
  const Side& other = sides_[1 - side];
  const LinkConfig& link = other.peer->tx(other.port).link();
  const Picoseconds on_wire = serialisation_time(p.wire_size(), s.rate);
  s.busy_until = std::max(last_bit, s.busy_until + on_wire);
  const Picoseconds arrival = s.busy_until + s.delay;
  const bool harmed = !link.data_only || carries_data(p);
  if (harmed && cut_off(link.outages, s.busy_until - on_wire, arrival)) {
    ++cut_;
    return end(p, 1 - side, DropCause::link_down, arrival);
  }
  packet_phase phase = packet_phase::begin_packet;
  sc_core::sc_time at = to_sc_time(arrival);
  s.outer->to->nb_transport_fw(p, phase, at);
}

void module_joint::leave_pause(unsigned side, Packet& carrier, packet_phase phase,
                               Picoseconds last_bit) {
  require_not_past(last_bit);
  sc_core::sc_time at = to_sc_time(last_bit + sides_[side].delay);
  sides_[side].outer->from->nb_transport_bw(carrier, phase, at);
}

void module_joint::drop(Packet& p, bool at_random) {
  const unsigned from = give_up(p, "drops");
  ++dropped_;
  dropped_at_random_ += at_random ? 1 : 0;
  end(p, from, DropCause::module, from_sc_time(sc_core::sc_time_stamp()));
}

Packet& module_joint::create() {
  const Side& s = sides_[1];
  if (place_ != Place::end || !s.node)
    throw ModelError(fmt::format("{}: the module makes a packet, and is no end point", name()));
  Packet& p = context_.pool.create();
  // Its host counts its own packets from 0.
  p.id = std::uint64_t{*s.node} << 40 | std::uint64_t{1} << 39 | made_++;
  p.src = *s.node;
  p.created = from_sc_time(sc_core::sc_time_stamp());
  inside_.emplace(&p, std::uint8_t{1});
  return p;
}

void module_joint::deliver(Packet& p) {
  if (place_ != Place::end)
    throw ModelError(fmt::format("{}: the module delivers a packet, and is no end point", name()));
  give_up(p, "delivers");
  context_.pool.deliver(p);
}

void module_joint::fail(std::exception_ptr error) { context_.clock.fail(std::move(error), this); }

void module_joint::end(Packet& p, unsigned from, DropCause cause, Picoseconds at) {
  if (auto* watcher = context_.watcher) watcher->dropped(*sides_[from].peer, p, cause, at);
  context_.pool.drop(p, cause);
}

void module_joint::statistics(StatTree& tree) const {
  for (const Side& s : sides_) {
    tree.group(fmt::format("from_{}", s.peer->name()))
        .value("packets", s.packets, "packets")
        .value("bytes", s.bytes, "bytes")
        .value("pauses", s.pauses, "frames");
  }
  tree.value("dropped", dropped_, "packets");
  if (cut_ > 0) tree.value("cut_by_outage", cut_, "packets");
  module_->statistics(tree);
}

std::vector<std::string> module_joint::describe_queues() const {
  std::vector<std::string> lines;
  if (held() > 0)
    lines.push_back(fmt::format("{}: {} packets in the module or before it", name(), held()));
  for (const auto& line : module_->describe_queues())
    lines.push_back(fmt::format("{}: {}", name(), line));
  return lines;
}

void module_joint::add_outlook(Outlook& outlook) const {
  outlook.chances += dropped_at_random_;
  const bool fresh = std::any_of(inside_.begin(), inside_.end(),
                                 [](const auto& entry) { return !entry.first->again; });
  if (fresh || pending()) outlook.expect(from_sc_time(sc_core::sc_time_stamp()));
}

}  // namespace horae::fabric
