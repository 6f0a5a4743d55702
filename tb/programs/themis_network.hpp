// A small network around Themis for random tests: real senders and receivers of RNIC-SR, paths that
// delay, reorder and lose packets, both top-of-rack switches driven pass by pass, and a checker
// that knows what was really lost. No clock but a number of nanoseconds.
#pragma once

#include <algorithm>
#include <array>
#include <queue>

#include "horae/core/random.hpp"
#include "horae/policy/transport/transport.hpp"
#include "themis_causes.hpp"
#include "themis_parts.hpp"

namespace horae::programs::test {

/// A top-of-rack switch: one NIC on port 0, uplinks from port 8 on, one copy of the program per
/// pipeline.
struct Switch {
  Switch(const ProgramFactory& factory, NodeId own, NodeId remote, unsigned uplinks,
         unsigned pipelines) {
    Routes::Entry far{.node = remote};
    pipeline_of_port.assign(8, 0);
    for (unsigned i = 0; i < uplinks; ++i) {
      far.ports.push_back(static_cast<std::uint16_t>(8 + i));
      pipeline_of_port.push_back(i % pipelines);
    }
    const Routes table{{{own, {0}, true}, far}, pipeline_of_port};
    for (unsigned i = 0; i < pipelines; ++i)
      pipes.push_back(std::make_unique<Tor>(factory, i, table));
  }
  std::vector<unsigned> pipeline_of_port;
  std::vector<std::unique_ptr<Tor>> pipes;
};

/// Both switches and what a series of scenarios has in common.
struct Fabric {
  static constexpr NodeId sender = 1, receiver = 2;
  Fabric(const std::string& parameters, unsigned ways, unsigned pipelines)
      : factory(read_program(Document::parse(parameters, "test.toml").root())),
        uplinks(ways),
        near(*factory, sender, receiver, ways, pipelines),
        far(*factory, receiver, sender, ways, pipelines) {}
  std::unique_ptr<ProgramFactory> factory;
  unsigned uplinks;
  Switch near, far;
  std::uint32_t connections = 0;
};

/// Copies of the PSN queue's program: a NACK that is searched for, or decided (header: valid).
enum : std::uint8_t { queue_search = 4, queue_decided = 5 };

/// One connection, one message, from the first packet to the last acknowledgement.
class Scenario {
 public:
  Scenario(Fabric& fabric, const Rules& rules, const Weather& weather, std::uint64_t seed,
           std::uint32_t first_psn, Causes& causes);
  void run();

 private:
  using Time = std::int64_t;  // ns
  enum class Kind : std::uint8_t { ingress, egress, receiver, sender, wake };
  struct Event {
    Time at = 0;
    std::uint64_t order = 0;
    Kind kind = Kind::wake;
    bool far_switch = false;
    unsigned port = 0, pipe = 0;
    Packet packet = {};
    dataplane::MirrorHeader header = {};
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  /// In order, whatever the delays.
  struct Line {
    Time last = 0;
    Time pass(Time at, Time gap = 1) { return last = std::max(at, last + gap); }
  };
  /// True outcome of a packet.
  struct Fate {
    int sent = 0, under_way = 0, lost = 0, lost_last_hop = 0, resend_lost = 0;
    bool passed = false, delivered = false;
    bool nack_made = false, nack_judged = false, nack_passed = false, nack_heard = false,
         nack_lost = false, nack_arrived = false;
    bool avoided = false, rerouted = false;  // a copy left the path of Eq. 1
    bool blocked = false;                    // its NACK, for good
  };

  void add(Event e) {
    e.order = order_++;
    events_.push(std::move(e));
  }
  Switch& at(bool far) { return far ? fabric_.far : fabric_.near; }
  int index(Psn psn) const { return psn - first_; }
  Fate& fate(Psn psn) { return fates_.at(static_cast<std::size_t>(index(psn))); }
  unsigned policy_port(Psn psn) const {
    return 8 + (base_ + psn.value() % rules_.paths) % fabric_.uplinks;
  }

  void send();
  void enter(const Event& e);
  void leave(const Event& e);
  void on_wire(bool far, unsigned port, Packet p);
  void at_receiver(const Packet& p);
  void at_sender(const Packet& p);
  void timeout();
  void explain_timeout(Psn psn);
  void judge_pass(Psn psn, bool signal);
  void judge_block(Psn psn, bool invalid);
  bool overtaken(Psn psn) const;
  bool lost_on(unsigned path);

  Fabric& fabric_;
  Rules rules_;
  Weather weather_;
  Causes& causes_;
  RandomStream random_;
  Psn first_;
  std::uint16_t entropy_;
  Qpn sender_qp_, receiver_qp_;
  unsigned base_ = 0;
  std::unique_ptr<policy::TransportSender> sender_;
  std::unique_ptr<policy::TransportReceiver> receiver_;
  std::vector<Fate> fates_;
  std::vector<Time> delays_;
  std::vector<int> burst_;
  std::array<std::vector<Line>, 2> up_, queue_;
  Line nic_out_, nic_in_, answers_in_, answers_out_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t order_ = 0;
  Time now_ = 0;
  Time wake_at_ = -1;
  Psn sent_end_;  // first PSN that was not sent yet
  bool answers_lost_ = false;
  unsigned timeouts_ = 0;
  std::int64_t last_nack_ = -1;  // PSN that Themis-S heard of last
};

inline Scenario::Scenario(Fabric& fabric, const Rules& rules, const Weather& weather,
                          std::uint64_t seed, std::uint32_t first_psn, Causes& causes)
    : fabric_(fabric),
      rules_(rules),
      weather_(weather),
      causes_(causes),
      random_(seed, "scenario"),
      first_(first_psn),
      entropy_(static_cast<std::uint16_t>(0xc000 + fabric.connections)),
      sender_qp_(0x1000 + fabric.connections),
      receiver_qp_(0x100000 + fabric.connections),
      fates_(weather.packets),
      burst_(fabric.uplinks, 0),
      sent_end_(first_psn) {
  ++fabric.connections;
  ++causes.scenarios;
  const policy::TransportConfig config{.window = rules.window,
                                       .ack_every = 1 + random_.below(8),
                                       .ack_request_every = random_.below(2) * 16,
                                       .rto = Picoseconds(weather.rto * 1000)};
  const auto& transport = policy::find_transport("rnic_sr");
  sender_ = transport.make_sender(config, first_);
  receiver_ = transport.make_receiver(config, first_);
  for (unsigned i = 0; i < fabric.uplinks; ++i) {
    const bool slow = weather.slow_path == static_cast<int>(i);
    delays_.push_back(1000 + random_.below(static_cast<std::uint32_t>(weather.spread)) +
                      (slow ? weather.slow : 0));
  }
  for (auto& lines : up_) lines.resize(fabric.uplinks);
  for (auto& lines : queue_) lines.resize(8 + fabric.uplinks);
  const Connection c{Fabric::sender, Fabric::receiver, sender_qp_, receiver_qp_, entropy_, first_};
  for (Switch* s : {&fabric.near, &fabric.far}) {
    for (auto& pipe : s->pipes) pipe->program->connect(c);
  }
  Packet probe = data(Fabric::sender, Fabric::receiver, first_.value(), entropy_);
  probe.dest_qp = receiver_qp_;
  const unsigned port = fabric.near.pipes[0]->ingress(probe, 0).port - 8;
  base_ = (port + fabric.uplinks - first_.value() % rules.paths % fabric.uplinks) % fabric.uplinks;
}

inline void Scenario::run() {
  sender_->post(weather_.packets);
  send();
  std::uint64_t events = 0;
  while (true) {
    const Picoseconds deadline = sender_->next_deadline();
    const bool timer = deadline != never;
    if (events_.empty() && !timer) break;
    const Time due = timer ? (deadline.count() + 999) / 1000 : 0;
    if (timer && (events_.empty() || due < events_.top().at)) {
      now_ = std::max(now_, due);
      timeout();
    } else {
      const Event e = events_.top();
      events_.pop();
      now_ = e.at;
      switch (e.kind) {
        case Kind::ingress:
          enter(e);
          break;
        case Kind::egress:
          leave(e);
          break;
        case Kind::receiver:
          at_receiver(e.packet);
          break;
        case Kind::sender:
          at_sender(e.packet);
          break;
        case Kind::wake:
          break;
      }
    }
    send();
    if (++events == 1'000'000) {
      ADD_FAILURE() << "a scenario does not end";
      return;
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
  causes_.stuck += timeouts_ >= 10 ? 1 : 0;
  EXPECT_EQ(sender_->unacked() + sender_->unsent(), 0u);
  EXPECT_EQ(receiver_->expected_psn(), first_ + static_cast<std::int32_t>(weather_.packets));
  for (const Fate& f : fates_) {
    EXPECT_TRUE(f.delivered);
    EXPECT_EQ(f.under_way, 0);
  }
}

inline void Scenario::send() {
  constexpr Time gap = 100;
  while (sender_->can_send()) {
    if (now_ < nic_out_.last + gap) {
      if (wake_at_ < nic_out_.last + gap) {
        wake_at_ = nic_out_.last + gap;
        add({.at = wake_at_, .kind = Kind::wake});
      }
      return;
    }
    nic_out_.last = now_;
    const policy::Transmission t = sender_->next(Picoseconds(now_ * 1000));
    Packet p = data(Fabric::sender, Fabric::receiver, t.psn.value(), entropy_);
    p.dest_qp = receiver_qp_;
    p.ack_request = t.ack_request;
    p.retransmission = t.kind != policy::SendKind::fresh;
    if (index(t.psn) == static_cast<int>(weather_.packets) - 1) p.opcode = Opcode::write_last;
    Fate& f = fate(t.psn);
    ++f.sent;
    if (!t.psn.before(sent_end_)) sent_end_ = t.psn + 1;
    ++f.under_way;
    add({.at = now_ + 300, .kind = Kind::ingress, .packet = p});
  }
}

inline void Scenario::enter(const Event& e) {
  Switch& s = at(e.far_switch);
  const Packet& p = e.packet;
  if (!e.far_switch && e.pipe == 0 && p.is_nack()) {  // where Themis-S has its state
    last_nack_ = p.psn.value();
    fate(p.psn).nack_heard = true;
  }
  const Outcome o = s.pipes[e.pipe]->ingress(p, e.port);
  if (o.verdict == Verdict::recirculate) {
    add({.at = now_ + 400,
         .kind = Kind::ingress,
         .far_switch = e.far_switch,
         .port = e.port,
         .pipe = o.loop,
         .packet = o.packet});
    return;
  }
  ASSERT_EQ(o.verdict, Verdict::forward);
  if (!e.far_switch && p.is_data() && o.port != policy_port(p.psn)) {
    const bool asked = last_nack_ == p.psn.value();
    (asked ? fate(p.psn).rerouted : fate(p.psn).avoided) = true;
  } else if (!e.far_switch && p.is_data() && rules_.rerouting && fabric_.uplinks > 1 &&
             last_nack_ == p.psn.value()) {
    ++causes_.kept_path;
  }
  const Time gap = p.is_data() ? 80 : 5;
  add({.at = queue_[e.far_switch][o.port].pass(now_ + 150, gap),
       .kind = Kind::egress,
       .far_switch = e.far_switch,
       .port = o.port,
       .packet = o.packet});
}

inline void Scenario::leave(const Event& e) {
  Switch& s = at(e.far_switch);
  Tor& tor = *s.pipes[s.pipeline_of_port[e.port]];
  const bool asks = e.far_switch && e.packet.is_nack() && e.packet.mirror_type == 0;
  const std::uint64_t invalid = asks ? tor.count("nacks_invalid") : 0;
  const Outcome o = tor.egress(e.packet, e.port, e.header);
  const bool decided = e.far_switch && e.packet.mirror_type == queue_decided;
  if (decided || (asks && o.copy && o.copy->type >= queue_search)) {
    if (asks) fate(e.packet.psn).nack_judged = true;
    if (decided && e.header[1] != 0) judge_pass(e.packet.psn, false);
    if (decided && e.header[1] == 0) judge_block(e.packet.psn, false);
  } else if (asks) {
    fate(e.packet.psn).nack_judged = true;
    if (!o.dropped() || o.copy)
      judge_pass(e.packet.psn, false);
    else
      judge_block(e.packet.psn, tor.count("nacks_invalid") > invalid);
  } else if (e.far_switch && e.packet.is_data() && e.packet.mirror_type == 0) {
    fate(e.packet.psn).passed = true;
    if (o.copy) judge_pass(Psn(o.copy->header[0]), o.copy->type == 3);
  }
  if (o.copy) {
    add({.at = queue_[e.far_switch][o.copy->egress_port].pass(now_ + 200, 5),
         .kind = Kind::egress,
         .far_switch = e.far_switch,
         .port = o.copy->egress_port,
         .packet = mirrored(o.packet, *o.copy),
         .header = o.copy->header});
  }
  if (!o.dropped()) on_wire(e.far_switch, e.port, o.packet);
}

inline void Scenario::on_wire(bool far, unsigned port, Packet p) {
  p.mirror_type = 0;
  p.metadata = 0;
  if (port == 0 && far) {
    Fate& f = fate(p.psn);
    if (random_.chance(weather_.last_hop_loss)) {
      --f.under_way;
      ++f.lost_last_hop;
      f.resend_lost += f.sent > 1 ? 1 : 0;
      return;
    }
    add({.at = nic_in_.pass(now_ + 300), .kind = Kind::receiver, .packet = p});
  } else if (port == 0) {
    add({.at = answers_in_.pass(now_ + 300), .kind = Kind::sender, .packet = p});
  } else {
    const unsigned path = port - 8;
    if (!far && lost_on(path)) {
      Fate& f = fate(p.psn);
      --f.under_way;
      ++f.lost;
      f.resend_lost += f.sent > 1 ? 1 : 0;
      return;
    }
    if (far && random_.chance(weather_.response_loss)) {
      answers_lost_ = true;
      if (p.is_nack()) fate(p.psn).nack_lost = true;
      return;
    }
    const Time arrival = now_ + delays_[path] + random_.below(300);
    Switch& next = at(!far);
    add({.at = up_[far][path].pass(arrival),
         .kind = Kind::ingress,
         .far_switch = !far,
         .port = port,
         .pipe = next.pipeline_of_port[port],
         .packet = p});
  }
}

inline bool Scenario::lost_on(unsigned path) {
  if (weather_.dead_path == static_cast<int>(path) && now_ >= weather_.dead_from &&
      now_ < weather_.dead_until)
    return true;
  if (burst_[path] > 0) {
    --burst_[path];
    return true;
  }
  if (random_.chance(weather_.burst)) {
    burst_[path] = 3;
    return true;
  }
  return random_.chance(weather_.loss);
}

inline void Scenario::at_receiver(const Packet& p) {
  Fate& f = fate(p.psn);
  --f.under_way;
  const auto got = receiver_->on_data(p.psn, p.ack_request, p.opcode == Opcode::write_last);
  ASSERT_NE(got.placement, policy::Placement::discard);
  if (got.placement == policy::Placement::deliver) {
    EXPECT_FALSE(f.delivered);
    f.delivered = true;
  }
  if (!got.response) return;
  const bool asks = got.response->nack;
  Packet answer =
      asks ? nack(Fabric::receiver, Fabric::sender, got.response->psn.value(), entropy_)
           : ack(Fabric::receiver, Fabric::sender, (got.response->psn - 1).value(), entropy_);
  answer.dest_qp = sender_qp_;
  if (asks) fate(got.response->psn).nack_made = true;
  // A NIC takes its time to answer, so that data may overtake the NACK at the switch.
  add({.at = answers_out_.pass(now_ + 400 + random_.below(1500)),
       .kind = Kind::ingress,
       .far_switch = true,
       .packet = answer});
}

inline void Scenario::at_sender(const Packet& p) {
  ASSERT_EQ(p.dst, Fabric::sender);
  ASSERT_EQ(p.dest_qp, sender_qp_);
  const Picoseconds now(now_ * 1000);
  if (p.is_nack()) {
    fate(p.psn).nack_arrived = true;
    if (!fate(p.psn).nack_heard) ++causes_.past_source;
    sender_->on_nack(p.psn, now);
  } else {
    sender_->on_ack(p.psn + 1, now);
  }
}

inline void Scenario::timeout() {
  ++causes_.timeouts;
  ++timeouts_;
  explain_timeout(receiver_->expected_psn());
  sender_->on_timeout(Picoseconds(now_ * 1000));
}

/// Whether something that was sent after `psn` by the same path has passed the receiver's switch.
inline bool Scenario::overtaken(Psn psn) const {
  for (std::size_t k = static_cast<std::size_t>(index(psn)) + rules_.paths; k < fates_.size();
       k += rules_.paths) {
    if (fates_[k].passed) return true;
  }
  return false;
}

// Why the sender had to wait for its timer, by what the receiver waits for (the sender may wait for
// less: a NACK that is blocked was an acknowledgement, too).
inline void Scenario::explain_timeout(Psn psn) {
  if (psn.before(sender_->oldest_unacked()) || !psn.before(sent_end_)) {
    // Everything sent is there.
    ++(answers_lost_ ? causes_.timeout_answer_lost : causes_.timeout_not_lost);
    return;
  }
  const Fate& f = fate(psn);
  if (f.under_way > 0)
    ++causes_.timeout_not_lost;
  else if (f.lost_last_hop > 0)
    ++causes_.timeout_last_hop;
  else if (f.blocked)
    ++causes_.timeout_blocked;
  else if (f.nack_judged && !f.nack_passed && overtaken(psn))
    ++causes_.unexplained_timeout;
  else if (f.resend_lost > 0)
    ++causes_.timeout_resend_lost;
  else if (f.nack_lost)
    ++causes_.timeout_nack_lost;
  else if (f.nack_passed && !f.nack_arrived)
    ++causes_.timeout_answer_coming;
  else if (!f.nack_passed)  // nothing came that could have shown it, to the NIC or to the switch
    ++causes_.timeout_tail;
  else
    ++causes_.unexplained_timeout;
}

inline void Scenario::judge_pass(Psn psn, bool signal) {
  ++causes_.nacks_passed;
  Fate& f = fate(psn);
  f.nack_passed = true;
  if (f.passed) {
    ++(!rules_.bitmap && f.lost > 0 ? causes_.resent_already : causes_.passed_delivered);
  } else if (f.under_way == 0) {
    return;  // lost
  } else if (f.lost > 0) {
    ++causes_.resent_already;
  } else if (signal) {
    ++causes_.late_signalled;
  } else if (!rules_.path_check) {
    ++causes_.late_unchecked;
  } else {
    bool avoided = f.avoided, rerouted = f.rerouted;
    for (std::size_t k = static_cast<std::size_t>(index(psn)) + rules_.paths; k < fates_.size();
         k += rules_.paths) {
      avoided |= fates_[k].passed && fates_[k].avoided;
      rerouted |= fates_[k].passed && fates_[k].rerouted;
    }
    ++(avoided ? causes_.late_avoided : rerouted ? causes_.late_rerouted : causes_.passed_in_time);
  }
}

inline void Scenario::judge_block(Psn psn, bool invalid) {
  ++causes_.nacks_blocked;
  Fate& f = fate(psn);
  if (invalid && !f.passed) {
    ++(rules_.ignore_old ? causes_.blocked_lost : causes_.blocked_old);
    f.blocked = true;
  } else if (invalid) {
    if (f.under_way == 0 && !f.delivered) ++causes_.lost_last_hop;
  } else if (!rules_.keeps && !f.passed) {  // undetermined
    ++(f.under_way == 0 ? causes_.given_up : causes_.given_up_rightly);
    f.blocked = true;
  }
}

}  // namespace horae::programs::test
