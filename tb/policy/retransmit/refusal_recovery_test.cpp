// A selective-repeat sender behind an ordering layer that has little room: packets are refused
// again and again, none is lost, so no message may wait for the timer (Eunomia 3.2.2).
#include <map>
#include <random>

#include "horae/policy/ordering/eunomia.hpp"
#include "horae/policy/ordering/ordered_receiver.hpp"
#include "transport_script.hpp"

namespace horae::policy::refusal_recovery_test {
namespace {

struct Outcome {
  int timeouts = 0;
  int sent = 0;
  bool complete = false;
};

/// One message of `packets` packets, one a slot; each needs `delay` slots and up to `jitter` more.
Outcome run(OrderingEngine& engine, ConnectionId id, const TransportConfig& config, int packets,
            int delay, int jitter, std::mt19937_64& draw) {
  const Psn first(0xfffff0);
  const auto sender = find_transport("irn").make_sender(config, first);
  OrderedReceiver receiver(engine, id, config, first);
  sender->post(static_cast<std::uint32_t>(packets));
  std::multimap<int, Transmission> data;
  std::multimap<int, Response> answers;
  Outcome outcome;
  int idle = 0;
  for (int slot = 0; slot < 100'000; ++slot) {
    for (auto at = data.find(slot); at != data.end(); at = data.find(slot)) {
      const Transmission t = at->second;
      data.erase(at);
      const bool last = t.psn - first == packets - 1;
      const auto out = receiver.on_packet(t.psn, first, last, t.ack_request, last);
      if (out.response) answers.emplace(slot + delay, *out.response);
    }
    for (auto at = answers.find(slot); at != answers.end(); at = answers.find(slot)) {
      const Response r = at->second;
      answers.erase(at);
      sender->on_ack(r.psn, Picoseconds(0));
      if (r.received) sender->on_received(*r.received);
      if (r.nack) sender->on_nack(r.psn, Picoseconds(0));
    }
    if (sender->unsent() == 0 && sender->unacked() == 0) {
      outcome.complete = true;
      break;
    }
    if (sender->can_send()) {
      idle = 0;
      ++outcome.sent;
      const int late = std::uniform_int_distribution<int>(0, jitter)(draw);
      data.emplace(slot + delay + late, sender->next(Picoseconds(0)));
    } else if (data.empty() && answers.empty() && ++idle > 2) {
      idle = 0;
      ++outcome.timeouts;
      sender->on_timeout(Picoseconds(0));
    }
  }
  receiver.close();
  return outcome;
}

/// 200 messages of 40 packets over a bitmap of 16 bits.
Outcome two_hundred(const char* ordering_engine, int jitter) {
  std::mt19937_64 draw(1);
  TransportConfig config = plain_config();
  config.window = 64;
  config.ack_every = 1;
  config.nacks_refuse = true;
  Outcome all{.complete = true};
  for (int message = 0; message < 200; ++message) {
    OrderingConfig ordering;
    ordering.engine = ordering_engine;
    ordering.parameters.of<BitmapReach>().bits = 16;
    const auto engine = make_ordering_engine(ordering);
    const Outcome one = run(*engine, 0, config, 40, 3, jitter, draw);
    all.timeouts += one.timeouts;
    all.sent += one.sent;
    all.complete &= one.complete;
  }
  return all;
}

TEST(RefusalRecovery, NoMessageWaitsForTheTimer) {
  for (const char* engine : {"static", "eunomia"}) {
    // Nothing is refused.
    EXPECT_EQ(two_hundred(engine, 10).sent, 200 * 40) << engine;
    // A third of the messages would wait if NACKs during a recovery were not heard.
    const Outcome twice = two_hundred(engine, 30);
    EXPECT_TRUE(twice.complete) << engine;
    EXPECT_EQ(twice.timeouts, 0) << engine;
    EXPECT_LT(twice.sent, 2 * 200 * 40) << engine;
    // Six times the reach: the receiver NACKs an expected packet once, so what is refused while
    // that packet is late stays unsaid. More than one message in each would wait without later
    // NACKs.
    const Outcome far = two_hundred(engine, 100);
    EXPECT_TRUE(far.complete) << engine;
    EXPECT_LT(far.timeouts, 200 / 10) << engine;
  }
}

}  // namespace
}  // namespace horae::policy::refusal_recovery_test
