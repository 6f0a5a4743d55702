// Requests of each retransmit policy, how several combine, and what senders and receivers offer
// to whoever serves NACKs late.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/policy/retransmit/parameters.hpp"
#include "transport_script.hpp"

namespace horae::policy::retransmit_test {
namespace {

RetransmitConfig with(const std::vector<std::string>& names) {
  RetransmitConfig config;
  config.policies.clear();
  for (const auto& name : names) config.policies.push_back({name, {}});
  return config;
}
RetransmitUnit unit(const std::vector<std::string>& names) { return RetransmitUnit(with(names)); }

std::string text(Scope s) {
  return s == Scope::none ? "none" : s == Scope::queue_pair ? "queue_pair" : "port";
}
std::string text(Merge m) {
  return m == Merge::every ? "every" : m == Merge::one_pending ? "one_pending" : "ignore";
}
// All a unit asks for, in one line; what has its least value is left out.
std::string asks(const RetransmitUnit& u) {
  std::string s = fmt::format("server {} merge {}{} stall {}", text(u.server()), text(u.merge()),
                              u.until_sent() ? " until sent" : "", text(u.stall()));
  const RetransmitWork w = u.work();
  if (w.processor > 0_ps) s += fmt::format(" processor {}", w.processor.count());
  if (w.serial_reads > 0) s += fmt::format(" reads {}", w.serial_reads);
  if (w.flush) s += " flush";
  if (w.from_pool) s += " pool";
  if (u.hold_new_data()) s += fmt::format(" hold {}", u.hold_guard().count());
  if (!u.hold_new_data() && u.hold_guard() != never) s += " guard without hold";
  if (u.lock(true) > 0_ps) s += fmt::format(" nack_lock {}", u.lock(true).count());
  if (u.lock(false) > 0_ps) s += fmt::format(" ack_lock {}", u.lock(false).count());
  if (u.gap_window() > 0) s += fmt::format(" gap {}", u.gap_window());
  if (u.nack_interval() > 0_ps) s += fmt::format(" interval {}", u.nack_interval().count());
  return s;
}

TEST(Retransmit, EachPolicyAsksForItsOwnAndNothingElse) {
  EXPECT_EQ(asks(unit({"blocking_fetch"})), "server port merge one_pending stall port reads 2");
  EXPECT_EQ(asks(unit({"pipeline_flush"})),
            "server port merge one_pending stall port processor 200000 reads 1 flush");
  EXPECT_EQ(asks(unit({"strict_priority"})), "server none merge every stall none reads 1");
  EXPECT_EQ(asks(unit({"context_lock"})),
            "server none merge every stall none nack_lock 300000 ack_lock 300000");
  EXPECT_EQ(asks(unit({"window_stall"})), "server none merge every stall none gap 512");
  EXPECT_EQ(asks(unit({"recovery_handshake"})),
            "server queue_pair merge one_pending stall queue_pair reads 1 hold 50000000");
  EXPECT_EQ(asks(unit({"buffer_thrash"})), "server port merge every stall port pool");
  EXPECT_EQ(asks(unit({"firmware_event"})),
            "server port merge one_pending stall queue_pair processor 5000000");
  EXPECT_EQ(asks(unit({"nack_rate_limit"})), "server none merge every stall none interval 1000000");
}

TEST(Retransmit, ParametersReachTheUnit) {
  RetransmitConfig c = with({"blocking_fetch"});
  for (const Merge merge : {Merge::every, Merge::one_pending, Merge::ignore}) {
    c.parameters.of<BlockingFetch>() = {.merge = merge, .serial_reads = 3};
    EXPECT_EQ(asks(RetransmitUnit(c)),
              fmt::format("server port merge {} stall port reads 3", text(merge)));
  }
  c = with({"pipeline_flush"});
  c.parameters.of<PipelineFlush>() = {.merge = Merge::every, .flush = 77_ns, .serial_reads = 0};
  EXPECT_EQ(asks(RetransmitUnit(c)), "server port merge every stall port processor 77000 flush");
  c = with({"strict_priority"});
  c.parameters.of<StrictPriority>().serial_reads = 0;
  EXPECT_EQ(asks(RetransmitUnit(c)), "server none merge every stall none");
  c = with({"context_lock"});
  c.parameters.of<ContextLock>() = {.lock = 5_ns, .acks = false};
  EXPECT_EQ(asks(RetransmitUnit(c)), "server none merge every stall none nack_lock 5000");
  c = with({"recovery_handshake"});
  c.parameters.of<RecoveryHandshake>().serial_reads = 0;
  c.parameters.of<RecoveryHandshake>().guard = 9_us;
  EXPECT_EQ(asks(RetransmitUnit(c)),
            "server queue_pair merge one_pending stall queue_pair hold 9000000");
  c.parameters.of<RecoveryHandshake>().hold_from = RecoveryHandshake::HoldFrom::retransmission;
  EXPECT_EQ(asks(RetransmitUnit(c)), "server queue_pair merge one_pending stall none hold 9000000");
  c = with({"firmware_event"});
  for (const Scope stall : {Scope::none, Scope::queue_pair, Scope::port}) {
    c.parameters.of<FirmwareEvent>() = {.event = 20_us, .stall = stall};
    EXPECT_EQ(
        asks(RetransmitUnit(c)),
        fmt::format("server port merge one_pending stall {} processor 20000000", text(stall)));
  }
}

// Each named policy is a point of the space that `parts` spans.
TEST(Retransmit, PartsSpanTheNamedPolicies) {
  const auto parts = [](const RetransmitParts& p) {
    RetransmitConfig c = with({"parts"});
    c.parameters.of<RetransmitParts>() = p;
    return asks(RetransmitUnit(c));
  };
  const auto named = [](const char* name) { return asks(unit({name})); };
  constexpr Scope port = Scope::port, queue_pair = Scope::queue_pair;
  constexpr Merge one = Merge::one_pending;
  EXPECT_EQ(parts({.server = port, .merge = one, .stall = port, .serial_reads = 2}),
            named("blocking_fetch"));
  EXPECT_EQ(parts({.server = port,
                   .merge = one,
                   .stall = port,
                   .event = 200_ns,
                   .serial_reads = 1,
                   .flush = true}),
            named("pipeline_flush"));
  EXPECT_EQ(parts({.serial_reads = 1}), named("strict_priority"));
  EXPECT_EQ(parts({.nack_lock = 300_ns, .ack_lock = 300_ns}), named("context_lock"));
  EXPECT_EQ(parts({.gap_window = 512}), named("window_stall"));
  EXPECT_EQ(parts({.server = queue_pair,
                   .merge = one,
                   .stall = queue_pair,
                   .serial_reads = 1,
                   .hold = true}),
            named("recovery_handshake"));
  EXPECT_EQ(parts({.server = port, .stall = port, .from_pool = true}), named("buffer_thrash"));
  EXPECT_EQ(parts({.server = port, .merge = one, .stall = queue_pair, .event = 5_us}),
            named("firmware_event"));
  EXPECT_EQ(parts({.nack_interval = 1_us}), named("nack_rate_limit"));
  EXPECT_EQ(parts({}), asks(unit({})));
  EXPECT_EQ(parts({.server = queue_pair,
                   .until = RetransmitParts::Until::sent,
                   .merge = Merge::ignore,
                   .nack_lock = 360_ns}),
            "server queue_pair merge ignore until sent stall none nack_lock 360000");
}

TEST(Retransmit, PartsThatSayNothingTogetherAreRefused) {
  const auto refusal = [](const RetransmitParts& p) -> std::string {
    RetransmitConfig c = with({"parts"});
    c.parameters.of<RetransmitParts>() = p;
    try {
      (void)RetransmitUnit(c);
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_EQ(refusal({.merge = Merge::ignore}),
            "parts: NACKs merge where they wait: expected server = 'queue_pair' or 'port' with "
            "merge");
  const std::string sent =
      "parts: expected server = 'queue_pair' and merge = 'ignore' with until = 'sent'";
  constexpr auto until = RetransmitParts::Until::sent;
  EXPECT_EQ(refusal({.server = Scope::port, .until = until, .merge = Merge::ignore}), sent);
  EXPECT_EQ(refusal({.server = Scope::queue_pair, .until = until}), sent);
}

TEST(Retransmit, NoPolicyAsksForNothing) {
  EXPECT_EQ(asks(unit({})), "server none merge every stall none");
}

// Work and locks add up; of scopes, merging, intervals and windows the strictest holds.
TEST(Retransmit, PoliciesCombineInAnyOrder) {
  RetransmitConfig c = with({});
  c.parameters.of<WindowStall>().gap_window = 100;
  c.parameters.of<BlockingFetch>().merge = Merge::every;
  const auto combined = [&c](std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    std::string first;
    do {
      c.policies = with(names).policies;
      const std::string now = asks(RetransmitUnit(c));
      if (first.empty()) first = now;
      EXPECT_EQ(now, first);
    } while (std::next_permutation(names.begin(), names.end()));
    return first;
  };
  EXPECT_EQ(combined({"blocking_fetch", "pipeline_flush"}),
            "server port merge one_pending stall port processor 200000 reads 3 flush");
  EXPECT_EQ(combined({"firmware_event", "recovery_handshake", "nack_rate_limit"}),
            "server port merge one_pending stall queue_pair processor 5000000 reads 1 hold "
            "50000000 interval 1000000");
  EXPECT_EQ(combined({"blocking_fetch", "buffer_thrash", "strict_priority"}),
            "server port merge every stall port reads 3 pool");
  c.parameters.of<BlockingFetch>().merge = Merge::ignore;
  EXPECT_EQ(combined({"blocking_fetch", "recovery_handshake", "window_stall", "context_lock"}),
            "server port merge ignore stall port reads 3 hold 50000000 nack_lock 300000 ack_lock "
            "300000 gap 100");
  // The same policy twice is twice the work, and no wider a window.
  EXPECT_EQ(combined({"window_stall", "window_stall", "context_lock", "context_lock"}),
            "server none merge every stall none nack_lock 600000 ack_lock 600000 gap 100");
}

TEST(Retransmit, AnUnknownNameIsRefusedWithTheNearest) {
  const auto refusal = [](const std::string& name) -> std::string {
    try {
      unit({"strict_priority", name});
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal("blocking_fetsh"),
            "unknown retransmit policy 'blocking_fetsh', did you mean 'blocking_fetch'?");
  EXPECT_NE(refusal("").find("unknown retransmit policy ''"), std::string::npos);
  EXPECT_EQ(refusal("window_stall"), "accepted");
}

TEST(Retransmit, TheRegistryNamesEveryHypothesisOnce) {
  std::string all;
  for (const auto& entry : retransmit_policies()) {
    all += fmt::format("{} ", entry.hypothesis);
    EXPECT_EQ(find_retransmit_policy({std::string(entry.name), {}}).name, entry.name);
    EXPECT_FALSE(entry.doc.empty());
  }
  EXPECT_EQ(all, "H1 H2 H3 H4 H5 H5' H6 H7 H8  ") << "parts is of all";
}

// ---- what transports offer to whoever serves a NACK later than it comes

class LateService : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::unique_ptr<TransportSender> sender(std::string_view transport, std::uint32_t window = 16) {
    TransportConfig config = plain_config();
    config.window = window;
    auto s = find_transport(transport).make_sender(config, first);
    s->post(100);
    return s;
  }
  static void send(TransportSender& s, int packets) {
    for (int i = 0; i < packets; ++i) s.next(0_ps);
  }
  // All that is sent before anything new, as "expected 2, last 9?".
  std::string again(TransportSender& s) const {
    std::string all;
    while (s.retransmission_due()) {
      const Transmission t = s.next(0_ps);
      all += fmt::format("{}{} {}{}", all.empty() ? "" : ", ",
                         t.kind == SendKind::expected ? "expected"
                         : t.kind == SendKind::last   ? "last"
                         : t.kind == SendKind::rewind ? "rewind"
                                                      : "?",
                         t.psn - first, t.ack_request ? "?" : "");
    }
    return all;
  }
  Psn first{GetParam()};
};

TEST_P(LateService, ANackIsAcceptedForWhatIsSentAndUnacknowledged) {
  for (const std::string transport : {"rnic_sr", "go_back_n"}) {
    auto s = sender(transport);
    EXPECT_FALSE(s->accepts_nack(first)) << transport;  // nothing sent
    send(*s, 10);
    EXPECT_TRUE(s->accepts_nack(first));
    EXPECT_TRUE(s->accepts_nack(first + 9));
    EXPECT_FALSE(s->accepts_nack(first + 10));
    EXPECT_FALSE(s->accepts_nack(first - 1));
    s->on_ack(first + 4, 0_ps);
    EXPECT_FALSE(s->accepts_nack(first + 3));
    EXPECT_TRUE(s->accepts_nack(first + 4));
    s->on_ack(first + 10, 0_ps);
    for (int i = -1; i <= 11; ++i) EXPECT_FALSE(s->accepts_nack(first + i)) << i;
  }
  auto s = sender("timeout_only");
  send(*s, 10);
  for (int i = -1; i <= 11; ++i) EXPECT_FALSE(s->accepts_nack(first + i)) << i;
}

TEST_P(LateService, AskingChangesNothing) {
  for (const auto& entry : transports()) {
    auto s = sender(entry.name);
    send(*s, 10);
    s->accepts_nack(first + 3);
    EXPECT_FALSE(s->retransmission_due()) << entry.name;
    EXPECT_EQ(s->unacked(), 10u);
    EXPECT_EQ(s->next(0_ps).psn, first + 10);
  }
}

TEST_P(LateService, OldestUnackedFollowsTheAcknowledgement) {
  for (const auto& entry : transports()) {
    if (entry.name == "go_back_0") continue;  // of whole messages: go_back_0_test.cpp
    auto s = sender(entry.name);
    EXPECT_EQ(s->oldest_unacked(), first) << entry.name;
    send(*s, 10);
    EXPECT_EQ(s->oldest_unacked(), first);
    s->on_ack(first + 6, 0_ps);
    EXPECT_EQ(s->oldest_unacked(), first + 6);
    s->on_ack(first + 2, 0_ps);  // older: nothing
    EXPECT_EQ(s->oldest_unacked(), first + 6);
    s->on_ack(first + 10, 0_ps);
    EXPECT_EQ(s->oldest_unacked(), first + 10);  // what is sent next
    EXPECT_EQ(s->next(0_ps).psn, first + 10);
  }
}

TEST_P(LateService, RnicSrSendsTheExpectedAndTheLastOfWhenItIsServed) {
  auto s = sender("rnic_sr");
  send(*s, 5);
  ASSERT_TRUE(s->accepts_nack(first + 2));
  send(*s, 4);  // meanwhile
  EXPECT_FALSE(s->retransmission_due());
  s->retransmit(first + 2, 7_us);
  EXPECT_TRUE(s->retransmission_due());
  EXPECT_EQ(s->next_deadline(), 7_us + 4_ms);  // the timer starts again
  EXPECT_EQ(again(*s), "expected 2, last 8?");
  EXPECT_FALSE(s->retransmission_due());
  EXPECT_EQ(s->next(0_ps).psn, first + 9);
}

TEST_P(LateService, RnicSrSendsWhatWasAcknowledgedMeanwhile) {
  auto s = sender("rnic_sr");
  send(*s, 5);
  s->on_ack(first + 5, 0_ps);
  s->retransmit(first + 2, 0_ps);
  EXPECT_EQ(again(*s), "expected 2, last 4?");
  EXPECT_EQ(s->unacked(), 0u);
  EXPECT_EQ(s->next(0_ps).psn, first + 5);
}

TEST_P(LateService, ThePacketThatIsTheLastIsSentOnce) {
  auto s = sender("rnic_sr");
  send(*s, 5);
  s->retransmit(first + 4, 0_ps);
  EXPECT_EQ(again(*s), "expected 4?");
  s->retransmit(first + 1, 0_ps);
  s->retransmit(first + 3, 0_ps);  // what waits in line already is not put there again
  EXPECT_EQ(again(*s), "expected 1, last 4?, expected 3");
}

TEST_P(LateService, GoBackNRewindsToWhatIsStillUnacknowledged) {
  auto s = sender("go_back_n");
  send(*s, 5);
  s->on_ack(first + 3, 0_ps);
  s->retransmit(first + 1, 3_us);
  EXPECT_EQ(s->next_deadline(), 3_us + 4_ms);
  EXPECT_EQ(again(*s), "rewind 3, rewind 4?");
  s->on_ack(first + 5, 0_ps);
  s->retransmit(first + 1, 0_ps);  // nothing left
  EXPECT_FALSE(s->retransmission_due());
  EXPECT_EQ(s->next(0_ps).psn, first + 5);
}

TEST_P(LateService, TimeoutOnlyRetransmitsNothing) {
  auto s = sender("timeout_only");
  send(*s, 5);
  s->retransmit(first + 1, 0_ps);
  EXPECT_FALSE(s->retransmission_due());
  s->on_timeout(4_ms);
  EXPECT_TRUE(s->retransmission_due());
}

TEST_P(LateService, RetransmissionsGoBeforeAnythingNewAndInAFullWindow) {
  for (const std::string transport : {"rnic_sr", "go_back_n"}) {
    auto s = sender(transport, 8);
    send(*s, 8);
    EXPECT_FALSE(s->can_send()) << transport;
    EXPECT_FALSE(s->retransmission_due());
    s->retransmit(first + 7, 0_ps);
    EXPECT_TRUE(s->can_send());
    EXPECT_TRUE(s->retransmission_due());
    EXPECT_EQ(s->next(0_ps).psn, first + 7);
    EXPECT_FALSE(s->can_send());
  }
}

// A NACK that its limit holds back is brought by the next packet out of order, with the PSN
// expected by then; one that was sent is not repeated.
TEST_P(LateService, ASuppressedNackIsBroughtByTheNextPacketOutOfOrder) {
  struct Row {
    std::string_view transport;
    bool nacks;
  };
  for (const Row row : {Row{"rnic_sr", true}, Row{"go_back_n", true}, Row{"timeout_only", false}}) {
    TransportConfig config = plain_config();
    auto r = find_transport(row.transport).make_receiver(config, first);
    const auto nack = [&](int psn) -> int {
      const auto out = r->on_data(first + psn, false, false);
      return out.response && out.response->nack ? out.response->psn - first : -1;
    };
    EXPECT_EQ(nack(0), -1);
    EXPECT_EQ(nack(2), row.nacks ? 1 : -1) << row.transport;
    EXPECT_EQ(nack(3), -1);
    r->nack_suppressed();
    EXPECT_EQ(nack(4), row.nacks ? 1 : -1) << row.transport;
    EXPECT_EQ(nack(5), -1);
    r->nack_suppressed();
    r->nack_suppressed();
    EXPECT_EQ(nack(6), row.nacks ? 1 : -1);
    EXPECT_EQ(nack(7), -1);
    // Suppressed, but the hole is filled before another packet out of order comes.
    r->nack_suppressed();
    EXPECT_EQ(nack(1), -1);
    EXPECT_EQ(nack(r->expected_psn() - first), -1);
  }
}

INSTANTIATE_TEST_SUITE_P(From, LateService, starting_psns(), psn_name);

}  // namespace
}  // namespace horae::policy::retransmit_test
