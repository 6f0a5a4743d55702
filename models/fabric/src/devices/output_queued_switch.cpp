#include "horae/fabric/devices/output_queued_switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "horae/core/error.hpp"
#include "horae/fabric/ports/pause_waits.hpp"

namespace horae::fabric {
namespace {
constexpr std::uint8_t start_event = device_events;
constexpr std::int64_t share_unit = 65536;

/// All classes but those of acknowledgements and CNPs, and of trimmed packets, as bits.
unsigned data_classes(const SwitchConfig& config) {
  unsigned classes = (1u << OutputPort::classes) - 1;
  if (config.control_class) classes &= ~(1u << *config.control_class);
  if (config.trims()) classes &= ~(1u << config.class_of_trimmed());
  return classes;
}

/// Those of `classes` that pause.
unsigned pausing_classes(const PfcConfig& pfc, unsigned classes) {
  if (!pfc.enabled()) return 0;
  for (unsigned c = 0; c < OutputPort::classes; ++c) {
    if (!pfc.pauses(c)) classes &= ~(1u << c);
  }
  return classes;
}

std::int64_t in_share_units(double share) {
  return static_cast<std::int64_t>(std::llround(share * share_unit));
}
}  // namespace

Bytes pfc_headroom(BitRate rate, Picoseconds delay, Bytes largest_frame,
                   Picoseconds receive_latency, Picoseconds peer_pipeline) {
  const Picoseconds in_flight = delay * 2 + receive_latency + peer_pipeline;
  const auto bits = static_cast<double>(rate.count()) * to_seconds(in_flight);
  return Bytes(static_cast<std::int64_t>(bits / 8) + 1) + l1_bytes(largest_frame) * 3 +
         l1_bytes(Bytes(wire::minimum_frame));
}

class output_queued_switch::EgressView final : public policy::PortView {
 public:
  EgressView(output_queued_switch& owner, std::span<const std::uint16_t> ports, Picoseconds t)
      : owner_(owner), ports_(ports), t_(t) {}
  Bytes depth(unsigned choice) const override {
    const OutputPort& out = out_of(choice);
    return owner_.sees_queue_alone_ ? out.depth() : out.depth() + out.tx().left_to_send(t_);
  }
  Picoseconds now() const override { return t_; }
  BitRate rate(unsigned choice) const override {
    return owner_.egress(ports_[choice]).out.tx().link().rate;
  }
  Bytes queued(unsigned choice) const override { return out_of(choice).depth(); }
  Bytes sending(unsigned choice) const override { return out_of(choice).tx().left_to_send(t_); }
  unsigned port(unsigned choice) const override { return ports_[choice]; }

 private:
  /// As it is now.
  const OutputPort& out_of(unsigned choice) const {
    owner_.start_before(ports_[choice], t_);
    return owner_.egress(ports_[choice]).out;
  }

  output_queued_switch& owner_;
  std::span<const std::uint16_t> ports_;
  Picoseconds t_;
};

output_queued_switch::output_queued_switch(sc_core::sc_module_name name, sim_context& context,
                                           const SwitchConfig& config)
    : device(name, context, config.ports),
      config_(config),
      due_(config.ports, never),
      balance_(policy::make_load_balancer(
          config.balance, context.seed, std::string(this->name()) + ".balance", config.balancing)),
      red_(RandomStream(context.seed, std::string(this->name()) + ".red")),
      shared_(config.pfc.enabled() || config.buffer.count() > 0),
      limited_(data_classes(config)),
      counted_(shared_ ? limited_ : 0),
      refusable_(shared_ || config.limits_queues() ? limited_ : 0),
      marking_(config.red.enabled() && !config.red.at_dequeue() ? limited_ : 0),
      start_simply_(!shared_ && !config.classes &&
                    !(config.red.enabled() && config.red.at_dequeue())),
      feedback_(balance_->needs().feedback),
      classing_(config.maps.dscp_to_class.has_value()),
      pfc_(config.pfc.enabled()),
      lossless_(pausing_classes(config.pfc, limited_)),
      has_lossy_(pfc_ && config.pfc.priorities.has_value()),
      has_shares_(config.queue_share > 0),
      by_class_(config.limits_classes()),
      sees_queue_alone_(config.balance_depth == BalanceDepth::queue),
      queue_share_(in_share_units(config.queue_share)),
      deflect_(context.seed, std::string(this->name()) + ".deflect"),
      class_here_(config.maps.of_classes()),
      ingress_(config.pfc, BufferPools(config.pools, config.buffer), config.ports,
               config.ports * OutputPort::classes),
      pools_(config.pools, config.buffer) {
  for (unsigned i = 0; i < config.ports; ++i) {
    egress_.push_back({OutputPort(tx(i)), config.limit_at(tx(i).link().rate)});
    if (config.schedule != QueueSchedule::fifo) {
      egress_.back().out.schedule_by_remaining(
          config.schedule == QueueSchedule::srpt ? RemainingOrder::flow : RemainingOrder::packet);
    }
    if (config.classes) egress_.back().out.schedule_by(QueueScheduler(*config.classes));
  }
  for (const ClassConfig& c : config.classes.value_or(std::vector<ClassConfig>{})) {
    class_shares_.at(c.number) = {c.limit.count(), in_share_units(c.share), c.minimum.count()};
    has_shares_ = has_shares_ || c.limit.count() > 0 || c.share > 0;
  }
  if (config.full == WhenFull::half)
    half_.emplace(context.seed, std::string(this->name()) + ".full");
  set_receive_latency(config.latency);
}

void output_queued_switch::begin() {
  for (unsigned i = 0; i < egress_.size(); ++i) {
    const BitRate rate = tx(i).link().rate;
    egress_[i].limit = config_.limit_at(rate);
    egress_[i].red = config_.red.of(rate, config_.reference_rate);
    if (config_.red.by_class)
      red_of_class_.push_back(config_.red.of_port(rate, config_.reference_rate));
    if (config_.red.enabled() && config_.red.at_dequeue()) {
      red_of_port_.emplace_back(
          RandomStream(context_.seed, fmt::format("{}.port{}.red", name(), i)));
    }
    ingress_.set_port(i, config_.pfc.alpha_of(rate),
                      config_.headrooms.empty() ? config_.pfc.headroom : config_.headrooms.at(i));
  }
  if (!config_.balance_responses.value_or(true)) {
    balance_ = policy::pinning(std::move(balance_), context_.seed,
                               std::string(name()) + ".responses", policy::Pinned::responses);
  }
  begin_recording();
  if (feedback_) begin_feedback();
  if (feedback_ || classing_) start_simply_ = false;
  writing_ = recording_ || !red_of_port_.empty() || feedback_ || classing_;
  if (watcher() != nullptr && shared_) start_by_events();
  for (unsigned i = 0; i < egress_.size(); ++i) {
    egress_[i].reserves = starts_change_nothing() && tx(i).may_reserve();
    if (egress_[i].reserves) egress_[i].plain_depth = plain_depth(egress_[i]);
  }
}

void output_queued_switch::begin_feedback() {
  place_.rates.clear();
  place_.to_switch.assign(egress_.size(), false);
  for (unsigned i = 0; i < egress_.size(); ++i) place_.rates.push_back(tx(i).link().rate);
  for (const auto port : switch_ports_) place_.to_switch[port] = true;
  balance_->begin(place_);
  start_by_events();  // it hears of what leaves in order
}

std::int64_t output_queued_switch::plain_depth(const Egress& egress) const {
  if (has_shares_ || config_.deflect) return -1;
  std::int64_t depth = egress.limit;
  if (marking_ != 0 && egress.red.enabled()) depth = std::min(depth, egress.red.kmin.count());
  if (!red_of_class_.empty()) depth = -1;
  return depth;
}

/// Whether all that starts of packets change are sums, so that nobody needs to see them in order,
/// and packets of a class leave in the order in which they were queued.
bool output_queued_switch::starts_change_nothing() const {
  return !pfc_ && !writing_ && !half_ && !starts_are_events_ && !config_.classes &&
         !config_.pools && config_.schedule == QueueSchedule::fifo;
}

void output_queued_switch::pin_connections() {
  balance_ = policy::pinning(std::move(balance_), context_.seed, std::string(name()) + ".pinned");
}

void output_queued_switch::start_by_events() {
  ++pausing_;
  starts_are_events_ = true;
}

/// Records are added where NICs ask for them.
void output_queued_switch::begin_recording() {
  recording_ = config_.telemetry.value_or(false) && context_.pool.carries_feedback();
  if (!recording_) return;
  start_simply_ = false;
  for (unsigned i = 0; i < egress_.size(); ++i) {
    if (!tx(i).connected()) continue;
    const auto code = telemetry_code(tx(i).link().rate);
    if (!code) {
      throw InputError(fmt::format("{}: telemetry has no code for the rate of port {}, {} bit/s",
                                   name(), i, tx(i).link().rate.count()));
    }
    egress_[i].rate_code = *code;
  }
}

void output_queued_switch::handle(const Event& e) {
  if (key_kind(e.key) == arrival_event) return forward<false>(arrived(e), e.time);
  const unsigned port = key_entity(e.key);
  Egress& egress = egress_[port];
  switch (key_kind(e.key)) {
    case pause_event:
      start_before(port, e.time);
      recall(port);
      egress.out.pause(static_cast<unsigned>(e.payload));
      due(port) = egress.out.next_start();
      break;
    case resume_event:
      start_before(port, e.time);
      egress.out.resume(static_cast<unsigned>(e.payload), e.time);
      due(port) = egress.out.next_start();
      arm(port);
      break;
    case start_event:
      if (egress.armed != e.time) break;  // overtaken by an earlier one
      egress.armed = never;
      if (!starts_are_events_) break;
      start_before(port, e.time + 1_ps);
      arm(port);
      break;
    default:
      throw ModelError(fmt::format("{}: unknown event", name()));
  }
}

/// Reserved packets that are due begin.
[[gnu::always_inline]] inline void output_queued_switch::begin_due(unsigned port, Picoseconds end) {
  OutputPort& out = egress(port).out;
  Picoseconds start{};
  std::int64_t counted = 0;
  do {
    const auto [p, next] = out.begin_reserved();
    if (is_in(counted_, p)) counted += p.frame;
    start = out.has_reserved() ? next : never;
  } while (start < end);
  buffered_ -= counted;
  due(port) = start;
}

/// Reserves a packet if no limit and no threshold is near.
[[gnu::always_inline]] inline bool output_queued_switch::reserve_plainly(Packet& p, unsigned port,
                                                                         Picoseconds t) {
  Egress& egress = this->egress(port);
  const std::int64_t frame = p.frame;
  if (egress.out.reserved_bytes() + frame > egress.plain_depth) return false;
  if (!egress.out.may_reserve(p)) return false;
  if (counted_ != 0) {
    if (buffered_ + frame > most_buffered_) return false;
    if (is_in(counted_, p)) [[likely]]
      buffered_ += frame;
  }
  ++counters_.forwarded;
  const Picoseconds start = egress.out.reserve(p, t);
  if (start < due(port)) due(port) = start;
  return true;
}

/// The short way of most packets: nothing that a platform may have matters to it.
[[gnu::always_inline]] inline void output_queued_switch::forward_plainly(Packet& p, Picoseconds t) {
  const auto ports = routes_.towards(p.dst);
  if (ports.empty()) [[unlikely]]
    return drop(p, DropCause::no_route, t);
  const unsigned port = ports.data()[balanced(p, ports, t)];
  if (due(port) < t) {
    if (egress(port).out.has_reserved()) [[likely]] {
      begin_due(port, t);
    } else {
      start_due(port, t);
    }
  }
  if (!reserve_plainly(p, port, t)) [[unlikely]]
    forward_by<false>(port, p, t);
}

void output_queued_switch::handle_before(Picoseconds end) {
  // Derived switches take their arrivals apart.
  if (watcher() != nullptr || config_.voq || config_.notify || paths_ || feedback_ || classing_)
      [[unlikely]]
    return device::handle_before(end);
  take_before(
      end, [this](Packet& p, Picoseconds t) { forward_plainly(p, t); },
      [this](const Event& e) { handle(e); });
}

void output_queued_switch::handle_watched(const Event& e) {
  notify_arrival(e);
  if (key_kind(e.key) == arrival_event) return forward<true>(arrived(e), e.time);
  handle(e);
}

unsigned output_queued_switch::balanced(const Packet& p, std::span<const std::uint16_t> ports,
                                        Picoseconds t) {
  if (ports.size() == 1) return 0;
  return balance_->choose(p, static_cast<unsigned>(ports.size()), EgressView(*this, ports, t));
}

std::optional<unsigned> output_queued_switch::egress_of(Packet& p, Picoseconds t) {
  if (paths_) [[unlikely]]
    return egress_by_path(p, t);
  const auto ports = routes_.towards(p.dst);
  if (ports.empty()) return std::nullopt;
  return ports.data()[balanced(p, ports, t)];
}

[[gnu::noinline]] std::optional<unsigned> output_queued_switch::egress_by_path(Packet& p,
                                                                               Picoseconds t) {
  constexpr std::uint16_t no_path = 0xffff;  // goes by routes_ from here on
  const auto ports = routes_.towards(p.dst);
  if (ports.empty()) return std::nullopt;
  if (p.metadata == 0 && paths_->home(p.src) == vertex_) {
    const auto firsts = paths_->first_ports(p.src, p.dst);
    if (!firsts.empty()) {
      const unsigned path = balanced(p, firsts, t);
      p.metadata = static_cast<std::uint16_t>(path + 1);
      return firsts[path];
    }
  } else if (p.metadata != 0 && p.metadata != no_path) {
    const auto port = paths_->port(p.src, p.dst, p.metadata - 1u, vertex_);
    if (port) return *port;
  }
  // The last switch, or one that the path does not lead through any more.
  p.metadata = no_path;
  return ports[balanced(p, ports, t)];
}

template <bool watched>
void output_queued_switch::forward(Packet& p, Picoseconds t) {
  if (feedback_ || classing_) [[unlikely]]
    take_in(p, t);
  const auto way = egress_of(p, t);
  if (!way) [[unlikely]]
    return drop(p, DropCause::no_route, t);
  start_before(*way, t);
  forward_by<watched>(*way, p, t);
}

[[gnu::noinline]] void output_queued_switch::take_in(Packet& p, Picoseconds t) {
  if (feedback_) balance_->comes(p, t);
  const std::uint8_t here = class_here_[p.traffic_class];
  if (!classing_ || here == p.traffic_class) return;
  p.mirror_type = static_cast<std::uint8_t>(p.traffic_class + 1);
  p.traffic_class = here;
}

/// Marks a packet and queues it at `port`, of which all that is due has started, or drops it.
template <bool watched>
void output_queued_switch::forward_by(unsigned port, Packet& p, Picoseconds t) {
  if (is_in(refusable_, p)) {
    if (config_.deflect) [[unlikely]] {
      if (p.hop_limit <= 1) return drop(p, DropCause::hop_limit, t);
      --p.hop_limit;
    }
    if (const auto cause = refusal(p, egress(port), t)) [[unlikely]] {
      const bool deflects = config_.deflect && *cause == DropCause::queue_full;
      if (const auto other = deflects ? deflection(p, port, t) : std::nullopt) {
        port = *other;
        ++counters_.deflected;
      } else if (!make_room(p, port, *cause, t)) {
        return;
      }
    }
  }
  if (is_in(marking_, p) && red_.mark(p, egress(port).out.depth(p.traffic_class), red_of(p, port)))
    ++counters_.marked;
  ++counters_.forwarded;
  if constexpr (watched) watcher()->queued(*this, port, p.traffic_class, p, t);
  enqueue(p, port, t);
  if (is_in(counted_, p)) account(p, t);
  if (starts_are_events_) [[unlikely]]
    arm(port);
}

void output_queued_switch::enqueue(Packet& p, unsigned port, Picoseconds t) {
  Egress& egress = this->egress(port);
  if (egress.reserves) [[likely]] {
    if (egress.out.may_reserve(p)) [[likely]] {
      const Picoseconds start = egress.out.reserve(p, t);
      due(port) = std::min(due(port), start);
      return;
    }
    recall(port);
  }
  egress.out.enqueue(p, t);
  if (due(port) == never) due(port) = egress.out.next_start();
}

/// The reserved packet waits in its queue again.
void output_queued_switch::recall(unsigned port) { egress(port).out.recall(due(port)); }

void output_queued_switch::admit(Packet& p, Picoseconds t) {
  if (watcher() != nullptr) [[unlikely]]
    return forward<true>(p, t);
  forward<false>(p, t);
}

void output_queued_switch::account(const Packet& p, Picoseconds t) {
  if (buffered_ + p.frame > most_buffered_ && !starts_are_events_) start_every_port_before(t);
  buffered_ += p.frame;
  most_buffered_ = std::max(most_buffered_, buffered_);
  if (pools_.several()) pools_.take(p.traffic_class, p.frame);
  if (!pfc_) return;
  if (!is_in(lossless_, p)) return ingress_.take_of_pool(p.frame, pools_.of(p.traffic_class));
  const std::size_t queue = queue_of(p);
  if (!ingress_.takes_freely(queue, p.frame) && !starts_are_events_) start_every_port_before(t);
  if (ingress_.add(queue, p.frame)) [[unlikely]] {
    ++counters_.pauses_sent;
    pause_sender(p.ingress_port, p.traffic_class, true, t);
    if (pausing_++ == 0) starts_become_events();
  }
}

/// Brings the sums up to `t`: nothing starts at `t` before all that arrives then is queued.
[[gnu::noinline]] void output_queued_switch::start_every_port_before(Picoseconds t) {
  for (unsigned port = 0; port < due_.size(); ++port) start_before(port, t);
}

void output_queued_switch::starts_become_events() {
  starts_are_events_ = true;
  for (unsigned port = 0; port < due_.size(); ++port) arm(port);
}

/// Why a packet is refused at `t`, if it is.
inline std::optional<DropCause> output_queued_switch::refusal(const Packet& p, const Egress& egress,
                                                              Picoseconds t) {
  const auto cause = refusal_now(p, egress);
  if (!cause || !shared_ || starts_are_events_) [[likely]]
    return cause;
  start_every_port_before(t);
  return refusal_now(p, egress);
}

inline std::optional<DropCause> output_queued_switch::refusal_now(const Packet& p,
                                                                  const Egress& egress) const {
  if (is_in(lossless_, p)) {
    if (!ingress_.fits(queue_of(p), p.frame)) return DropCause::headroom_full;
  } else if (has_lossy_ && !ingress_.pool_has_of_lossy(p.frame, pools_.of(p.traffic_class))) {
    return DropCause::buffer_full;
  }
  if (queue_full(p, egress)) return DropCause::queue_full;
  if (buffer_full(p)) return DropCause::buffer_full;
  return std::nullopt;
}

bool output_queued_switch::queue_full(const Packet& p, const Egress& egress) const {
  const Bytes waiting = by_class_ ? egress.out.depth(p.traffic_class) : egress.out.depth();
  const std::int64_t depth = waiting.count() + p.frame;
  if (depth > egress.limit) return !(has_lossy_ && is_in(lossless_, p));
  return has_shares_ && over_share(p, egress, depth);
}

[[gnu::noinline]] bool output_queued_switch::over_share(const Packet& p, const Egress& egress,
                                                        std::int64_t depth) const {
  if (has_lossy_ && is_in(lossless_, p)) return false;
  const std::int64_t free =
      pools_.several() ? pools_.free(p.traffic_class) : config_.buffer.count() - buffered_;
  if (queue_share_ > 0 && depth * share_unit > queue_share_ * free) return true;
  const ClassShare& of = class_shares_[p.traffic_class];
  const std::int64_t own = egress.out.depth(p.traffic_class).count() + p.frame;
  if (of.limit > 0 && own > of.limit) return true;
  return of.share > 0 && own > of.minimum && own * share_unit > of.share * free;
}

[[gnu::noinline]] std::optional<unsigned> output_queued_switch::deflection(const Packet& p,
                                                                           unsigned full,
                                                                           Picoseconds t) {
  if (buffer_full(p)) return std::nullopt;
  candidates_.clear();
  for (const auto port : switch_ports_) {
    if (port == full) continue;
    start_before(port, t);
    if (!queue_full(p, egress_[port])) candidates_.push_back(port);
  }
  if (candidates_.empty()) return std::nullopt;
  return candidates_[deflect_.below(static_cast<std::uint32_t>(candidates_.size()))];
}

void output_queued_switch::drop(Packet& p, DropCause cause, Picoseconds t) {
  if (auto* w = watcher()) w->dropped(*this, p, cause, t);
  ++counters_.dropped;
  ++dropped_by_[static_cast<std::size_t>(cause)];
  ++dropped_of_[p.traffic_class];
  pool().drop(p, cause);
}

void output_queued_switch::start_due(unsigned port, Picoseconds end) {
  OutputPort& out = egress(port).out;
  if (out.has_reserved()) [[likely]]
    return begin_due(port, end);
  Picoseconds start = due(port);
  do {
    if (start_simply_) {
      out.tx().send(out.take_next(), start);
    } else {
      Packet& p = out.take_next_at(start);
      const bool counted = is_in(counted_, p);
      const std::size_t queue = queue_of(p);
      const std::int64_t frame = p.frame;
      if (writing_) [[unlikely]]
        write_on_leaving(p, port, start);
      out.tx().send(p, start);
      if (counted) release(queue, frame, start);
    }
    // A packet that still waits was queued before, so the wire is all that it waits for.
    start = out.can_start() ? out.tx().busy_until() : never;
  } while (start < end);
  due(port) = start;
}

[[gnu::noinline]] void output_queued_switch::write_on_leaving(Packet& p, unsigned port,
                                                              Picoseconds start) {
  if (!red_of_port_.empty()) mark_what_leaves(p, port, start);
  if (feedback_) balance_->leaves(p, port, start);
  if (p.mirror_type != 0) {  // the class that it came with
    p.traffic_class = static_cast<std::uint8_t>(p.mirror_type - 1);
    p.mirror_type = 0;
  }
  if (!recording_ || !p.is_data()) return;
  const OutputPort& out = egress(port).out;
  // State of the wire: bytes that a port sent before this packet, and those that wait behind it.
  const std::int64_t sent = out.tx().counters().bytes(Layer::l1).count();
  add_record(p, number(),
             {egress(port).rate_code, start, static_cast<std::uint64_t>(sent), out.depth()});
}

/// A packet that is on its way out, by what it leaves behind in its class.
void output_queued_switch::mark_what_leaves(Packet& p, unsigned port, Picoseconds start) {
  if (!is_in(limited_, p)) return;
  const OutputPort& out = egress(port).out;
  const bool own = red_of_port_[port].mark(p, out.depth(p.traffic_class), red_of(p, port));
  if (own) ++counters_.marked;
  if (p.ecn == Ecn::ce && p.is_data()) leaves_marked(p, own, start);
}

void output_queued_switch::release(std::size_t queue, std::int64_t frame, Picoseconds start) {
  buffered_ -= frame;
  const auto traffic_class = static_cast<unsigned>(queue % OutputPort::classes);
  if (pools_.several()) pools_.give(traffic_class, frame);
  if (!pfc_) return;
  if (has_lossy_ && (lossless_ >> traffic_class & 1u) == 0) [[unlikely]]
    return ingress_.give_to_pool(frame, pools_.of(traffic_class));
  if (ingress_.remove(queue, frame)) [[unlikely]] {
    if (--pausing_ == 0) starts_are_events_ = false;
    pause_sender(static_cast<unsigned>(queue / OutputPort::classes), traffic_class, false, start);
  }
}

/// A pause frame takes the wire of its port for a while.
void output_queued_switch::pause_sender(unsigned port, unsigned traffic_class, bool pause,
                                        Picoseconds t) {
  tx(port).send_pause(t, traffic_class, pause);
  due(port) = egress(port).out.next_start();
}

void output_queued_switch::drain(unsigned port, Picoseconds now) {
  start_before(port, now);
  recall(port);
  egress(port).out.drain([&](Packet& p) {
    const bool counted = is_in(counted_, p);
    const std::size_t queue = queue_of(p);
    const std::int64_t frame = p.frame;
    drop(p, DropCause::link_down, now);
    if (counted) release(queue, frame, now);
  });
  due(port) = never;
}

void output_queued_switch::arm(unsigned port) {
  if (!starts_are_events_) return;
  Picoseconds& armed = egress(port).armed;
  if (due(port) >= armed) return;
  armed = due(port);
  schedule(armed, start_event, static_cast<std::uint16_t>(port), ordinal_++);
}

void output_queued_switch::settle(Picoseconds end) { start_every_port_before(end); }

Picoseconds output_queued_switch::next_own_time() const {
  Picoseconds t = events_.next_time();
  for (const Picoseconds start : due_) t = std::min(t, start);
  return t;
}

std::uint64_t output_queued_switch::queued() const {
  std::uint64_t n = 0;
  for (const auto& egress : egress_) n += egress.out.packets();
  return n;
}

void output_queued_switch::own_outlook(Outlook& outlook) const {
  for (unsigned i = 0; i < egress_.size(); ++i) {
    if (due_[i] == never) continue;
    egress_[i].out.for_each([&](const Packet& p, unsigned) {
      if (!p.again) outlook.expect(due_[i]);
    });
  }
  events_.for_each([&](const Event& e) {
    if (key_kind(e.key) >= own_events) outlook.expect(e.time);
  });
}

void output_queued_switch::add_waits(PauseWaits& waits) const {
  for (unsigned i = 0; i < egress_.size(); ++i) {
    const auto queue = [&](unsigned port, unsigned traffic_class) {
      return PortClass{number(), static_cast<std::uint16_t>(port),
                       static_cast<std::uint16_t>(traffic_class)};
    };
    std::set<std::pair<PortClass, PortClass>> kept_in;
    unsigned held = 0;
    egress_[i].out.for_each([&](const Packet& p, unsigned c) {
      if (egress_[i].out.paused(c)) held |= 1u << c;
      if (is_in(lossless_, p) && is_in(counted_, p) && ingress_.pausing(queue_of(p)))
        kept_in.emplace(queue(p.ingress_port, p.traffic_class), queue(i, c));
    });
    for (unsigned c = 0; c < OutputPort::classes; ++c) {
      if ((held >> c & 1u) != 0) waits.held.push_back(queue(i, c));
    }
    waits.kept_in.insert(waits.kept_in.end(), kept_in.begin(), kept_in.end());
  }
}

std::vector<std::string> output_queued_switch::describe_queues() const {
  std::vector<std::string> lines;
  for (unsigned i = 0; i < egress_.size(); ++i) {
    const OutputPort& out = egress_[i].out;
    if (out.packets() == 0) continue;
    lines.push_back(fmt::format("{} port {}: {} packets, {} bytes{}", name(), i, out.packets(),
                                out.depth().count(), out.next_start() == never ? ", paused" : ""));
  }
  return lines;
}

}  // namespace horae::fabric
