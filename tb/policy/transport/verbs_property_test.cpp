// Messages of all verbs of one queue pair over random channels, against the rules of the
// specification (IBTA vol. 1, 9.7) written apart: each packet takes effect once and in order,
// responses leave in the order of their PSNs, messages are completed in the order in which they
// were posted, and one that finds no receive WQE waits and comes again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/core/verb.hpp"
#include "horae/policy/transport/read_responder.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::policy::verbs_property_test {
namespace {

/// Each packet may be lost, come twice, and is held up by up to `jitter`.
struct Channel {
  double loss = 0, duplication = 0;
  std::int64_t delay = 0;    // ns
  std::uint32_t jitter = 0;  // ns
};

struct Scenario {
  std::string_view transport;
  TransportConfig config;
  Psn first;
  std::uint32_t messages = 0;
  double reads = 0;     // share of messages, atomics included
  double atomics = 0;   // of these
  double receives = 0;  // of the others, share of those that take receive WQEs
  double missing = 0;   // share of these that find none
  double fences = 0;    // share of messages that wait for READs and atomics before them
  std::uint32_t longest = 1;
  Channel there, back;
  std::uint32_t memory = 0;  // ns, until a response's payload is in memory, at most
};

std::string describe(const Scenario& s, std::uint64_t seed) {
  return fmt::format(
      "{} seed {}: {} messages from {:06x}, {} of them READs, to {} packets, window {}, rd_atomic "
      "{}, "
      "ack_every {}, resend {}; {} receive, {} find nothing; loss {} dup {} jitter {}; back loss "
      "{} dup {} jitter {}; memory {}",
      s.transport, seed, s.messages, s.first.value(), s.reads, s.longest, s.config.window,
      s.config.most_reads(), s.config.ack_every,
      s.config.timeout_resend == TimeoutResend::window ? "window" : "oldest", s.receives, s.missing,
      s.there.loss, s.there.duplication, s.there.jitter, s.back.loss, s.back.duplication,
      s.back.jitter, s.memory);
}

struct Totals {
  std::uint64_t lost = 0, nacks = 0, timeouts = 0, gaps = 0, answered_again = 0, held = 0, rnrs = 0;
  std::uint64_t fenced = 0, waited = 0;
};

/// A message and what the specification lets be done with it.
struct Message {
  Verb verb = Verb::write;
  Psn first;
  std::uint32_t psns = 1;
  std::uint32_t done = 0;  // packets written to the responder, or responses taken by the requester
  bool executed = false;   // a READ or an atomic whose request was accepted
  bool fenced = false;     // waits for READs and atomics before it
  bool sent = false;
  Psn end() const { return first + static_cast<std::int32_t>(psns); }
};

class History {
 public:
  History(const Scenario& scenario, std::uint64_t seed)
      : s_(scenario),
        random_(seed, "reads"),
        sender_(find_transport(s_.transport).make_sender(s_.config, s_.first)),
        receiver_(find_transport(s_.transport).make_receiver(s_.config, s_.first)),
        responder_(s_.config.most_reads(), s_.first) {
    Psn next = s_.first;
    for (std::uint32_t m = 0; m < s_.messages; ++m) {
      const Verb verb = random_.chance(s_.reads)                           ? Verb::read
                        : s_.receives == 0 || !random_.chance(s_.receives) ? Verb::write
                        : random_.chance(0.5)                              ? Verb::send
                                                                           : Verb::write_imm;
      // An atomic is a request with one response, which is executed once.
      const bool atomic = verb == Verb::read && random_.chance(s_.atomics);
      Message message{atomic ? Verb::fetch_add : verb, next,
                      atomic ? 1 : 1 + random_.below(s_.longest)};
      message.fenced = random_.chance(s_.fences);
      next = message.end();
      messages_.push_back(message);
    }
  }

  Totals run() {
    for (int steps = 0; completed_ < messages_.size(); ++steps) {
      if (steps > 2'000'000) {
        ADD_FAILURE() << "does not finish: " << completed_ << " messages";
        break;
      }
      if (posted_ < messages_.size() && (sender_->unsent() == 0 || random_.chance(0.1))) post();
      step();
      if (testing::Test::HasFailure()) break;
    }
    return totals_;
  }

 private:
  enum class Kind { write, request, response, acknowledge, in_memory, reaction };
  struct Packet {
    Kind kind = Kind::write;
    Psn psn{};
    std::uint32_t psns = 1;
    bool ack_request = false;
    Response answer{};
  };

  Message* message_of(Psn psn) {
    for (Message& m : messages_) {
      if (static_cast<std::uint32_t>(psn - m.first) < m.psns) return &m;
    }
    return nullptr;
  }
  void post() {
    const Message& m = messages_[posted_++];
    if (m.fenced) sender_->fence();
    if (passes() && tells(m)) sender_->hold(m.verb == Verb::write_imm ? m.end() - 1 : m.first);
    has_response(m.verb) ? sender_->post_read(m.psns) : sender_->post(m.psns);
  }

  bool passes() const { return s_.config.dp_ordering == DpOrdering::ooo_rw; }
  /// Whether it tells the responder of what was before it.
  static bool tells(const Message& m) {
    return is_atomic(m.verb) || m.verb == Verb::send || m.verb == Verb::write_imm;
  }
  /// A fenced message begins when READs and atomics before it are answered (10.8.3.3); where WRITEs
  /// may pass each other, what tells of them goes when all before it is acknowledged.
  void check_order(Message& m, Psn psn) {
    const bool held = passes() && tells(m) &&
                      psn == (m.verb == Verb::write_imm ? m.end() - 1 : m.first) &&
                      m.sent == (m.verb == Verb::write_imm && m.psns > 1);
    if (held) {
      ASSERT_EQ(sender_->oldest_unacked(), psn) << "something before it is not acknowledged";
      ++totals_.waited;
    }
    if (m.fenced && !m.sent) {
      for (const Message* before = messages_.data(); before != &m; ++before) {
        if (!has_response(before->verb)) continue;
        ASSERT_EQ(before->done, before->psns) << "a READ before a fence is not answered";
      }
      ++totals_.fenced;
    }
    m.sent = true;
  }

  void step() {
    const Picoseconds arrival = events_.empty() ? never : events_.begin()->first;
    const Picoseconds deadline = sender_->next_deadline();
    const Picoseconds wire = sender_->can_send() ? std::max({now_, wire_free_, put_off_}) : never;
    const Picoseconds back = responder_.can_send() ? std::max(now_, back_free_) : never;
    const Picoseconds next = std::min({arrival, deadline, wire, back});
    ASSERT_NE(next, never) << "stands still with " << completed_ << " messages completed";
    now_ = next;
    if (next == arrival) {
      const Packet p = events_.begin()->second;
      events_.erase(events_.begin());
      arrive(p);
    } else if (next == deadline) {
      ++totals_.timeouts;
      sender_->on_timeout(now_);
      ASSERT_TRUE(sender_->can_send());
    } else if (next == wire) {
      wire_free_ = now_ + 1_ns;
      send();
    } else {
      back_free_ = now_ + 1_ns;
      send_response();
    }
  }

  void send() {
    const Transmission t = sender_->next(now_);
    Message* const m = message_of(t.psn);
    ASSERT_NE(m, nullptr) << "PSN " << t.psn.value() << " was never posted";
    if (t.kind == SendKind::fresh) check_order(*m, t.psn);
    ASSERT_LT(m - messages_.data(), static_cast<std::ptrdiff_t>(posted_));
    const bool last = t.psn + 1 == m->end();
    if (has_response(m->verb)) {
      // So many READs may be outstanding (9.7.3.1), and a window of packets.
      std::uint32_t outstanding = 0;
      for (std::size_t i = completed_; i < posted_; ++i) {
        const Message& other = messages_[i];
        outstanding += has_response(other.verb) && !t.psn.before(other.first) &&
                       sender_->oldest_unacked().before(other.end());
      }
      ASSERT_LE(outstanding, s_.config.most_reads());
      put(s_.there, {.kind = Kind::request,
                     .psn = t.psn,
                     .psns = static_cast<std::uint32_t>(m->end() - t.psn)});
    } else {
      put(s_.there, {.kind = Kind::write, .psn = t.psn, .ack_request = t.ack_request || last});
    }
  }

  void put(const Channel& channel, const Packet& p) {
    const unsigned copies = random_.chance(channel.duplication) ? 2 : 1;
    for (unsigned n = 0; n < copies; ++n) {
      if (random_.chance(channel.loss)) {
        ++totals_.lost;
        continue;
      }
      const Picoseconds late(channel.jitter == 0 ? 0 : random_.below(channel.jitter * 1000));
      events_.emplace(now_ + Picoseconds(channel.delay * 1000) + late, p);
    }
  }

  void arrive(const Packet& p) {
    switch (p.kind) {
      case Kind::write:
        if (finds_no_wqe(p)) return;
        return at_responder(
            p, receiver_->on_data(p.psn, p.ack_request, p.psn + 1 == message_of(p.psn)->end()));
      case Kind::request:
        return at_responder(p, receiver_->on_read(p.psn, p.psns));
      case Kind::response:
        return response_arrives(p);
      case Kind::acknowledge:
        if (p.answer.rnr) return put_off(p.answer.psn);
        if (p.answer.nack) {
          ++totals_.nacks;
          return react(p.answer.psn);
        }
        return acknowledged(std::max(now_, in_memory_), p.answer.psn);
      case Kind::in_memory:
        return take_acknowledgement(p.psn);
      case Kind::reaction:
        take_acknowledgement(p.psn);
        if (sender_->accepts_nack(p.psn)) sender_->retransmit(p.psn, now_);
        return;
    }
  }

  /// A request that needs a receive WQE, where there is none, is not executed, and brings an RNR
  /// NAK (9.7.5.2.8); what is behind it brings no NAK before it has come again.
  bool finds_no_wqe(const Packet& p) {
    const Message& m = *message_of(p.psn);
    const Opcode opcode = data_opcode(m.verb, p.psn == m.first, p.psn + 1 == m.end());
    if (p.psn == expected_) refused_ = false;
    if (p.psn != expected_ || !takes_receive_wqe(opcode) || !random_.chance(s_.missing))
      return false;
    refused_ = true;
    ++totals_.rnrs;
    const Response answer = receiver_->not_ready();
    EXPECT_TRUE(answer.rnr && !answer.nack);
    EXPECT_EQ(answer.psn, expected_);
    EXPECT_EQ(receiver_->expected_psn(), expected_);
    if (responder_.holds(answer, 0)) {
      ++totals_.held;
    } else {
      put(s_.back, {.kind = Kind::acknowledge, .answer = answer});
    }
    return true;
  }

  /// Everything before it is acknowledged, and nothing is sent before its time.
  void put_off(Psn psn) {
    take_acknowledgement(psn);
    if (!sender_->accepts_nack(psn)) return;
    put_off_ = std::max(put_off_, now_ + 1_us);
    sender_->put_off(psn, put_off_);
    ASSERT_TRUE(sender_->can_send());
    ASSERT_GT(sender_->next_deadline(), put_off_);
  }

  /// The responder of the specification: a request with the expected PSN is executed, one before it
  /// is a duplicate, one behind it is not executed (9.7.4.1.1, table of responder checks). NICs
  /// that place WRITEs out of order execute those, once.
  void at_responder(const Packet& p, const ReceiveOutcome& out) {
    Message& m = *message_of(p.psn);
    const bool ahead = !p.psn.before(expected_) && p.psn != expected_;
    if (ahead && p.kind == Kind::write && s_.transport != "go_back_n") {
      if (early_.contains(p.psn.value())) {
        ASSERT_EQ(out.placement, Placement::duplicate);
      } else if (out.placement == Placement::deliver) {
        early_.insert(p.psn.value());
        ++m.done;
      } else {
        ASSERT_EQ(out.placement, Placement::discard);
      }
    } else if (p.psn == expected_) {
      ASSERT_EQ(out.placement, Placement::deliver);
      expected_ = expected_ + static_cast<std::int32_t>(p.psns);
      while (early_.erase(expected_.value()) > 0) ++expected_;
      if (p.kind == Kind::request) {
        ASSERT_EQ(p.psn, m.first);
        ASSERT_FALSE(m.executed);
        m.executed = true;
        responder_.accept(p.psn, p.psns, out.msn, now_);
      } else {
        ++m.done;
      }
    } else {
      ASSERT_EQ(out.placement, p.psn.before(expected_) ? Placement::duplicate : Placement::discard);
      if (p.kind == Kind::request && p.psn.before(expected_) && responder_.sent(p.psn))
        totals_.answered_again += responder_.again(p.psn, p.psns);
    }
    ASSERT_EQ(receiver_->expected_psn(), expected_);
    if (!out.response) return;
    ASSERT_EQ(out.response->psn, expected_);
    ASSERT_FALSE(refused_ && out.response->nack);
    if (responder_.holds(*out.response, 0)) {
      ++totals_.held;
    } else {
      put(s_.back, {.kind = Kind::acknowledge, .answer = *out.response});
    }
  }

  void send_response() {
    const Transmission t = responder_.next(now_);
    const auto on_wire = responder_.on_wire(t.psn);
    const Message* const m = message_of(on_wire.psn);
    ASSERT_NE(m, nullptr);
    ASSERT_TRUE(m->executed) << "a response of a READ that was not accepted";
    if (t.kind == SendKind::fresh) {
      // For the first time, all responses leave in the order of their PSNs (9.7.5.1.1).
      ASSERT_TRUE(fresh_response_.before(on_wire.psn) || first_response_);
      first_response_ = false;
      fresh_response_ = on_wire.psn;
    }
    put(s_.back, {.kind = Kind::response, .psn = on_wire.psn});
    if (const auto held = responder_.release())
      put(s_.back, {.kind = Kind::acknowledge, .answer = held->response});
  }

  void response_arrives(const Packet& p) {
    const ReadOutcome out = sender_->on_response(p.psn);
    if (out.placement == Placement::deliver) {
      // In order: everything before it of its own READ, and all READs before, have arrived.
      Message& m = *message_of(p.psn);
      ASSERT_EQ(p.psn, m.first + static_cast<std::int32_t>(m.done));
      ++m.done;
      for (const Message* before = messages_.data(); before != &m; ++before) {
        if (has_response(before->verb)) {
          ASSERT_EQ(before->done, before->psns);
        }
      }
      in_memory_ = std::max(
          in_memory_, now_ + Picoseconds(s_.memory == 0 ? 0 : random_.below(s_.memory * 1000)));
      acknowledged(in_memory_, p.psn + 1);
    }
    if (out.missing) {
      ++totals_.gaps;
      react(*out.missing);
    }
  }

  /// Like a NIC's: what it does for a NACK takes time, and later acknowledgements do not overtake.
  void react(Psn psn) {
    reaction_ = std::max(reaction_, now_ + 30_ns);
    events_.emplace(reaction_, Packet{.kind = Kind::reaction, .psn = psn});
  }
  void acknowledged(Picoseconds at, Psn psn) {
    at = std::max(at, reaction_);
    if (at == now_) return take_acknowledgement(psn);
    events_.emplace(at, Packet{.kind = Kind::in_memory, .psn = psn});
  }
  void take_acknowledgement(Psn psn) {
    const AckOutcome outcome = sender_->on_ack(psn, now_);
    if (outcome.missing) {
      ++totals_.gaps;
      react(*outcome.missing);
    }
    // Completed in order, each when all of it is done.
    while (completed_ < posted_ && !sender_->oldest_unacked().before(messages_[completed_].end())) {
      ASSERT_EQ(messages_[completed_].done, messages_[completed_].psns)
          << "message " << completed_ << " is completed too early";
      ++completed_;
    }
    for (std::size_t m = completed_; m < posted_; ++m) {
      if (!messages_[m].first.before(sender_->oldest_unacked())) break;
      ASSERT_GE(messages_[m].done,
                static_cast<std::uint32_t>(sender_->oldest_unacked() - messages_[m].first));
    }
  }

  const Scenario& s_;
  RandomStream random_;
  std::unique_ptr<TransportSender> sender_;
  std::unique_ptr<TransportReceiver> receiver_;
  ReadResponder responder_;
  std::vector<Message> messages_;
  std::size_t posted_ = 0, completed_ = 0;
  Psn expected_ = s_.first;
  std::set<std::uint32_t> early_;  // PSNs of WRITEs that arrived out of order
  Psn fresh_response_;
  bool first_response_ = true;
  bool refused_ = false;  // the expected packet found no receive WQE
  Picoseconds put_off_{};
  std::multimap<Picoseconds, Packet> events_;
  Picoseconds now_{}, wire_free_{}, back_free_{}, in_memory_{}, reaction_{};
  Totals totals_;
};

Channel draw_channel(RandomStream& random) {
  Channel c;
  if (random.chance(0.6)) c.loss = 0.2 * random.unit() * random.unit();
  if (random.chance(0.4)) c.duplication = 0.2 * random.unit();
  if (random.chance(0.5)) c.jitter = 1 + random.below(60);
  c.delay = 5 + random.below(60);
  return c;
}

Scenario draw(std::string_view transport, std::uint64_t seed) {
  RandomStream random(seed, "reads scenario");
  Scenario s;
  s.transport = transport;
  s.config.window = 1 + random.below(random.chance(0.5) ? 8 : 64);
  s.config.ack_every = 1 + random.below(20);
  s.config.ack_request_every = random.below(10);
  s.config.rto = 4_us;
  s.config.rd_atomic = 1 + random.below(random.chance(0.5) ? 3 : 16);
  s.config.timeout_resend = random.chance(0.5) ? TimeoutResend::window : TimeoutResend::oldest;
  s.first = Psn(random.chance(0.3) ? 0xffffff - random.below(40) : random.below(1 << 24));
  s.messages = 1 + random.below(40);
  s.reads = random.chance(0.3) ? 1 : random.unit();
  s.longest = 1 + random.below(random.chance(0.5) ? 3 : 20);
  s.there = draw_channel(random);
  s.back = draw_channel(random);
  if (random.chance(0.5)) s.memory = 1 + random.below(80);
  if (random.chance(0.5)) s.atomics = random.unit();
  if (random.chance(0.4)) s.fences = random.unit();
  if (random.chance(0.4)) s.config.dp_ordering = DpOrdering::ooo_rw;
  if (transport == "go_back_n" && random.chance(0.6)) {
    s.receives = random.chance(0.3) ? 1 : random.unit();
    s.missing = 0.6 * random.unit();
  }
  return s;
}

/// HORAE_HISTORIES: so many of each transport, in place of a few.
void check_all(std::string_view transport, std::uint64_t few) {
  const char* const asked = std::getenv("HORAE_HISTORIES");
  const std::uint64_t histories = asked != nullptr ? std::stoull(asked) : few;
  Totals all;
  for (std::uint64_t seed = 0; seed < histories; ++seed) {
    const Scenario s = draw(transport, seed);
    SCOPED_TRACE(describe(s, seed));
    const Totals t = History(s, seed).run();
    if (testing::Test::HasFailure()) return;
    all.lost += t.lost;
    all.nacks += t.nacks;
    all.timeouts += t.timeouts;
    all.gaps += t.gaps;
    all.answered_again += t.answered_again;
    all.held += t.held;
    all.rnrs += t.rnrs;
    all.fenced += t.fenced;
    all.waited += t.waited;
  }
  // The histories are not idle ones.
  EXPECT_GT(all.lost, histories);
  EXPECT_GT(all.gaps, histories / 4);
  EXPECT_GT(all.answered_again, histories / 4);
  EXPECT_GT(all.held, histories / 10);
  EXPECT_GT(all.timeouts, histories / 10);
  EXPECT_GT(all.fenced, histories / 2);
  EXPECT_GT(all.waited, histories / 10);
  if (transport != "timeout_only") {
    EXPECT_GT(all.nacks, histories / 4);
  }
  if (transport == "go_back_n") {
    EXPECT_GT(all.rnrs, histories / 2);
  }
}

TEST(VerbsProperty, GoBackNExecutesEachMessageOnceAndInOrder) { check_all("go_back_n", 8000); }
TEST(VerbsProperty, SelectiveRepeatExecutesEachMessageOnce) { check_all("rnic_sr", 4000); }
TEST(VerbsProperty, TimeoutsAloneExecuteEachMessageOnce) { check_all("timeout_only", 1000); }

/// Nothing is lost or overtaken: no request comes again, and nothing is answered twice.
TEST(VerbsProperty, AnIdleNetworkNeedsNoRepetition) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Scenario s = draw("go_back_n", seed);
    s.there = s.back = {.delay = 20};
    s.config.rto = 1_ms;
    s.missing = 0;
    SCOPED_TRACE(describe(s, seed));
    const Totals t = History(s, seed).run();
    ASSERT_EQ(t.nacks + t.gaps + t.answered_again + t.timeouts, 0u);
  }
}

}  // namespace
}  // namespace horae::policy::verbs_property_test
