#include "horae/fabric/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/fabric/rank_border.hpp"

namespace horae::fabric {

/// The receiving side of a port.
class device::rx_port : public sc_core::sc_module, public packet_fw_if {
 public:
  rx_port(sc_core::sc_module_name name, device& owner, unsigned index)
      : sc_module(name),
        arrivals{&owner, make_key(arrival_event, static_cast<std::uint16_t>(index), 0),
                 static_cast<std::uint16_t>(index), nullptr} {
    socket.bind(*this);
  }

  packet_target_socket socket{"socket"};
  ArrivalPort arrivals;
  std::uint64_t pauses = 0;
  PauseLog log;  ///< of the port's sending side, which pauses come back to

 private:
  tlm::tlm_sync_enum nb_transport_fw(Packet& p, packet_phase& phase, sc_core::sc_time& t) override {
    // Called by modules of a user's own, whose processes are not to end for it.
    try {
      if (phase != packet_phase::begin_packet) wrong_phase();
      arrivals.take(p, from_sc_time(t));
    } catch (const std::exception&) {
      arrivals.owner->context().clock.fail(std::current_exception(), arrivals.owner);
    }
    return tlm::TLM_ACCEPTED;
  }

  [[noreturn]] static void wrong_phase() { throw ModelError("not a phase of the forward path"); }
};

namespace {

/// A slot of the calendar should hold a handful of events: at hundreds of Gbps a port brings about
/// eight packets a microsecond.
unsigned slot_bits_for(unsigned ports) {
  constexpr unsigned microsecond = 20, shortest = 12;
  return std::max(microsecond - static_cast<unsigned>(std::bit_width(ports)), shortest);
}

/// A sent packet arrives a few microseconds ahead: an end of a window, a link, a receive latency.
unsigned slots_for(unsigned ports) {
  constexpr unsigned four_microseconds = 22, fewest = 64;
  return std::max(1u << (four_microseconds - slot_bits_for(ports)), fewest);
}

}  // namespace

device::device(sc_core::sc_module_name name, sim_context& context, unsigned ports)
    : sc_module(name),
      context_(context),
      events_(slot_bits_for(ports), slots_for(ports), &context.chunks),
      windowed_(context.clock.mode() == scheduling::windowed),
      pool_(&context.pool),
      arriving_((ports + 63) / 64),
      senders_(ports) {
  for (unsigned i = 0; i < ports; ++i) {
    tx_.push_back(std::make_unique<tx_port>(fmt::format("tx{}", i).c_str(), *this, i));
    rx_.push_back(std::make_unique<rx_port>(fmt::format("rx{}", i).c_str(), *this, i));
    tx_.back()->reverse_ = &rx_.back()->socket;
  }
  number_ = context.devices++;
  if (context.border != nullptr) {
    context.border->enlist(*this);
    runs_here_ = context.border->runs_here(number_);
    if (!runs_here_) return;
  }
  context.clock.attach(*this);
}

void device::end_of_elaboration() {
  if (windowed_ || !runs_here_) return;
  SC_HAS_PROCESS(device);
  SC_METHOD(run_wake);
  sensitive << wake_;
  dont_initialize();
}

device::~device() {
  // SystemC looks for a port that goes from its newest one on.
  while (!tx_.empty()) {
    rx_.pop_back();
    tx_.pop_back();
  }
}

const PauseLog& device::pauses(unsigned port) const { return rx_[port]->log; }

const tx_port* device::peer_of(unsigned port) const { return rx_[port]->arrivals.sender; }

void device::keep_pauses() {
  for (auto& rx : rx_) rx->log.keep();
}

packet_target_socket& device::rx(unsigned port) { return rx_[port]->socket; }

void device::notify_arrival(const Event& e) {
  const auto kind = key_kind(e.key);
  if (kind == arrival_event)
    return watcher_->arrived(
        *this, key_entity(e.key), arrived(e),
        e.time - receive_latency_ + still_to_come(arrived(e), key_entity(e.key)), e.time);
  if (kind != pause_event && kind != resume_event) return;
  watcher_->paused(*this, key_entity(e.key), static_cast<unsigned>(e.payload), kind == pause_event,
                   e.time);
}

void device::start_of_simulation() {
  if (!runs_here_) return;
  watcher_ = context_.watcher;
  begin();
  if (!windowed_) wake_at(next_time());
}

std::uint64_t device::held() const {
  std::uint64_t n = queued();
  // Packets that have not begun are the sender's still.
  for_each_sender([&](const tx_port& sender) {
    n += static_cast<std::uint64_t>(sender.left_end_ - sender.left_begin_) - sender.reserved_;
  });
  events_.for_each([&](const Event& e) { n += key_kind(e.key) == arrival_event ? 1 : 0; });
  return n;
}

void device::add_outlook(Outlook& outlook) const {
  for_each_sender([&](const tx_port& sender) {
    const auto* const begun = sender.left_end_ - sender.reserved_;
    for (const auto* left = sender.left_begin_; left != begun; ++left) {
      if (!left->packet->again) outlook.expect(left->last_bit + receive_latency_);
    }
  });
  events_.for_each([&](const Event& e) {
    const auto kind = key_kind(e.key);
    const bool comes = kind == arrival_event && !arrived(e).again;
    if (comes || kind == pause_event || kind == resume_event) outlook.expect(e.time);
  });
  for (const auto& tx : tx_) {
    if (tx->link().loss < 1) outlook.chances += tx->counters().lost;
    if (tx->link().bit_errors < 1) outlook.chances += tx->counters().corrupted;
    if (tx->injector() != nullptr) outlook.chances += tx->injector()->chances();
  }
  own_outlook(outlook);
}

void device::run_to(Picoseconds end) {
  handle_before(end);
  settle(end);
}

void device::handle_before(Picoseconds end) {
  const bool watched = watcher_ != nullptr;
  while (const Event* const first = first_before(end)) {
    ++handled_;
    take(first, [&](const Event& e) { watched ? handle_watched(e) : handle(e); });
  }
}

/// Looks into the calendar, and says what it found to those who ask next.
const Event* device::find_first_before(Picoseconds end) {
  const Event* const own = events_.first_before(end);
  events_.know_soonest(own != nullptr ? own->time : end);
  if (arrival_.time == never) return own;
  const Event* const arrival = show_arrival();
  return own != nullptr && *own < *arrival ? own : arrival;
}

template <class F>
void device::for_each_sender(F&& f) const {
  for (std::size_t word = 0; word < arriving_.size(); ++word) {
    for (std::uint64_t bits = arriving_[word]; bits != 0; bits &= bits - 1)
      f(*senders_[word * 64 + static_cast<unsigned>(std::countr_zero(bits))]);
  }
}

Picoseconds device::next_left() const {
  Picoseconds next = never;
  for_each_sender([&](const tx_port& sender) {
    if (sender.left_begin_ == sender.left_end_) return;
    const auto& left = *sender.left_begin_;
    next = std::min(next, left.last_bit + receive_latency_ -
                              still_to_come(*left.packet, left.packet->ingress_port));
  });
  return next;
}

Picoseconds device::rest_of(const Packet& p, unsigned port) const {
  const tx_port* const sender = rx_[port]->arrivals.sender;
  return sender != nullptr ? sender->rest(p, part_) : Picoseconds{};  // else it came whole
}

template <bool whole, bool several>
void device::gather_as(Picoseconds begin, Picoseconds end) {
  ArrivalOrder& order = own_order_ == nullptr ? context_.arrivals : *own_order_;
  const Picoseconds latency = receive_latency_;
  tx_port* const* const senders = senders_.data();
  order.start(begin, end, last_arrivals_, several);
  for (std::size_t word = 0; word < arriving_.size(); ++word) {
    std::uint64_t& arriving = arriving_[word];
    for (std::uint64_t bits = arriving; bits != 0;) {
      const std::uint64_t bit = bits & (0 - bits);
      tx_port& sender = *senders[word * 64 + static_cast<unsigned>(std::countr_zero(bits))];
      bits ^= bit;
      if (several && bits != 0) {
        const tx_port* const next =
            senders[word * 64 + static_cast<unsigned>(std::countr_zero(bits))];
        __builtin_prefetch(&next->left_end_);
        __builtin_prefetch(&next->left_begin_);
      }
      auto* const left =
          order.add<several>(sender.left_begin_, sender.left_end_, end, [&](const auto& l) {
            return whole ? l.last_bit + latency
                         : l.last_bit + latency - sender.rest(*l.packet, part_);
          });
      if (left == sender.left_end_) arriving ^= bit;
      sender.taken_before(left);
    }
  }
  arrivals_ = order.put_in_order(several);
  last_arrivals_ = static_cast<std::uint32_t>(arrivals_.end - arrivals_.next);
}

[[gnu::noinline]] void device::gather(Picoseconds begin, Picoseconds end) {
  const bool whole = part_.count() == 0;
  if (ports() > 1)
    return whole ? gather_as<true, true>(begin, end) : gather_as<false, true>(begin, end);
  return whole ? gather_as<true, false>(begin, end) : gather_as<false, false>(begin, end);
}

void device::run_window(Picoseconds end) {
  gather_window(end);
  run_gathered();
}

void device::gather_window(Picoseconds end) {
  const Picoseconds begin = std::exchange(horizon_, end);
  gather(begin, end);
}

void device::run_gathered() {
  note_arrival();
  run_to(horizon_);
}

bool device::stays_with_kernel() const {
  return stays_ || std::any_of(tx_.begin(), tx_.end(), [](const auto& tx) {
           return tx->connected() && !tx->leads_to_device();
         });
}

void device::run_in(Lane& lane) {
  lane_ = &lane;
  pool_ = &lane.pool;
  events_.use(lane.chunks);
  own_order_ = std::make_unique<ArrivalOrder>();
}

void device::run_wake() {
  try {
    wake_time_ = never;
    run_to(from_sc_time(sc_core::sc_time_stamp()) + 1_ps);
    wake_at(next_time());
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // this process is being ended
  } catch (...) {
    context_.clock.fail(std::current_exception(), this);
  }
}

Packet& device::taken_over(const Crossed& c) {
  Packet& p = context_.pool.take_over(c.crossing.packet, c.feedback);
  if (c.bytes) context_.bytes.take_over(p, *c.bytes);
  return p;
}

void device::take(const Crossed& crossed) {
  const Crossing& c = crossed.crossing;
  if (c.phase == packet_phase::begin_packet) [[likely]] {
    // The port that sent it is here as well, though its device runs elsewhere.
    if (c.at < from_sc_time(sc_core::sc_time_stamp())) [[unlikely]]
      too_early(c.at);
    rx_[c.port]->arrivals.sender->leave(taken_over(crossed), c.at);
    return;
  }
  if (c.phase == packet_phase::late_packet)
    return rx_[c.port]->arrivals.take(taken_over(crossed), c.at);
  packet_phase phase = c.phase;
  sc_core::sc_time at = to_sc_time(c.at);
  Packet carrier = c.packet;
  static_cast<packet_bw_if&>(*tx_[c.port]).nb_transport_bw(carrier, phase, at);
}

void device::accept_and_wake(const Event& e) {
  if (e.time < from_sc_time(sc_core::sc_time_stamp())) too_early(e.time);
  events_.push(e);
  wake_at(e.time);
}

void device::wake_at(Picoseconds t) {
  if (t >= wake_time_) return;
  wake_time_ = t;
  wake_.notify(to_sc_time(t - from_sc_time(sc_core::sc_time_stamp())));
}

/// While the clock sleeps everything is: it has no horizon.
void device::before_horizon(Picoseconds t) {
  context_.clock.wake();
  if (t < context_.clock.horizon()) too_early(t);
}

void device::too_early(Picoseconds t) const {
  if (!windowed_) {
    throw ModelError(fmt::format("{}: something arrives at {} ps, in the past of {}", name(),
                                 t.count(), sc_core::sc_time_stamp().to_string()));
  }
  throw ModelError(
      fmt::format("{}: something arrives at {} ps, inside the window that ends at {} ps", name(),
                  t.count(), context_.clock.horizon().count()));
}

void device::pause_arrives(unsigned port, unsigned traffic_class, bool pause, Picoseconds at) {
  rx_[port]->log.change(traffic_class, pause, at, from_sc_time(sc_core::sc_time_stamp()));
  accept({at,
          make_key(pause ? pause_event : resume_event, static_cast<std::uint16_t>(port),
                   rx_[port]->pauses++),
          traffic_class});
}

void device::lead_to(unsigned port, device& peer, unsigned peer_port, const LinkConfig& link) {
  tx_port& out = tx(port);
  out.socket.bind(peer.rx(peer_port));
  out.direct_ = &peer.rx_[peer_port]->arrivals;
  out.direct_->sender = &out;
  peer.senders_[peer_port] = &out;
  out.peer_port_ = static_cast<std::uint16_t>(peer_port);
  out.configure(link);
}

void connect(device& a, unsigned pa, device& b, unsigned pb, const LinkConfig& link) {
  connect(a, pa, b, pb, link, link);
}

void connect(device& a, unsigned pa, device& b, unsigned pb, const LinkConfig& forward,
             const LinkConfig& backward) {
  for (const auto& [from, port] : {std::pair{&a, pa}, std::pair{&b, pb}}) {
    if (port >= from->ports() || from->tx(port).connected()) {
      throw ModelError(fmt::format("{}: port {} cannot be connected", from->name(), port));
    }
  }
  a.lead_to(pa, b, pb, forward);
  b.lead_to(pb, a, pa, backward);
  const Picoseconds delay = std::min(forward.delay, backward.delay);
  auto* border = a.context().border;
  if (border != nullptr && border->cut(a.number(), b.number(), delay)) {
    a.tx(pa).lead_away(b.number(), pb);
    b.tx(pb).lead_away(a.number(), pa);
  }
}

}  // namespace horae::fabric
