// An open-loop host as an ordinary SystemC module: one thread that waits in SystemC time for each
// of its own events. It knows nothing of windows and must behave like fabric::open_loop_host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <systemc>
#include <utility>

#include "horae/core/roce.hpp"
#include "horae/fabric/device.hpp"
#include "horae/fabric/devices/open_loop_host.hpp"
#include "horae/fabric/packet_link.hpp"
#include "horae/traffic/source.hpp"

namespace horae::test {

class exact_host : public sc_core::sc_module,
                   public fabric::packet_fw_if,
                   public fabric::packet_bw_if {
 public:
  exact_host(sc_core::sc_module_name name, fabric::sim_context& context,
             const fabric::HostConfig& config, std::unique_ptr<traffic::TrafficSource> source)
      : sc_module(name), context_(context), config_(config), source_(std::move(source)) {
    in_.bind(static_cast<fabric::packet_fw_if&>(*this));
    out_.bind(static_cast<fabric::packet_bw_if&>(*this));
    SC_HAS_PROCESS(exact_host);
    SC_THREAD(live);
  }

  /// Joins it to a port of a device by a link without loss or outages on its own side.
  void join(fabric::device& peer, unsigned port, const fabric::LinkConfig& link) {
    peer.tx(port).socket.bind(in_);
    out_.bind(peer.rx(port));
    peer.tx(port).configure(link);
    link_ = link;
  }

  const fabric::open_loop_host::Counters& counters() const { return counters_; }
  std::uint64_t held() const { return arriving_; }

 private:
  enum Kind : std::uint8_t { pause, resume, arrival };
  struct Order {
    sc_core::sc_time time;
    Kind kind;
    std::uint64_t ordinal;
    auto key() const { return std::tuple(time.value(), kind, ordinal); }
    bool operator<(const Order& o) const { return key() < o.key(); }
  };

  tlm::tlm_sync_enum nb_transport_fw(Packet& p, fabric::packet_phase&,
                                     sc_core::sc_time& t) override {
    inbox_.emplace(Order{t, arrival, ordinal_++}, &p);
    ++arriving_;
    changed_.notify(sc_core::SC_ZERO_TIME);
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_bw(Packet& p, fabric::packet_phase& phase,
                                     sc_core::sc_time& t) override {
    if (p.traffic_class == config_.traffic_class) {
      inbox_.emplace(Order{t, phase == fabric::packet_phase::pause ? pause : resume, ordinal_++},
                     nullptr);
      changed_.notify(sc_core::SC_ZERO_TIME);
    }
    return tlm::TLM_ACCEPTED;
  }

  void live() {
    item_ = source_->next();
    for (;;) {
      const sc_core::sc_time now = sc_core::sc_time_stamp();
      while (!inbox_.empty() && inbox_.begin()->first.time <= now) {
        const auto [order, packet] = *inbox_.begin();
        inbox_.erase(inbox_.begin());
        sc_assert(order.time == now);
        happen(order.kind, packet, now);
      }
      if (item_ && !paused_ && next_start() <= now) send(now);
      std::optional<sc_core::sc_time> next;
      if (!inbox_.empty()) next = inbox_.begin()->first.time;
      if (item_ && !paused_) next = next ? std::min(*next, next_start()) : next_start();
      if (next) {
        wait(*next - now, changed_);
      } else {
        wait(changed_);
      }
    }
  }

  void happen(Kind kind, Packet* packet, const sc_core::sc_time& now) {
    if (kind == pause) {
      paused_ = true;
    } else if (kind == resume) {
      paused_ = false;
    } else {
      receive(*packet, fabric::from_sc_time(now));
    }
  }

  void receive(Packet& p, Picoseconds now) {
    --arriving_;
    ++counters_.received;
    counters_.received_bytes += p.payload;
    counters_.marked += p.ecn == Ecn::ce ? 1 : 0;
    const Picoseconds latency = now - p.created;
    counters_.latency_sum += latency;
    counters_.latency_max = std::max(counters_.latency_max, latency);
    counters_.order_checksum = counters_.order_checksum * 0x100000001b3ULL ^
                               (static_cast<std::uint64_t>(now.count()) + p.id);
    context_.pool.deliver(p);
  }

  sc_core::sc_time next_start() const {
    return std::max(fabric::to_sc_time(item_->at), wire_free_);
  }

  void send(const sc_core::sc_time& now) {
    Packet& p = context_.pool.create();
    p.id = static_cast<std::uint64_t>(config_.id) << 40 | counters_.sent;
    p.created = fabric::from_sc_time(now);
    p.src = config_.id;
    p.dst = item_->dst;
    p.psn = Psn(static_cast<std::uint32_t>(counters_.sent));
    p.entropy = static_cast<std::uint16_t>(0xc000 | (item_->flow & 0x3fff));
    p.payload = static_cast<std::uint16_t>(item_->bytes.count());
    p.frame = static_cast<std::uint16_t>(frame_bytes(p.opcode, item_->bytes).count());
    p.ecn = Ecn::ect0;
    p.traffic_class = config_.traffic_class;
    p.bth_reserved = item_->remaining;
    ++counters_.sent;
    wire_free_ = now + fabric::to_sc_time(serialisation_time(p.wire_size(), link_.rate));
    fabric::packet_phase phase = fabric::packet_phase::begin_packet;
    sc_core::sc_time at = wire_free_ + fabric::to_sc_time(link_.delay);
    out_->nb_transport_fw(p, phase, at);
    item_ = source_->next();
  }

  fabric::packet_target_socket in_{"in"};
  fabric::packet_initiator_socket out_{"out"};
  fabric::sim_context& context_;
  fabric::HostConfig config_;
  std::unique_ptr<traffic::TrafficSource> source_;
  fabric::LinkConfig link_;
  std::optional<traffic::TrafficItem> item_;
  std::map<Order, Packet*> inbox_;
  std::uint64_t ordinal_ = 0;
  std::uint64_t arriving_ = 0;
  bool paused_ = false;
  sc_core::sc_time wire_free_;
  sc_core::sc_event changed_{"changed"};
  fabric::open_loop_host::Counters counters_;
};

}  // namespace horae::test
