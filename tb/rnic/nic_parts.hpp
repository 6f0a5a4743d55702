// Shared by tests of the NIC: a scripted peer, a link with a will of its own, joined NICs.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/roce.hpp"
#include "horae/fabric/device.hpp"
#include "horae/rnic/rnic.hpp"
#include "horae/traffic/source.hpp"

namespace horae::test {

using rnic::IdleCause;
using rnic::RnicConfig;
using Nic = rnic::rnic;

/// Latencies of which no sum equals another, so that a missing one shows.
inline RnicConfig odd_latencies() {
  RnicConfig config;
  config.tx_latency = 301'001_ps;
  config.rx_latency = 287'003_ps;
  config.ack_delay = 41'007_ps;
  config.nack_delay = 1'013'009_ps;
  config.nack_reaction = 1'511'011_ps;
  return config;
}
inline const fabric::LinkConfig odd_link{.rate = 100_Gbps, .delay = 503'017_ps};

/// Time a packet occupies the wire.
inline Picoseconds wire_time(Opcode opcode, Bytes payload = 0_B, BitRate rate = 100_Gbps) {
  return serialisation_time(l1_bytes(frame_bytes(opcode, payload)), rate);
}
inline Picoseconds ack_time(BitRate rate = 100_Gbps) {
  return wire_time(Opcode::acknowledge, 0_B, rate);
}
/// From a packet's decision at a NIC to the decision about it at the peer NIC, but its wire time.
inline Picoseconds one_way(const RnicConfig& c, const fabric::LinkConfig& link) {
  return c.tx_latency + link.delay + c.rx_latency;
}
/// From the decision about a data packet to the sender's decision about its ACK.
inline Picoseconds ack_return(const RnicConfig& c, const fabric::LinkConfig& link) {
  return c.ack_delay + ack_time(link.rate) + one_way(c, link);
}

/// Runs to `t` also when the devices have nothing to do any more, so that idle time counts up to
/// it.
inline void run_on(fabric::sim_context& context, Picoseconds t) {
  while (fabric::from_sc_time(sc_core::sc_time_stamp()) < t) context.clock.run_to(t);
}

inline std::unique_ptr<traffic::TrafficSource> messages(Bytes bytes, std::uint64_t count = 1,
                                                        Picoseconds start = 0_ps,
                                                        Picoseconds interval = 0_ps) {
  return std::make_unique<traffic::ConstantSource>(traffic::ConstantSource::Config{
      .bytes = bytes, .start = start, .interval = interval, .count = count});
}

/// One connection between two NICs; either side may be a mere responder.
struct Connection {
  std::unique_ptr<traffic::TrafficSource> a_to_b{}, b_to_a{};
  std::uint32_t depth = 128;
  Psn first_a{}, first_b{};
  std::uint16_t entropy = 0xc000;
  std::uint32_t reads = 0;  // outstanding at most, of both ends
  bool receives = false;    // both ends have receive queues
  std::uint32_t words = 1;  // that atomics go to
  Service service = Service::rc;
  std::uint8_t fenced = 0;  // verbs of either end, a bit each
};
inline void connect_queue_pairs(Nic& a, Nic& b, Connection c) {
  const auto number = [](const Nic& n) {
    return Qpn(Nic::first_qpn + static_cast<std::uint32_t>(n.queue_pairs()));
  };
  const Qpn at_a = number(a), at_b = number(b);
  a.add_queue_pair({.remote = at_b,
                    .peer = b.id(),
                    .entropy = c.entropy,
                    .first_send = c.first_a,
                    .first_receive = c.first_b,
                    .depth = c.depth,
                    .source = std::move(c.a_to_b),
                    .reads = c.reads,
                    .receives = c.receives,
                    .service = c.service,
                    .fenced = c.fenced,
                    .words = c.words});
  b.add_queue_pair({.remote = at_a,
                    .peer = a.id(),
                    .entropy = c.entropy,
                    .first_send = c.first_b,
                    .first_receive = c.first_a,
                    .depth = c.depth,
                    .source = std::move(c.b_to_a),
                    .reads = c.reads,
                    .receives = c.receives,
                    .service = c.service,
                    .fenced = c.fenced,
                    .words = c.words});
}

/// Two NICs back to back: node 0 and node 1.
struct NicPair {
  NicPair(fabric::sim_context& context, const RnicConfig& config,
          const fabric::LinkConfig& link = odd_link, unsigned index = 0)
      : a(std::make_unique<Nic>(fmt::format("a{}", index).c_str(), context, config, 0)),
        b(std::make_unique<Nic>(fmt::format("b{}", index).c_str(), context, config, 1)) {
    connect(*a, 0, *b, 0, link);
  }
  std::unique_ptr<Nic> a, b;
};

/// The other end of a NIC's link, under the test's control: sends the packets and PFC frames it was
/// told to and records what arrives, at the time of the last bit.
class peer : public fabric::device {
 public:
  static constexpr NodeId node = 9;

  struct Seen {
    Picoseconds at{};
    Packet packet;
    bool data() const { return packet.is_data(); }
    bool nack() const { return packet.is_nack(); }
    std::uint32_t psn() const { return packet.psn.value(); }
  };

  peer(sc_core::sc_module_name name, fabric::sim_context& context) : device(name, context, 1) {}

  /// Plans, before the simulation starts: the first bit leaves at `at` or as soon as the wire is
  /// free.
  void send(Picoseconds at, const Packet& p) { shots_.push_back({at, p}); }
  void data(Picoseconds at, std::uint32_t psn, Opcode opcode = Opcode::write_middle,
            bool ack_request = false, std::uint32_t qp = 0) {
    Packet p = to_nic(opcode, Bytes(1024), qp);
    p.psn = Psn(psn);
    p.ack_request = ack_request;
    send(at, p);
  }
  /// An ACK of everything before `next_expected`.
  void ack(Picoseconds at, std::uint32_t next_expected, std::uint32_t qp = 0) {
    Packet p = to_nic(Opcode::acknowledge, 0_B, qp);
    p.psn = Psn(next_expected) - 1;
    p.syndrome = syndrome::ack;
    send(at, p);
  }
  void nack(Picoseconds at, std::uint32_t expected, std::uint32_t qp = 0) {
    Packet p = to_nic(Opcode::acknowledge, 0_B, qp);
    p.psn = Psn(expected);
    p.syndrome = syndrome::nak_psn_sequence;
    send(at, p);
  }
  /// Changes the packet planned last.
  void make_last_shot(const std::function<void(Packet&)>& change) { change(shots_.back().packet); }
  void pause(Picoseconds at, unsigned traffic_class, bool pause) {
    pauses_.push_back({at, traffic_class, pause});
  }

  std::vector<Seen> seen;
  std::vector<std::uint32_t> psns_seen() const {
    std::vector<std::uint32_t> psns;
    for (const Seen& s : seen) {
      if (s.data()) psns.push_back(s.psn());
    }
    return psns;
  }

 protected:
  void begin() override {
    for (std::size_t i = 0; i < shots_.size(); ++i) schedule(shots_[i].at, shot_event, 0, i, i);
    for (std::size_t i = 0; i < pauses_.size(); ++i) schedule(pauses_[i].at, pause_shot, 0, i, i);
  }
  void handle(const fabric::Event& e) override {
    switch (fabric::key_kind(e.key)) {
      case fabric::arrival_event: {
        Packet& p = arrived(e);
        seen.push_back({e.time, p});
        context_.pool.deliver(p);
        break;
      }
      case shot_event: {
        Packet& p = context_.pool.create();
        p = shots_[e.payload].packet;
        p.created = e.time;
        tx(0).send(p, std::max(e.time, tx(0).busy_until()));
        break;
      }
      case pause_shot:
        tx(0).send_pause(e.time, pauses_[e.payload].traffic_class, pauses_[e.payload].pause);
        break;
      default:
        break;
    }
  }

 private:
  static constexpr std::uint8_t shot_event = fabric::device_events;
  static constexpr std::uint8_t pause_shot = fabric::device_events + 1;
  struct Shot {
    Picoseconds at;
    Packet packet;
  };
  struct Pause {
    Picoseconds at;
    unsigned traffic_class;
    bool pause;
  };

  static Packet to_nic(Opcode opcode, Bytes payload, std::uint32_t qp) {
    Packet p;
    p.src = node;
    p.dst = 0;
    p.dest_qp = Qpn(Nic::first_qpn + qp);
    p.opcode = opcode;
    p.payload = static_cast<std::uint16_t>(payload.count());
    p.frame = static_cast<std::uint16_t>(frame_bytes(opcode, payload).count());
    return p;
  }

  std::vector<Shot> shots_;
  std::vector<Pause> pauses_;
};

/// A NIC (node 0) and a scripted peer at the other end of its link.
struct NicAndPeer {
  NicAndPeer(fabric::sim_context& context, const RnicConfig& config,
             const fabric::LinkConfig& link_config = odd_link, unsigned index = 0)
      : link(link_config),
        nic(std::make_unique<Nic>(fmt::format("nic{}", index).c_str(), context, config, 0)),
        far(std::make_unique<peer>(fmt::format("peer{}", index).c_str(), context)) {
    connect(*nic, 0, *far, 0, link);
  }
  /// Queue pair n has the entropy 0xc000 + n.
  void queue_pair(std::unique_ptr<traffic::TrafficSource> source, std::uint32_t depth = 128) {
    rnic::QueuePairConfig config;
    config.remote = Qpn(0x77);
    config.peer = peer::node;
    config.entropy = static_cast<std::uint16_t>(0xc000 + nic->queue_pairs());
    config.depth = depth;
    config.source = std::move(source);
    nic->add_queue_pair(std::move(config));
  }
  /// When the peer must start an ACK, NACK (66 B) or PFC frame (64 B) for the NIC to know of it at
  /// `t`. Pauses pass no receive pipe.
  Picoseconds response_known_at(Picoseconds t) const {
    return t - nic->config().rx_latency - link.delay - ack_time(link.rate);
  }
  Picoseconds pause_known_at(Picoseconds t) const {
    return t - link.delay - serialisation_time(84_B, link.rate);
  }
  /// When the NIC began to send what the peer saw: the decision, without pipe.
  Picoseconds decided(const peer::Seen& s) const {
    return s.at - link.delay - serialisation_time(s.packet.wire_size(), link.rate) -
           nic->config().tx_latency;
  }

  fabric::LinkConfig link;
  std::unique_ptr<Nic> nic;
  std::unique_ptr<peer> far;
};

/// A box in the middle of a link: passes packets on after their last bit, drops or delays those the
/// test chooses.
class tap : public fabric::device {
 public:
  /// Decision on a packet that came in by `port`: extra delay, or nothing for a drop.
  using Fate = std::function<std::optional<Picoseconds>(unsigned port, const Packet& p)>;

  tap(sc_core::sc_module_name name, fabric::sim_context& context, Fate fate)
      : device(name, context, 2), fate_(std::move(fate)) {}

  std::uint64_t dropped_data = 0, dropped_responses = 0;

 protected:
  void handle(const fabric::Event& e) override {
    const unsigned port = fabric::key_entity(e.key);
    if (fabric::key_kind(e.key) == fabric::arrival_event) {
      Packet& p = arrived(e);
      const auto extra = fate_(port, p);
      if (!extra) {
        ++(p.is_data() ? dropped_data : dropped_responses);
        return context_.pool.drop(p, fabric::DropCause::program);
      }
      ++inside_;
      schedule(e.time + *extra, leave_event, static_cast<std::uint16_t>(1 - port), ordinal_++,
               reinterpret_cast<std::uint64_t>(&p));
    } else if (fabric::key_kind(e.key) == leave_event) {
      --inside_;
      tx(port).send(*reinterpret_cast<Packet*>(e.payload), std::max(e.time, tx(port).busy_until()));
    }
  }
  std::uint64_t queued() const override { return inside_; }

 private:
  static constexpr std::uint8_t leave_event = fabric::device_events;
  Fate fate_;
  std::uint64_t inside_ = 0;
  std::uint64_t ordinal_ = 0;
};

/// Two NICs with a tap between them.
struct TappedPair {
  TappedPair(fabric::sim_context& context, const RnicConfig& config, tap::Fate fate,
             const fabric::LinkConfig& link = odd_link, unsigned index = 0)
      : a(std::make_unique<Nic>(fmt::format("a{}", index).c_str(), context, config, 0)),
        b(std::make_unique<Nic>(fmt::format("b{}", index).c_str(), context, config, 1)),
        middle(
            std::make_unique<tap>(fmt::format("tap{}", index).c_str(), context, std::move(fate))) {
    connect(*a, 0, *middle, 0, link);
    connect(*b, 0, *middle, 1, link);
  }
  std::unique_ptr<Nic> a, b;
  std::unique_ptr<tap> middle;
};

/// Time the wire was occupied by what the NIC put on it.
inline Picoseconds busy_time(const Nic& nic) {
  return nic.tx(0).serialisation(nic.tx(0).counters().bytes(Layer::l1));
}
inline Picoseconds idle_time(const Nic& nic) {
  Picoseconds sum{};
  for (const Picoseconds t : nic.counters().idle) sum += t;
  return sum;
}
inline Picoseconds idle_time(const Nic& nic, IdleCause cause) {
  return nic.counters().idle[static_cast<std::size_t>(cause)];
}
/// Every picosecond up to `now` is idle for a reason or busy; a packet being sent is busy already.
inline void expect_time_accounted(const Nic& nic, Picoseconds now) {
  EXPECT_EQ(idle_time(nic) + busy_time(nic), std::max(now, nic.tx(0).busy_until()));
}
inline std::uint64_t sent(const Nic& nic, policy::SendKind kind) {
  return nic.counters().sent[static_cast<std::size_t>(kind)];
}

}  // namespace horae::test
