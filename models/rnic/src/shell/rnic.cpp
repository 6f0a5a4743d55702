// The NIC's construction, and its events handed out.
#include "horae/rnic/rnic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/core/verb.hpp"
#include "horae/fabric/rank_border.hpp"
#include "horae/rnic/host/fetch_ahead.hpp"
#include "horae/rnic/memory/policy_state.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

rnic::rnic(sc_core::sc_module_name name, fabric::sim_context& context, const RnicConfig& config,
           NodeId id)
    : device(name, context, config.port_count()),
      config_(config),
      id_(id),
      transport_(policy::find_transport(config.transport)),
      deadlines_recede_(transport_.own_timeout == nullptr && !config.reliability.timeout_varies()),
      retransmit_(config.retransmit),
      qps_(this->name()),
      host_(config, context.seed, counters_.context_misses),
      ordering_(policy::make_ordering_engine(config.ordering), config.ordering.clock),
      acks_(config.nack_reaction),
      responses_(config.ack_delay, config.nack_delay),
      nacks_(retransmit_, config.reliability.window, config.host == HostModel::pcie),
      scheduler_(config, retransmit_) {
  set_receive_latency(config.rx_latency);
  if (config.lines() > 0) {
    ports_ = std::make_unique<NicPorts>(config);
  } else {
    wire_ = &tx(0);
  }
  if (config.post) posting_.emplace(*config.post);
  config_.reliability.ends_ask = !config.ack_messages;
  if (config.engine || config.vl_credits) {
    engine_ =
        std::make_unique<PacketEngine>(config.engine.value_or(EngineConfig{}), counters_.engine);
  }
  sends_apart_ = ports_ || engine_;
  engine_leads_ = config.works_ahead();
  receives_apart_ = host_.contexts || config.engine;
  listening_ = policy::find_congestion_algorithm(config.congestion.algorithm).listens;
  const bool steers = !policy::find_entropy_scheme(config.entropy.scheme).constant;
  listens_ = listening_.acks || transport_.selective || steers;
  dresses_ = listens_ || config.frames != Frames::roce || config.ack_messages;
  tags_ = config.reth_on_every_packet || config.remaining_tag || ordering_.present();
  if (listens_) {
    context.pool.carry_feedback();
    if (context.border != nullptr) context.border->carry_feedback();
  }
  if (host_.modelled()) serve_host();
  if (host_.fetcher) scheduler_.wait_for(*host_.fetcher);
  if (ordering_.present()) {
    config_.reliability.hold_last = config.ordering.write_last == policy::WriteLast::sender;
    config_.reliability.nacks_refuse = true;
  }
  if (config.memory.contents) have_contents(context.bytes);
}

rnic::~rnic() = default;

Qpn rnic::add_queue_pair(QueuePairConfig config) {
  if (!config.traffic_class)
    config.traffic_class = static_cast<std::uint8_t>(config_.traffic_class);
  if (config.reads > 0) check_reads(config_);
  const bool unreliable = is_unreliable(config.service);
  if (config.service == Service::dc) {
    check_on_demand(config_);
    if (!initiators_) initiators_.emplace(config_.dc.value_or(DcConfig{}));
  }
  const bool other = config.receives || unreliable;
  if (contents_ != nullptr && (other || config.depth > PayloadFetcher::wqe_slots))
    throw InputError(
        other
            ? fmt::format(
                  "{}: memory.contents with messages that take receive WQEs, or UC or UD; expected "
                  "WRITEs or READs",
                  name())
            : fmt::format("{}: {} messages outstanding with memory.contents; expected at most {}",
                          name(), config.depth, PayloadFetcher::wqe_slots));
  const policy::TransportEntry* transport = &transport_;
  if (unreliable) {
    check_unreliable(config_);
    context_.clock.limit_window(config_.tx_latency);
    transport = &policy::unreliable_transport(config.service);
  } else if (config.receives) {
    check_sends(config_);
    transport = &policy::find_transport(transport_.sends_by);
  }
  QueuePair& qp = qps_.add(
      std::make_unique<QueuePair>(std::move(config), *transport, config_.reliability, config_.mtu));
  const std::size_t i = qps_.size() - 1;
  // Its buffer, as perftest uses it; all that is under way has a place of its own with contents.
  qp.ring_packets = contents_ != nullptr
                        ? host_address::ring_packets
                        : std::min<std::uint32_t>(packets_of(qp.config().buffer, config_.mtu),
                                                  host_address::ring_packets);
  if (qp.config().receives) add_receive_queue(i);
  if (ordering_.present()) {
    qp.receive_by(*ordering_.engine(), static_cast<policy::ConnectionId>(i), config_.reliability);
  }
  if (ports_) qp.own_port = static_cast<std::uint8_t>(own_port(qp.config()));
  exchanges_.add(static_cast<std::uint16_t>(i), qp.config());
  programs_.add(qp.config());
  nacks_.add(qp);
  scheduler_.add(qp);
  if (engine_) engine_->add();
  if (posting_) posting_->add();
  if (host_.fetcher) host_.fetcher->add(qp);
  if (host_.contexts) {
    const auto n = static_cast<std::uint32_t>(qps_.size());
    const policy::OrderingEngine* const engine = ordering_.engine();
    const Bytes bitmap = engine != nullptr ? engine->provided(n) - engine->provided(n - 1)
                                           : config_.sram.reorder_state(config_.reliability.window);
    if (ports_ && n == 1)
      host_.contexts->reserve(config_.buffer_of_port() * static_cast<std::int64_t>(ports()));
    if (n == 1) host_.contexts->reserve(engine_contexts(config_) + block_state(config_));
    if (engine != nullptr && n == 1) host_.contexts->reserve(engine->provided(0));
    // It keeps nothing for what it would send again.
    const std::uint32_t reads = qp.config().reads > 0 ? config_.reliability.most_reads() : 0;
    const auto fields = qp.has_source() ? read_request_state(reads) : read_response_state(reads);
    host_.contexts->reserve((unreliable ? 0_B : bitmap + config_.sram.retransmit_state) +
                            host_.policies_on_chip + policy::bytes_for(policy::total_bits(fields)));
  }
  return qps_.last_number();
}

void check_timeouts(const RnicConfig& config) {
  policy::check_timeouts(policy::find_transport(config.transport), config.reliability);
}

void rnic::begin() {
  const auto shortest = policy::shortest_timeout(transport_, config_.reliability);
  shortest_timeout_ = shortest.value;
  if (shortest.value <= context_.clock.window()) {
    throw InputError(
        fmt::format("{}: the retransmission timeout{} must be longer than the time window of {} ps",
                    name(), shortest.key == "rto" ? "" : fmt::format(" {}", shortest.key),
                    context_.clock.window().count()));
  }
  scheduler_.begin();
  if (tx(0).link().whole_nanoseconds) scheduler_.pace_in_nanoseconds();
  begin_ports();
  begin_credits();
  begin_pauses();
  if (host_.fetcher) host_.fetcher->read_ahead(prefetch_of(config_, line_rate_));
  begin_congestion_control();
  begin_steering();
  begin_pulls();
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    if (config_.shakes_hands()) plan_handshake(i);
    post(i, Picoseconds(0));
  }
  for (std::size_t p = 0; p < programs_.size(); ++p) {
    programs_[p].begin();
    go_on(p, Picoseconds(0));
  }
}

RnicCounters rnic::totals() const {
  RnicCounters all = counters_;
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    if (qps_[i].steering) all.entropy += qps_[i].steering->counts();
  }
  for (std::size_t k = 0; cache() != nullptr && k < cache_kinds; ++k) {
    all.cache_misses[k] = cache()->counters(static_cast<CacheKind>(k)).misses;
  }
  return all;
}

void rnic::set_timeline(Timeline* timeline) {
  timeline_ = timeline;
  if (host_.port) host_.port->set_timeline(timeline);
}

void rnic::reset_histograms(Picoseconds now) {
  if (ordering_.present()) ordering_.reset_use(now);
  reorder_depth_ = {};
  for (std::size_t i = 0; i < qps_.size(); ++i) qps_[i].reset_histograms();
}

void rnic::end_at(Picoseconds at) {
  const auto take_off = [&](IdleCause cause, Picoseconds from) {
    if (from >= cursor_) return;
    counters_.idle[static_cast<std::size_t>(cause)] -= cursor_ - from;
    cursor_ = from;
  };
  // A packet that is still leaving then was begun before: its time is not idle.
  const Picoseconds busy = wire_ != nullptr
                               ? wire_->busy_until()
                               : std::max(pipe_free_, engine_leads_ ? tx(0).busy_until() : 0_ps);
  const Picoseconds idle_from = std::max(at, busy);
  if (waited_.to == cursor_) take_off(waited_.cause, std::max(idle_from, waited_.from));
  // Its earlier wait was for work: there is none by then.
  take_off(IdleCause::no_work, idle_from);
}

void rnic::wait_until(Picoseconds until, IdleCause cause) {
  // The time of a packet that leaves meanwhile is not idle.
  if (engine_leads_) cursor_ = std::max(cursor_, std::min(until, tx(0).busy_until()));
  if (waited_.to != cursor_ || waited_.cause != cause) waited_ = {cursor_, cursor_, cause};
  waited_.to = until;
  counters_.idle[static_cast<std::size_t>(cause)] += until - cursor_;
  if (auto* t = recorder())
    t->span("wire", fmt::format("idle: {}", name_of(cause)), cursor_, until);
  cursor_ = until;
}

void rnic::handle_before(Picoseconds end) {
  if (watcher() != nullptr) [[unlikely]]
    return device::handle_before(end);
  if (qps_.many()) [[unlikely]]
    fetch_for_arrivals();
  take_before(
      end,
      [this](Packet& p, Picoseconds t) {
        transmit_before(t);
        pipe_next_ = {};
        receive(p, t);
      },
      [this](const fabric::Event& e) { handle(e); });
}

void rnic::handle(const fabric::Event& e) {
  // Decisions before this event do not know of it.
  transmit_before(e.time);
  pipe_next_ = {};
  switch (fabric::key_kind(e.key)) {
    case fabric::arrival_event:
      receive(arrived(e), e.time);
      break;
    case fabric::pause_event:
    case fabric::resume_event: {
      const bool pause = fabric::key_kind(e.key) == fabric::pause_event;
      const auto traffic_class = static_cast<unsigned>(e.payload);
      if (ports_) {
        ports_->pause(fabric::key_entity(e.key), traffic_class, pause);
      } else {
        paused_ = pause ? paused_ | 1u << traffic_class : paused_ & ~(1u << traffic_class);
      }
      break;
    }
    case response_event:
      take_response(fabric::key_entity(e.key), AckInfo::unpacked(e.payload), e.time);
      break;
    case timer_event:
      on_timer(fabric::key_entity(e.key), e.time);
      break;
    case post_event:
      qps_[fabric::key_entity(e.key)].post_scheduled = false;
      post(fabric::key_entity(e.key), e.time);
      break;
    case doorbell_event:
      if (nic_watcher_ != nullptr) [[unlikely]]
        nic_watcher_->rang(*this, fabric::key_entity(e.key), e.payload, e.time);
      if (config_.post && config_.post->method == PostMethod::blue_flame) {
        host_.fetcher->pushed(fabric::key_entity(e.key), e.payload, e.time);
      } else {
        host_.fetcher->rung(fabric::key_entity(e.key), e.payload, e.time);
      }
      break;
    case written_event:
      written(fabric::key_entity(e.key), e.time);
      break;
    case cqe_event:
      cqe_held(fabric::key_entity(e.key), e.time);
      break;
    case found_event:
      cqe_found(fabric::key_entity(e.key), static_cast<std::uint32_t>(e.payload), e.time);
      break;
    case service_event:
      continue_service(fabric::key_entity(e.key), e.time);
      break;
    case guard_event:
      if (nacks_.guard_expired(fabric::key_entity(e.key), e.time)) {
        release_hold(fabric::key_entity(e.key), e.time);
      }
      break;
    case rest_event:
      begin_next_service(fabric::key_entity(e.key), e.time);
      break;
    case notify_event:
      tell_received(fabric::key_entity(e.key), e.payload, e.time);
      break;
    case handshake_event:
      try_handshake(fabric::key_entity(e.key), e.payload, e.time);
      break;
    case grant_event:
      grant_planned_ = false;
      grant(e.time);
      break;
    case program_event: {
      const std::size_t program = fabric::key_entity(e.key);
      programs_.came(program, e.time);
      programs_[program].proceed(e.time);
      go_on(program, e.time);
      break;
    }
    case context_event:
      host_.contexts->packet_goes_on();
      process(arrived(e), e.time);
      break;
    case engine_event:
      engine_->packet_goes_on();
      receive_in_context(arrived(e), e.time);
      break;
    case rx_pause_event:
      resume_peers(fabric::key_entity(e.key), e.time);
      break;
    case placement_event:
      place(e.time);
      break;
    case access_event:
      host_.link->take(e.time, static_cast<std::uint32_t>(e.payload));
      break;
    case atomic_event:
      end_atomic(fabric::key_entity(e.key), e.payload, e.time);
      break;
    case slot_event:
      if (const auto next = atomics_->next(static_cast<std::uint32_t>(e.payload)))
        begin_atomic(*next, e.time);
      break;
    case wqes_event:
      receive_wqes_arrived(fabric::key_entity(e.key), static_cast<std::uint32_t>(e.payload),
                           e.time);
      break;
    case received_event:
      received_found(fabric::key_entity(e.key), e.time);
      break;
    case repost_event:
      post_receives(fabric::key_entity(e.key), static_cast<std::uint32_t>(e.payload), e.time);
      break;
    case again_event:
      send_again(fabric::key_entity(e.key), e.payload, e.time);
      break;
    case copy_event:
      e.payload == 0 ? read_held(fabric::key_entity(e.key), e.time)
                     : write_held(fabric::key_entity(e.key), e.time);
      break;
    default:
      throw ModelError(fmt::format("{}: unknown event", name()));
  }
}

Picoseconds rnic::next_own_time() const {
  if (sends_apart_) [[unlikely]]
    return ports_ ? next_ports_time() : next_engine_time();
  Picoseconds t = events_.next_time();
  if (!host_.wqe_reads.empty()) t = std::min(t, std::max(cursor_, host_.wqe_reads.next()));
  if (!responses_.empty() && !paused(config_.ack_traffic_class)) {
    t = std::min(t, std::max(cursor_, responses_.next_ready()));
  }
  if (!all_paused() && !nacks_.stalls_port()) {
    t = std::min(t, scheduler_.first_gate(cursor_, paused_));
  }
  return t;
}

std::vector<std::string> rnic::describe_queues() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    const QueuePair& qp = qps_[i];
    const auto& s = qp.sender();
    if (s.unsent() == 0 && s.unacked() == 0) continue;
    lines.push_back(fmt::format(
        "{} queue pair {:#x}: {} messages outstanding, {} packets unsent, {} unacknowledged{}",
        name(), first_qpn + i, qp.outstanding(), s.unsent(), s.unacked(),
        paused(qp.traffic_class) ? ", paused" : ""));
  }
  if (!responses_.empty())
    lines.push_back(fmt::format("{}: {} responses waiting", name(), responses_.size()));
  for (unsigned p = 0; ports_ && p < ports_->count(); ++p) {
    if (ports_->waiting(p) == 0) continue;
    lines.push_back(fmt::format("{} port {}: {} packets in line{}", name(), p, ports_->waiting(p),
                                ports_->held(p) ? ", paused" : ""));
  }
  if (host_.link && host_.link->open() > 0)
    lines.push_back(
        fmt::format("{}: host memory has not answered {} accesses", name(), host_.link->open()));
  for (std::size_t p = 0; p < programs_.size(); ++p) {
    for (const auto& line : programs_[p].waiting())
      lines.push_back(fmt::format("{} {}", name(), line));
  }
  return lines;
}

}  // namespace horae::rnic
