#include "horae/fabric/ports/tx_port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/core/service.hpp"
#include "horae/fabric/device.hpp"
#include "horae/fabric/rank_border.hpp"

namespace horae::fabric {

TxCounters operator-(TxCounters a, const TxCounters& b) {
  a.packets -= b.packets;
  a.frame_bytes -= b.frame_bytes;
  a.lost -= b.lost;
  a.cut -= b.cut;
  a.corrupted -= b.corrupted;
  a.pauses -= b.pauses;
  return a;
}

TxCounters& TxCounters::operator+=(const TxCounters& b) {
  packets += b.packets;
  frame_bytes += b.frame_bytes;
  lost += b.lost;
  cut += b.cut;
  corrupted += b.corrupted;
  pauses += b.pauses;
  return *this;
}

tx_port::tx_port(sc_core::sc_module_name name, device& owner, unsigned index)
    : sc_module(name), owner_(owner), index_(index) {
  socket.bind(static_cast<packet_bw_if&>(*this));
}

void tx_port::configure(const LinkConfig& link) {
  link_ = link;
  delay_ = link.delay;
  owner_.context().clock.limit_window(link.delay);
  constexpr std::int64_t bit_ps_per_byte = 8'000'000'000'000;
  const std::int64_t ps_per_byte = bit_ps_per_byte / link.rate.count();
  const bool exact = bit_ps_per_byte % link.rate.count() == 0 && !link.whole_nanoseconds;
  ps_per_byte_ = exact && std::in_range<std::uint32_t>(ps_per_byte)
                     ? static_cast<std::uint32_t>(ps_per_byte)
                     : 0;
  if (link.loss > 0) loss_.emplace(owner_.context().seed, std::string(this->name()) + ".loss");
  if (link.bit_errors > 0)
    bit_errors_.emplace(owner_.context().seed, std::string(this->name()) + ".bit_errors");
  // In order and apart, so that one search finds whether any of them matters.
  auto& outages = link_.outages;
  std::sort(outages.begin(), outages.end(),
            [](const Outage& a, const Outage& b) { return a.from < b.from; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < outages.size(); ++i) {
    if (outages[i].from <= outages[last].to) {
      outages[last].to = std::max(outages[last].to, outages[i].to);
    } else {
      outages[++last] = outages[i];
    }
  }
  if (!outages.empty()) outages.resize(last + 1);
  connected_ = true;
}

BitsLeft tx_port::bits_left(Picoseconds t) const {
  const Picoseconds until = busy_until();
  if (until <= t) return {};
  constexpr double overhead = 8.0 * (wire::preamble + wire::inter_packet_gap);
  const double bits = to_seconds(until - t) * static_cast<double>(link_.rate.count());
  return {bits, std::max(0.0, bits - overhead)};
}

void tx_port::lead_away(std::uint32_t device, unsigned port) {
  away_ = {device, static_cast<std::uint16_t>(port)};
}

bool cut_off(const std::vector<Outage>& outages, Picoseconds from, Picoseconds to) {
  const auto first = std::upper_bound(outages.begin(), outages.end(), from,
                                      [](Picoseconds t, const Outage& o) { return t < o.to; });
  return first != outages.end() && first->from < to;
}

void tx_port::send_closely(Packet& p, Picoseconds start, Picoseconds pipeline) {
  if (direct_ == nullptr && peer_ == nullptr) [[unlikely]]
    leads_nowhere(p);
  const Picoseconds first_bit = start + pipeline;
  const Picoseconds last_bit = busy_until_ + pipeline;
  if (auto* watcher = owner_.context().watcher)
    watcher->sent(owner_, index_, p, start, first_bit, last_bit);
  if (injector_) return harm(p, first_bit, last_bit);
  cross(p, first_bit, last_bit, std::nullopt);
}

void tx_port::inject(std::uint32_t number, Injection injection) {
  if (!injector_) injector_ = std::make_unique<Injector>();
  injector_->add(number, std::move(injection));
}

void tx_port::harm(Packet& p, Picoseconds first_bit, Picoseconds last_bit) {
  auto& context = owner_.context();
  const auto harm = injector_->meet(p, last_bit, [&](Injection::Action action) {
    if (context.watcher != nullptr) context.watcher->injected(owner_, index_, p, action, last_bit);
  });
  if (harm.drop) {
    lose(p, DropCause::injected, last_bit + link_.delay);
    return;
  }
  Packet* copy = nullptr;
  if (harm.copy) {
    // Copies have the id of their original, and the bit that no creator's number reaches.
    constexpr std::uint64_t of_copy = std::uint64_t{1} << 63;
    copy = &owner_.pool().create();
    *copy = p;
    copy->id |= of_copy;
    if (context.pool.carries_feedback()) feedback_of(*copy) = feedback_of(p);
  }
  if (harm.mark) p.ecn = Ecn::ce;
  if (harm.corrupt) {
    ++counters_.corrupted;
    p.corrupted = true;
  }
  const Picoseconds wire = serialisation(p.wire_size());
  cross(p, first_bit, last_bit, harm.delay > 0_ps ? std::optional(harm.delay) : std::nullopt);
  if (copy == nullptr) return;
  const Picoseconds behind = harm.delay + wire + *harm.copy;
  if (context.watcher != nullptr)
    context.watcher->sent(owner_, index_, *copy, first_bit, first_bit + behind, last_bit + behind);
  cross(*copy, first_bit, last_bit, behind);
}

void tx_port::cross(Packet& p, Picoseconds first_bit, Picoseconds last_bit,
                    std::optional<Picoseconds> late) {
  const Picoseconds in_turn = last_bit + link_.delay;
  if (loses(p, first_bit, in_turn)) return;
  const Picoseconds arrival = in_turn + late.value_or(0_ps);
  if (away_) {
    auto& context = owner_.context();
    context.border->leave(away_->device, away_->port,
                          late ? packet_phase::late_packet : packet_phase::begin_packet, p,
                          arrival);
    context.pool.give_away(p);
    return;
  }
  if (direct_ != nullptr) {
    if (late && owner_.lane_ != nullptr) {
      owner_.lane_->late_packets.push_back({direct_, &p, arrival});
      return;
    }
    if (!owner_.windowed_ || late) return direct_->take(p, arrival);
    if (arrival < owner_.horizon_) owner_.too_early(arrival);
    return leave(p, arrival);
  }
  packet_phase phase = packet_phase::begin_packet;
  sc_core::sc_time at = to_sc_time(arrival);
  peer_->nb_transport_fw(p, phase, at);
}

void tx_port::leads_nowhere(const Packet& p) const {
  throw ModelError(
      fmt::format("{}: a packet for node {} is sent by port {}, which has no link: expected a link "
                  "there, or no route to that node by it",
                  owner_.name(), p.dst, index_));
}

bool tx_port::loses(Packet& p, Picoseconds first_bit, Picoseconds arrival) {
  const bool harmed = !link_.data_only || carries_data(p);
  if (harmed && cut_off(link_.outages, first_bit, arrival)) {
    ++counters_.cut;
    return lose(p, DropCause::link_down, arrival);
  }
  if (harmed && loss_ && loss_->chance(link_.loss)) {
    ++counters_.lost;
    return lose(p, DropCause::link_loss, arrival);
  }
  if (harmed && bit_errors_ && bit_errors_->chance(link_.bit_errors)) {
    ++counters_.corrupted;
    p.corrupted = true;
  }
  return false;
}

void tx_port::make_room() {
  constexpr std::uint32_t least = 16;
  if (left_begin_ == left_end_) direct_->owner->expect_arrivals_at(direct_->index);
  const auto held = static_cast<std::uint32_t>(left_end_ - left_begin_);
  if (left_end_ == left_.get() + capacity_) {
    // Packets that the receiver has taken make room, unless it is little: moving the rest costs as
    // much.
    if (held > capacity_ / 2 || capacity_ == 0) {
      capacity_ = std::max(least, 2 * capacity_);
      auto room = std::make_unique_for_overwrite<Left[]>(capacity_);
      std::copy(left_begin_, left_end_, room.get());
      left_ = std::move(room);
    } else {
      std::copy(left_begin_, left_end_, left_.get());
    }
    left_begin_ = left_.get();
    left_end_ = left_begin_ + held;
  }
  room_ = static_cast<std::uint32_t>(left_.get() + capacity_ - left_end_) - 1;
}

Picoseconds tx_port::first_reserved() const {
  const Left& first = left_end_[-std::ptrdiff_t{reserved_}];
  return first.last_bit - delay_ - serialisation(first.packet->wire_size());
}

bool tx_port::lose(Packet& p, DropCause cause, Picoseconds at) {
  if (auto* watcher = owner_.context().watcher) watcher->dropped(owner_, p, cause, at);
  owner_.pool().drop(p, cause);
  return true;
}

void tx_port::start_of_simulation() {
  const bool bound = socket.size() > 0;
  if (bound && !connected_) {
    throw InputError(
        fmt::format("{}: bound to a socket, but the link has no rate and no delay: call "
                    "configure(LinkConfig)",
                    name()));
  }
  // The socket's interface, looked up once instead of with every packet.
  if (bound) peer_ = socket.operator->();
  closely_ = looks_closely();
}

bool tx_port::looks_closely() const {
  return loss_ || bit_errors_ || injector_ || !link_.outages.empty() || away_ ||
         owner_.context().watcher != nullptr || direct_ == nullptr || !owner_.windowed_;
}

void tx_port::send_pause(Picoseconds now, unsigned traffic_class, bool pause) {
  const Picoseconds start = std::max(now, busy_until_);
  busy_until_ = start + serialisation(l1_bytes(Bytes(wire::minimum_frame)));
  ++counters_.pauses;
  if (pause) {
    if (!pauses_sent_) pauses_sent_ = std::make_unique<std::array<PausesSent, PauseLog::classes>>();
    PausesSent& sent = (*pauses_sent_)[traffic_class];
    if (sent.frames++ == 0) sent.first = now;
    sent.last = now;
  }
  const Picoseconds arrival = busy_until_ + link_.delay;
  if (owner_.lane_ != nullptr && leads_to_device()) {
    owner_.lane_->pauses.push_back(
        {owner_.senders_[index_], arrival, static_cast<std::uint8_t>(traffic_class), pause});
    return;
  }
  Packet carrier;
  carrier.traffic_class = static_cast<std::uint8_t>(traffic_class);
  packet_phase phase = pause ? packet_phase::pause : packet_phase::resume;
  if (away_) {
    owner_.context().border->leave(away_->device, away_->port, phase, carrier, arrival);
    return;
  }
  sc_core::sc_time at = to_sc_time(arrival);
  (*reverse_)->nb_transport_bw(carrier, phase, at);
}

tlm::tlm_sync_enum tx_port::nb_transport_bw(Packet& p, packet_phase& phase, sc_core::sc_time& t) {
  obey(p.traffic_class, phase == packet_phase::pause, from_sc_time(t));
  return tlm::TLM_ACCEPTED;
}

void tx_port::obey(unsigned traffic_class, bool pause, Picoseconds at) {
  owner_.pause_arrives(index_, traffic_class, pause, at);
}

}  // namespace horae::fabric
