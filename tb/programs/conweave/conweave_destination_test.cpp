// ConWeave at the destination ToR: replies, reorder queues, timers.
#include <set>

#include "conweave_parts.hpp"

namespace horae::programs::conweave_destination_test {
namespace {

using namespace conweave_test;

constexpr unsigned class_queues = 8;

// A ToR with a flow from another rack. X_EXTRA is 16 us, 16 ticks; X_DEFAULT 200 us, 196 ticks.
struct Receiver {
  explicit Receiver(const std::string& parameters = "resume_extra = \"16 us\"\n", int flows = 1)
      : tor(parameters) {
    for (int i = 0; i < flows; ++i)
      tor.program->connect(connection(far_node, near_node, entropy(i)));
  }
  static std::uint16_t entropy(int i) { return static_cast<std::uint16_t>(0xc001 + i); }

  struct Kind {
    unsigned epoch = 1;
    bool rerouted = false, tail = false, request = false, ce = false;
    std::uint16_t sent = 0, tail_sent = 0;
    int flow = 0;
    unsigned by = first_uplink;
  };
  static Packet packet(const Kind& k) {
    Packet p = data(far_node, near_node, entropy(k.flow));
    p.frame = 1090;
    p.ecn = k.ce ? Ecn::ce : Ecn::ect0;
    Header{3, data_kind, k.epoch, k.rerouted, k.request, k.tail, false, k.sent, k.tail_sent}.put(p);
    return p;
  }
  Outcome receive(std::int64_t tick, const Kind& k) {
    const Outcome o = tor.ingress(at_tick(tick), packet(k), k.by);
    EXPECT_EQ(o.verdict, Verdict::forward);
    EXPECT_EQ(o.port, near_port);
    return o;
  }
  // It leaves for the NIC.
  Outcome leave(std::int64_t tick, const Outcome& o) {
    const Outcome out = tor.egress(at_tick(tick), o.packet, near_port, first_uplink);
    EXPECT_FALSE(out.dropped());
    EXPECT_EQ(out.packet.frame, 1086);
    EXPECT_EQ(out.packet.bth_reserved, 0);
    EXPECT_EQ(out.packet.msn, 0u);
    return out;
  }
  // A timer after its ingress: through the loopback port's egress, and in again.
  Outcome around(std::int64_t tick, const Outcome& timer) {
    const Outcome o = timer.copy && timer.copy->egress_port == loopback_port
                          ? tor.copied(at_tick(tick), timer)
                          : tor.egress(at_tick(tick), timer.packet, loopback_port, first_uplink);
    EXPECT_FALSE(o.dropped());
    return tor.ingress(at_tick(tick), o.packet, first_uplink);
  }
  Tor tor;
};

TEST(ConweaveDestination, TheHeaderEndsHere) {
  Receiver r;
  const Outcome o = r.receive(100, {});
  EXPECT_EQ(o.queue, 0u);
  EXPECT_FALSE(o.copy);
  const Outcome out = r.leave(100, o);
  EXPECT_EQ(out.packet.psn, Psn(0));
  EXPECT_EQ(out.packet.payload, 1024);
  // Also that of a flow this ToR does not know.
  const Outcome unknown = r.receive(100, {.request = true, .ce = true, .flow = 7});
  EXPECT_FALSE(unknown.copy);
  r.leave(100, unknown);
}

TEST(ConweaveDestination, ARequestIsAnswered) {
  Receiver r;
  const Outcome o = r.receive(100, {.request = true, .by = 4});
  ASSERT_TRUE(o.copy);
  EXPECT_EQ(o.copy->egress_port, 4u);
  const Packet reply = r.tor.copied(at_tick(100), o, 4).packet;
  EXPECT_EQ(reply.src, near_node);
  EXPECT_EQ(reply.dst, far_node);
  EXPECT_EQ(reply.frame, 64);
  EXPECT_EQ(reply.traffic_class, 7);
  EXPECT_EQ(reply.ecn, Ecn::not_ect);
  EXPECT_EQ(reply.entropy, 0xc001);
  const Header h = Header::of(reply);
  EXPECT_EQ(h.kind, reply_kind);
  EXPECT_EQ(h.epoch, 1u);
  EXPECT_EQ(h.path, 3u);
  EXPECT_FALSE(h.rerouted || h.request || h.tail || h.marked);
  // The packet itself goes on.
  EXPECT_EQ(r.leave(100, o).packet.dst, near_node);
  EXPECT_EQ(r.tor.count("replies_made"), 1u);
  EXPECT_EQ(r.tor.count("clears_made"), 0u);
  EXPECT_EQ(r.tor.count("notifies_made"), 0u);
}

// The mirrored packet may ask the receiver for an acknowledgement, or be a retransmission; what is
// made of it is neither.
TEST(ConweaveDestination, AReplyHasNothingOfTheDataButItsFlow) {
  Receiver r;
  Packet p = Receiver::packet({.request = true, .ce = true});
  p.ack_request = true;
  p.retransmission = true;
  const Outcome o = r.tor.ingress(at_tick(100), p, first_uplink);
  ASSERT_TRUE(o.copy);
  const Packet reply = r.tor.copied(at_tick(100), o).packet;
  EXPECT_FALSE(reply.ack_request);
  EXPECT_FALSE(reply.retransmission);
  EXPECT_EQ(reply.payload, 0);
  EXPECT_EQ(reply.metadata, 0);
  EXPECT_EQ(reply.msn, 0u);
  EXPECT_TRUE(r.leave(100, o).packet.ack_request);
}

TEST(ConweaveDestination, MarksAreReported) {
  Receiver r;
  const Outcome marked = r.receive(100, {.ce = true});
  ASSERT_TRUE(marked.copy);
  const Packet notify = r.tor.copied(at_tick(100), marked).packet;
  EXPECT_EQ(Header::of(notify).kind, notify_kind);
  EXPECT_EQ(Header::of(notify).path, 3u);
  EXPECT_EQ(notify.ecn, Ecn::not_ect);
  EXPECT_EQ(r.leave(100, marked).packet.ecn, Ecn::ce);  // the NIC sees the mark
  // One copy a pass: the reply says it as well.
  const Outcome both = r.receive(101, {.request = true, .ce = true});
  ASSERT_TRUE(both.copy);
  const Header h = Header::of(r.tor.copied(at_tick(101), both).packet);
  EXPECT_EQ(h.kind, reply_kind);
  EXPECT_TRUE(h.marked);
  EXPECT_FALSE(h.rerouted);
}

TEST(ConweaveDestination, ATailInOrderIsClearedAtOnce) {
  Receiver r;
  r.receive(100, {.request = true});
  const Outcome tail = r.receive(110, {.tail = true, .sent = 10, .tail_sent = 10});
  ASSERT_TRUE(tail.copy);
  EXPECT_EQ(tail.queue, 0u);
  EXPECT_EQ(tail.control.action, QueueRequest::none);
  const Packet clear = r.tor.copied(at_tick(110), tail).packet;
  EXPECT_EQ(Header::of(clear).kind, reply_kind);
  EXPECT_TRUE(Header::of(clear).rerouted);
  EXPECT_EQ(Header::of(clear).epoch, 1u);
  EXPECT_EQ(r.tor.count("clears_made"), 1u);
  EXPECT_EQ(r.tor.count("replies_made"), 1u);
  // A rerouted packet comes after it and waits for nothing.
  const Outcome next = r.receive(111, {.rerouted = true, .sent = 11, .tail_sent = 10});
  EXPECT_EQ(next.queue, 0u);
  EXPECT_FALSE(next.copy);
  EXPECT_EQ(r.tor.count("reorderings"), 0u);
}

// The whole of a reordering: the new path overtakes, the TAIL comes, the queue empties.
TEST(ConweaveDestination, WhatOvertakesTheTailWaitsForIt) {
  Receiver r;
  r.leave(100, r.receive(100, {.request = true, .sent = 0}));
  const Outcome first = r.receive(120, {.rerouted = true, .sent = 12, .tail_sent = 10});
  EXPECT_GE(first.queue, class_queues);
  EXPECT_LT(first.queue, class_queues + 24);
  EXPECT_EQ(first.control.action, QueueRequest::hold);
  EXPECT_EQ(first.control.port, near_port);
  EXPECT_EQ(first.control.queue, first.queue);
  ASSERT_TRUE(first.copy);
  EXPECT_EQ(first.copy->egress_port, loopback_port);
  EXPECT_EQ(first.copy->length, 76);
  const Outcome second = r.receive(121, {.rerouted = true, .sent = 13, .tail_sent = 10});
  EXPECT_EQ(second.queue, first.queue);
  EXPECT_EQ(second.control.action, QueueRequest::none);
  EXPECT_FALSE(second.copy);
  const Outcome old = r.receive(122, {.sent = 9});
  EXPECT_EQ(old.queue, 0u);

  Outcome timer = r.around(123, first);
  EXPECT_TRUE(timer.loops());
  EXPECT_EQ(timer.control.action, QueueRequest::none);

  const Outcome tail = r.receive(124, {.tail = true, .sent = 10, .tail_sent = 10});
  EXPECT_EQ(tail.queue, 0u);
  EXPECT_EQ(tail.control.action, QueueRequest::none);  // not before it has left
  EXPECT_FALSE(tail.copy);                             // no CLEAR yet
  const Outcome third = r.receive(125, {.rerouted = true, .sent = 14, .tail_sent = 10});
  EXPECT_EQ(third.queue, first.queue);  // behind those that wait

  // The timer sees the TAIL, and waits until that has left.
  for (std::int64_t t = 126; t < 130; ++t) {
    timer = r.around(t, timer);
    EXPECT_TRUE(timer.loops());
    EXPECT_EQ(timer.control.action, QueueRequest::none);
  }
  r.leave(130, old);
  const Outcome gone = r.tor.egress(at_tick(131), tail.packet, near_port, first_uplink);
  EXPECT_EQ(gone.control.action, QueueRequest::release);
  EXPECT_EQ(gone.control.port, near_port);
  EXPECT_EQ(gone.control.queue, first.queue);
  EXPECT_EQ(gone.packet.bth_reserved, 0);
  EXPECT_EQ(gone.packet.frame, 1086);

  r.leave(132, first);
  r.leave(132, second);
  timer = r.around(133, timer);  // one packet is still there
  EXPECT_TRUE(timer.loops());
  EXPECT_FALSE(timer.copy);
  const Outcome late = r.receive(133, {.rerouted = true, .sent = 15, .tail_sent = 10});
  EXPECT_EQ(late.queue, 0u);  // the queue takes no more, and is served first
  timer = r.around(134, timer);
  EXPECT_FALSE(timer.copy);
  r.leave(135, third);
  timer = r.around(136, timer);
  EXPECT_TRUE(timer.loops());
  timer = r.around(137, timer);
  EXPECT_TRUE(timer.dropped());
  ASSERT_TRUE(timer.copy);
  EXPECT_EQ(timer.copy->egress_port, first_uplink);
  const Header clear = Header::of(r.tor.copied(at_tick(137), timer).packet);
  EXPECT_EQ(clear.kind, reply_kind);
  EXPECT_TRUE(clear.rerouted);
  EXPECT_EQ(clear.epoch, 1u);
  EXPECT_EQ(r.tor.count("released_by_tail"), 1u);
  EXPECT_EQ(r.tor.count("released_by_timeout"), 0u);
  EXPECT_EQ(r.tor.count("packets_queued"), 3u);

  // And again, with the same queue, in the next epoch.
  r.receive(150, {.epoch = 2, .request = true, .sent = 50});
  const Outcome again = r.receive(160, {.epoch = 2, .rerouted = true, .sent = 60, .tail_sent = 58});
  EXPECT_EQ(again.queue, first.queue);
  EXPECT_EQ(again.control.action, QueueRequest::hold);
  EXPECT_EQ(r.tor.count("most_queues"), 1u);  // never two at a time
}

// When a queue is released without its TAIL: the last tick at which the timer waits.
std::int64_t waits_until(Receiver& r, Outcome timer, std::int64_t from) {
  for (std::int64_t t = from; t < from + 1000; ++t) {
    timer = r.around(t, timer);
    if (timer.control.action == QueueRequest::release) return t - 1;
    EXPECT_TRUE(timer.loops());
  }
  ADD_FAILURE() << "never released";
  return 0;
}

// Last packet of the old path + time between it and the TAIL at the source + X_EXTRA.
TEST(ConweaveDestination, ALateTailIsNotWaitedFor) {
  Receiver r;
  r.receive(100, {.request = true, .sent = 1000});
  r.receive(105, {.sent = 1004});
  const Outcome first = r.receive(110, {.rerouted = true, .sent = 1012, .tail_sent = 1009});
  EXPECT_EQ(waits_until(r, first, 111), 105 + (1009 - 1004) + 16);
  EXPECT_EQ(r.tor.count("released_by_timeout"), 1u);
}

TEST(ConweaveDestination, APacketOfTheOldPathPutsTheReleaseOff) {
  Receiver r;
  r.receive(100, {.request = true, .sent = 1000});
  const Outcome first = r.receive(110, {.rerouted = true, .sent = 1012, .tail_sent = 1009});
  r.receive(115, {.rerouted = true, .sent = 1013, .tail_sent = 1009});  // the new path's does not
  r.receive(120, {.sent = 1007});
  EXPECT_EQ(waits_until(r, first, 121), 120 + (1009 - 1007) + 16);
}

TEST(ConweaveDestination, WithoutAPacketOfTheOldPathTheDefaultIsWaited) {
  Receiver r;
  const Outcome first = r.receive(110, {.rerouted = true, .sent = 1012, .tail_sent = 1009});
  EXPECT_EQ(waits_until(r, first, 111), 110 + 196);
}

TEST(ConweaveDestination, StampsTurnOver) {
  Receiver r;
  r.receive(100, {.request = true, .sent = 65530});
  const Outcome first = r.receive(104, {.rerouted = true, .sent = 8, .tail_sent = 4});
  EXPECT_EQ(waits_until(r, first, 105), 100 + 10 + 16);
}

// After a release without the TAIL: packets go on, the flow is cleared, and the TAIL that comes
// after all changes nothing more.
TEST(ConweaveDestination, TheTailMayComeAfterTheTimeout) {
  Receiver r;
  r.receive(100, {.request = true, .sent = 1000});
  const Outcome first = r.receive(110, {.rerouted = true, .sent = 1012, .tail_sent = 1009});
  Outcome timer = first;
  for (std::int64_t t = 111; timer.control.action != QueueRequest::release; ++t) {
    ASSERT_LT(t, 200);
    timer = r.around(t, timer);
  }
  EXPECT_EQ(timer.control.queue, first.queue);
  r.leave(130, first);
  timer = r.around(130, timer);
  EXPECT_EQ(r.receive(131, {.rerouted = true, .sent = 1030, .tail_sent = 1009}).queue, 0u);
  const Outcome tail = r.receive(132, {.tail = true, .sent = 1009, .tail_sent = 1009});
  EXPECT_FALSE(tail.copy);  // the timer will clear
  EXPECT_EQ(r.tor.egress(at_tick(133), tail.packet, near_port).control.action, QueueRequest::none);
  timer = r.around(134, timer);
  EXPECT_TRUE(timer.dropped());
  EXPECT_TRUE(timer.copy);
  // Then it is in order again.
  r.receive(140, {.epoch = 2, .request = true});
  const Outcome next = r.receive(150, {.epoch = 2, .tail = true, .sent = 1049, .tail_sent = 1049});
  ASSERT_TRUE(next.copy);
  EXPECT_TRUE(Header::of(r.tor.copied(at_tick(150), next).packet).rerouted);
}

// A flow that was silent opens an epoch while the queue of its last reordering still empties, and
// is rerouted at once. That begins nothing: a second queue would mix up the counts by which timers
// know that theirs is empty, and both would recirculate for ever and keep their queues.
TEST(ConweaveDestination, ANewEpochBeginsNothingWhileTheQueueEmpties) {
  Receiver r;
  r.receive(100, {.request = true, .sent = 1000});
  const Outcome first = r.receive(110, {.rerouted = true, .sent = 1012, .tail_sent = 1009});
  Outcome timer = first;
  std::int64_t t = 111;
  for (; timer.control.action != QueueRequest::release; ++t) {
    ASSERT_LT(t, 200);
    timer = r.around(t, timer);
  }
  timer = r.around(t, timer);
  r.receive(t, {.epoch = 2, .request = true, .sent = 1500});
  for (int i = 0; i < 3; ++i) {
    const Outcome o = r.receive(t, {.epoch = 2,
                                    .rerouted = true,
                                    .sent = static_cast<std::uint16_t>(1510 + i),
                                    .tail_sent = 1509});
    EXPECT_EQ(o.queue, 0u);
    EXPECT_EQ(o.control.action, QueueRequest::none);
    EXPECT_FALSE(o.copy);
    r.leave(t, o);
    timer = r.around(t, timer);
    EXPECT_TRUE(timer.loops());  // `first` is still there
  }
  EXPECT_EQ(r.tor.count("reorderings"), 1u);
  r.leave(t, first);
  timer = r.around(t, timer);
  EXPECT_TRUE(timer.loops());
  timer = r.around(t, timer);
  EXPECT_TRUE(timer.dropped());
  // Then the flow's TAIL clears, and the next epoch is reordered as ever.
  EXPECT_TRUE(r.receive(t, {.epoch = 2, .tail = true, .sent = 1509, .tail_sent = 1509}).copy);
  r.receive(t, {.epoch = 3, .request = true, .sent = 1600});
  const Outcome next =
      r.receive(t, {.epoch = 3, .rerouted = true, .sent = 1610, .tail_sent = 1609});
  EXPECT_EQ(next.queue, first.queue);
  EXPECT_EQ(next.control.action, QueueRequest::hold);
}

// A TAIL that comes just when its time is over, before the timer has seen it, releases the queue.
TEST(ConweaveDestination, ATailAtTheLastMomentIsNotForgotten) {
  Receiver r;
  r.receive(100, {.request = true, .sent = 1000});
  const Outcome first = r.receive(110, {.rerouted = true, .sent = 1012, .tail_sent = 1009});
  const Outcome tail = r.receive(400, {.tail = true, .sent = 1009, .tail_sent = 1009});
  Outcome timer = r.around(401, first);
  EXPECT_EQ(timer.control.action, QueueRequest::none);
  const Outcome gone = r.tor.egress(at_tick(402), tail.packet, near_port);
  EXPECT_EQ(gone.control.action, QueueRequest::release);
  r.leave(403, first);
  for (std::int64_t t = 404; timer.loops(); ++t) {
    ASSERT_LT(t, 410);
    timer = r.around(t, timer);
  }
  EXPECT_TRUE(timer.copy);
}

// A TAIL that is lost between ingress and egress is waited for once more X_DEFAULT.
TEST(ConweaveDestination, ATailThatNeverLeavesIsNotWaitedForForEver) {
  Receiver r;
  r.receive(100, {.request = true, .sent = 1000});
  const Outcome first = r.receive(110, {.rerouted = true, .sent = 1012, .tail_sent = 1009});
  r.receive(112, {.tail = true, .sent = 1009, .tail_sent = 1009});
  EXPECT_EQ(waits_until(r, first, 113), 113 + 196);
}

// A flow that was silent opens an epoch while packets of the last one wait. Its TAIL releases the
// queue. The timer learns of that when the default is over: by then nothing is released, and no
// timeout is counted.
TEST(ConweaveDestination, TheTailOfALaterEpochIsNoTimeout) {
  Receiver r;
  r.receive(100, {.request = true, .sent = 1000});
  const Outcome first = r.receive(101, {.rerouted = true, .sent = 1002, .tail_sent = 1001});
  ASSERT_EQ(first.control.action, QueueRequest::hold);
  Outcome timer = r.around(102, first);
  // Before what waits: a silence puts packets out of order.
  EXPECT_EQ(r.receive(103, {.epoch = 2, .request = true, .sent = 1301}).queue, 0u);
  const Outcome tail = r.receive(104, {.epoch = 2, .tail = true, .sent = 1303, .tail_sent = 1303});
  EXPECT_EQ(r.tor.egress(at_tick(104), tail.packet, near_port).control.action,
            QueueRequest::release);
  const std::int64_t waited = waits_until(r, timer, 105);
  EXPECT_EQ(waited, 105 + 196);
  EXPECT_EQ(r.tor.count("released_by_tail"), 1u);
  EXPECT_EQ(r.tor.count("released_by_timeout"), 0u);
  EXPECT_EQ(r.tor.count("released_by_epoch"), 0u);
}

// With one more epoch before the TAIL of the second has left, the queue is released though no time
// is over.
TEST(ConweaveDestination, ATailAndThenAnEpochReleaseBeforeTheTime) {
  Receiver r;
  r.receive(100, {.request = true, .sent = 1000});
  const Outcome first = r.receive(101, {.rerouted = true, .sent = 1002, .tail_sent = 1001});
  r.receive(103, {.epoch = 2, .request = true, .sent = 1301});
  r.receive(104, {.epoch = 2, .tail = true, .sent = 1303, .tail_sent = 1303});
  r.receive(105, {.epoch = 3, .request = true, .sent = 1601});
  EXPECT_EQ(waits_until(r, first, 106), 105);
  EXPECT_EQ(r.tor.count("released_by_timeout"), 0u);
  EXPECT_EQ(r.tor.count("released_by_epoch"), 1u);
}

// A packet of the old path that comes when the time is over, before the timer has seen that.
TEST(ConweaveDestination, ATimeThatIsOverBeforeAPacketComesIsATimeout) {
  Receiver r;
  r.receive(100, {.request = true, .sent = 1000});
  const Outcome first = r.receive(110, {.rerouted = true, .sent = 1012, .tail_sent = 1009});
  r.receive(400, {.sent = 1007});
  EXPECT_EQ(waits_until(r, first, 401), 400);
  EXPECT_EQ(r.tor.count("released_by_timeout"), 1u);
  EXPECT_EQ(r.tor.count("released_by_epoch"), 0u);
}

TEST(ConweaveDestination, PastEpochsPassBy) {
  Receiver r;
  r.receive(100, {.epoch = 2, .request = true});
  const Outcome past = r.receive(101, {.epoch = 1, .rerouted = true, .request = true, .ce = true});
  EXPECT_EQ(past.queue, 0u);
  EXPECT_FALSE(past.copy);
  r.leave(101, past);
  EXPECT_FALSE(r.receive(102, {.epoch = 1, .tail = true}).copy);
  EXPECT_EQ(r.tor.count("past_epoch_packets"), 2u);
  // Epochs turn over: 0 is after 3, and 3 before 0.
  r.receive(103, {.epoch = 3});
  EXPECT_TRUE(r.receive(104, {.epoch = 0, .request = true}).copy);
  EXPECT_FALSE(r.receive(105, {.epoch = 3, .request = true}).copy);
}

// Flows take the queues of their hashes; when there is none the flow is not reordered, and the rest
// of its packets neither.
TEST(ConweaveDestination, WithoutAQueueNothingIsHeld) {
  constexpr int flows = 40;
  Receiver r("queues = 6\n", flows);
  std::set<unsigned> taken;
  int exhausted = 0;
  Outcome timer;
  int failed = -1;
  for (int i = 0; i < flows; ++i) {
    r.receive(100, {.request = true, .sent = 0, .flow = i});
    const Outcome o = r.receive(110, {.rerouted = true, .sent = 12, .tail_sent = 10, .flow = i});
    if (o.queue != 0) {
      EXPECT_TRUE(taken.insert(o.queue).second) << "queue " << o.queue << " twice";
      continue;
    }
    ++exhausted;
    EXPECT_EQ(o.control.action, QueueRequest::none);
    ASSERT_TRUE(o.copy);  // a timer that only resets the flow
    timer = o;
    failed = i;
  }
  EXPECT_EQ(taken.size(), 6u);
  EXPECT_EQ(exhausted, flows - 6);
  EXPECT_EQ(r.tor.count("queues_exhausted"), static_cast<std::uint64_t>(exhausted));
  EXPECT_EQ(r.tor.count("most_queues"), 6u);
  EXPECT_EQ(r.receive(111, {.rerouted = true, .sent = 13, .tail_sent = 10, .flow = failed}).queue,
            0u);
  timer = r.around(112, timer);
  EXPECT_EQ(r.tor.count("timer_passes"), 1u);
  EXPECT_TRUE(timer.dropped());
  EXPECT_FALSE(timer.copy);
  EXPECT_EQ(r.receive(113, {.rerouted = true, .sent = 14, .tail_sent = 10, .flow = failed}).queue,
            0u);
  EXPECT_EQ(r.tor.count("queues_exhausted"), static_cast<std::uint64_t>(exhausted));
  // Its TAIL clears it.
  EXPECT_TRUE(r.receive(114, {.tail = true, .sent = 10, .tail_sent = 10, .flow = failed}).copy);
}

// The TAIL came between the failure and its reset: then that clears.
TEST(ConweaveDestination, AResetAfterTheTailClears) {
  constexpr int flows = 40;
  Receiver r("queues = 3\n", flows);
  for (int i = 0; i < flows; ++i) {
    const Outcome o = r.receive(110, {.rerouted = true, .sent = 12, .tail_sent = 10, .flow = i});
    if (o.queue != 0) continue;
    EXPECT_FALSE(r.receive(111, {.tail = true, .sent = 10, .tail_sent = 10, .flow = i}).copy);
    const Outcome reset = r.around(112, o);
    EXPECT_TRUE(reset.dropped());
    ASSERT_TRUE(reset.copy);
    EXPECT_TRUE(Header::of(r.tor.copied(at_tick(112), reset).packet).rerouted);
    return;
  }
  FAIL() << "queues for all";
}

}  // namespace
}  // namespace horae::programs::conweave_destination_test
