#include "horae/rnic/rnic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

rnic::rnic(sc_core::sc_module_name name, fabric::sim_context& context, const RnicConfig& config,
           NodeId id)
    : device(name, context, 1),
      config_(config),
      id_(id),
      transport_(policy::find_transport(config.transport)),
      retransmit_(config.retransmit) {
  set_receive_latency(config.rx_latency);
  if (config.host == HostModel::pcie) {
    host_ = std::make_unique<host_interface>("host", config.pcie, config.memory, context.seed);
    host_port_.emplace(*host_);
    fetcher_.emplace(config.fetch, config.sram.tx_buffer, *host_port_,
                     [this](std::size_t qp, Picoseconds at) {
                       wqes_due_.emplace(at, static_cast<std::uint16_t>(qp));
                     });
  }
  if (host_ && config.sram.limited) cache_ = std::make_unique<ContextCache>(config.sram);
  ordering_ = policy::make_ordering_engine(config.ordering);
  if (ordering_) {
    config_.reliability.hold_last = config.ordering.write_last == policy::WriteLast::sender;
    config_.reliability.nacks_refuse = true;
  }
  gated_ = host_ || retransmit_.stall() == policy::Scope::queue_pair ||
           retransmit_.hold_new_data() || retransmit_.gap_window() != 0 ||
           retransmit_.lock(true) > 0_ps || retransmit_.lock(false) > 0_ps;
}

rnic::~rnic() = default;

Qpn rnic::add_queue_pair(QueuePairConfig config) {
  constexpr std::size_t most = 65536;  // entities of event keys are 16 bits
  if (qps_.size() == most) throw ModelError(fmt::format("{}: too many queue pairs", name()));
  qps_.push_back(
      std::make_unique<QueuePair>(std::move(config), transport_, config_.reliability, config_.mtu));
  const auto id = static_cast<policy::ConnectionId>(qps_.size() - 1);
  if (ordering_) qps_.back()->receive_by(*ordering_, id, config_.reliability);
  QueuePair& qp = *qps_.back();
  qp.work_counted = qp.has_source() && !qp.finished();
  if (qp.work_counted) ++unfinished_;
  const auto& added = qp.config();
  if (const int most_used = std::max(added.exchange, added.completes); most_used >= 0)
    exchanges_.resize(std::max(exchanges_.size(), static_cast<std::size_t>(most_used) + 1));
  if (added.exchange >= 0 && added.source) {
    exchanges_[static_cast<std::size_t>(added.exchange)].waits.push_back(
        static_cast<std::uint16_t>(qps_.size() - 1));
  }
  if (fetcher_) fetcher_->add(*qps_.back());
  if (cache_) {
    const auto n = static_cast<std::uint32_t>(qps_.size());
    const Bytes bitmap = ordering_ ? ordering_->provided(n) - ordering_->provided(n - 1)
                                   : config_.sram.reorder_state(config_.reliability.window);
    if (ordering_ && n == 1) cache_->reserve(ordering_->provided(0));
    cache_->reserve(bitmap + config_.sram.retransmit_state);
  }
  return Qpn(first_qpn + static_cast<std::uint32_t>(qps_.size()) - 1);
}

void rnic::begin() {
  const auto shortest = policy::shortest_timeout(transport_, config_.reliability);
  if (shortest.value <= context_.clock.window()) {
    throw InputError(
        fmt::format("{}: the retransmission timeout{} must be longer than the time window of {} ps",
                    name(), shortest.key == "rto" ? "" : fmt::format(" {}", shortest.key),
                    context_.clock.window().count()));
  }
  ready_.set_capacity(qps_.size());
  if (policy::find_congestion_algorithm(config_.congestion.algorithm).controls_rates) {
    for (auto& qp : qps_) {
      qp->reaction = policy::make_reaction_point(config_.congestion, tx(0).link().rate);
      qp->notification = policy::make_notification_point(config_.congestion);
    }
  }
  for (std::size_t i = 0; i < qps_.size(); ++i) post(i, Picoseconds(0));
}

void rnic::set_timeline(Timeline* timeline) {
  timeline_ = timeline;
  if (host_port_) host_port_->set_timeline(timeline);
}

void rnic::reset_histograms(Picoseconds now) {
  if (ordering_) {
    const auto memory = ordering_->memory();
    ordering_watch_ = {.since = now, .last = now, .now = memory, .most = memory.total()};
  }
  reorder_depth_ = {};
  for (auto& qp : qps_) qp->reset_histograms();
}

bool rnic::finished() const { return unfinished_ == 0; }

std::size_t rnic::index_of(Qpn qpn) const {
  const std::size_t i = qpn.value() - first_qpn;
  if (i >= qps_.size()) {
    throw ModelError(fmt::format("{}: a packet for queue pair {:#x}, which does not exist", name(),
                                 qpn.value()));
  }
  return i;
}

void rnic::handle(const fabric::Event& e) {
  // What was decided before this event does not know of it.
  transmit_before(e.time);
  switch (fabric::key_kind(e.key)) {
    case fabric::arrival_event:
      receive(arrived(e), e.time);
      break;
    case fabric::pause_event:
      paused_ |= 1u << e.payload;
      break;
    case fabric::resume_event:
      paused_ &= ~(1u << e.payload);
      break;
    case response_event:
      take_response(fabric::key_entity(e.key), unpack(e.payload), e.time);
      break;
    case timer_event:
      expire(fabric::key_entity(e.key), e.time);
      break;
    case post_event:
      qps_[fabric::key_entity(e.key)]->post_scheduled = false;
      post(fabric::key_entity(e.key), e.time);
      break;
    case doorbell_event:
      fetcher_->rung(fabric::key_entity(e.key), e.payload, e.time);
      break;
    case service_event:
      continue_service(fabric::key_entity(e.key), e.time);
      break;
    case guard_event:
      guard_expired(fabric::key_entity(e.key), e.time);
      break;
    case rest_event:
      begin_next_service(fabric::key_entity(e.key), e.time);
      break;
    case notify_event:
      notify(qps_[fabric::key_entity(e.key)]->config().exchange, e.payload, e.time);
      break;
    case context_event:
      --waiting_packets_;
      process(arrived(e), e.time);
      break;
    default:
      throw ModelError(fmt::format("{}: unknown event", name()));
  }
}

Picoseconds rnic::next_time() const {
  Picoseconds t = events_.next_time();
  if (!wqes_due_.empty()) t = std::min(t, std::max(cursor_, wqes_due_.begin()->first));
  if (!responses_.empty() && !paused(config_.ack_traffic_class)) {
    t = std::min(t, std::max(cursor_, responses_.front().ready));
  }
  if (!paused(config_.traffic_class) && port_stalls_ == 0) {
    for (const std::uint16_t i : ready_) {
      if (qps_[i]->sender().can_send()) t = std::min(t, std::max(cursor_, gate(i).at));
    }
  }
  return t;
}

std::vector<std::string> rnic::describe_queues() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    const QueuePair& qp = *qps_[i];
    const auto& s = qp.sender();
    if (s.unsent() == 0 && s.unacked() == 0) continue;
    lines.push_back(fmt::format(
        "{} queue pair {:#x}: {} messages outstanding, {} packets unsent, {} unacknowledged{}",
        name(), first_qpn + i, qp.outstanding(), s.unsent(), s.unacked(),
        paused(config_.traffic_class) ? ", paused" : ""));
  }
  if (!responses_.empty())
    lines.push_back(fmt::format("{}: {} responses waiting", name(), responses_.size()));
  return lines;
}

}  // namespace horae::rnic
