// Ordering engines beside each other under senders that lose, repeat and reorder: whatever each
// rejects comes again, and every packet is tracked exactly once by all of them.
// HORAE_ORDERING_OPERATIONS sets how many packets are offered to engines in total (default 10^6).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "horae/core/random.hpp"
#include "ordering_oracle.hpp"

namespace horae::policy::ordering_property_test {
namespace {

using namespace ordering_oracle;

/// Senders of all connections over one channel. A sender goes on when all engines have what it
/// sent, so what one of them rejected comes again for all.
class Simulation {
 public:
  Simulation(const Scenario& scenario, std::uint64_t seed)
      : s_(scenario), random_(seed, "ordering senders"), senders_(scenario.connections) {
    for (const char* name : {"ideal", "static", "eunomia"}) {
      engines_.push_back(std::make_unique<Watched>(name, s_));
    }
  }

  void run() {
    for (ConnectionId id = 0; id < s_.connections; ++id) {
      start(id);
      active_.push_back(id);
    }
    for (std::int64_t steps = 0; !active_.empty(); ++steps) {
      ASSERT_LT(steps, 50'000'000) << "does not finish";
      ++now_;
      while (!flights_.empty() && flights_.front().at <= now_) arrive();
      const std::uint32_t pick = random_.below(static_cast<std::uint32_t>(active_.size()));
      step(active_[pick]);
      if (senders_[active_[pick]].done) {
        active_[pick] = active_.back();
        active_.pop_back();
      }
      if (steps % 4096 == 0) check_memory();
      if (testing::Test::HasFailure()) return;
    }
    check_memory();
    for (ConnectionId id = 0; id < s_.connections; ++id) {
      for (auto& e : engines_) e->close(id);
    }
    check_memory();
  }

  const Watched& engine(int i) const { return *engines_[static_cast<std::size_t>(i)]; }

 private:
  struct Sender {
    std::int32_t packets = 0;
    std::int32_t next = 0;
    std::int64_t deadline = 0;
    std::vector<bool> last;
    bool done = false;
  };
  struct Flight {
    std::int64_t at;
    std::uint64_t number;  // equal times in the order of sending
    ConnectionId connection;
    std::int32_t packet;
    // A heap has the latest in front.
    bool operator<(const Flight& o) const { return at != o.at ? at > o.at : number > o.number; }
  };

  void start(ConnectionId id) {
    Sender& s = senders_[id];
    s.packets =
        1 + static_cast<std::int32_t>(random_.below(static_cast<std::uint32_t>(s_.packets)));
    s.last.resize(static_cast<std::size_t>(s.packets));
    for (std::size_t i = 0; i < s.last.size(); ++i) s.last[i] = random_.chance(s_.message_end);
    s.last.back() = true;
    // Often such that the numbers wrap, or change their sign, on the way.
    const std::uint32_t around[] = {0, 0x800000, random_.bits()};
    const Psn first =
        Psn(around[random_.below(3)]) - static_cast<std::int32_t>(random_.below(2000));
    for (auto& e : engines_) e->open(id, first, s.packets);
  }

  std::int32_t base(ConnectionId id) const {
    std::int32_t least = engines_[0]->expected(id);
    for (const auto& e : engines_) least = std::min(least, e->expected(id));
    return least;
  }
  bool all_have(ConnectionId id, std::int32_t packet) const {
    return std::all_of(engines_.begin(), engines_.end(),
                       [&](const auto& e) { return e->tracked(id, packet); });
  }

  void step(ConnectionId id) {
    Sender& s = senders_[id];
    const std::int32_t acked = base(id);
    if (acked == s.packets) {
      s.done = true;
      return;
    }
    s.next = std::max(s.next, acked);
    if (!s_.go_back) {
      while (s.next < s.packets && all_have(id, s.next)) ++s.next;
    }
    if (s.next == s.packets || s.next - acked >= s_.window) {
      if (now_ < s.deadline) return;
      s.next = acked;
    }
    s.deadline = now_ + 2 * s_.jitter + 2;
    send(id, s.next++);
  }

  void send(ConnectionId id, std::int32_t packet) {
    const int copies = random_.chance(s_.duplication) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      if (random_.chance(s_.loss)) continue;
      const std::uint32_t late = s_.jitter == 0 ? 0 : random_.below(s_.jitter);
      flights_.push_back({now_ + late, number_++, id, packet});
      std::push_heap(flights_.begin(), flights_.end());
    }
  }

  void arrive() {
    std::pop_heap(flights_.begin(), flights_.end());
    const Flight f = flights_.back();
    flights_.pop_back();
    // Late copies of a finished connection still come.
    const bool last = senders_[f.connection].last[static_cast<std::size_t>(f.packet)];
    for (auto& e : engines_) e->offer(f.connection, f.packet, last);
  }

  void check_memory() const {
    for (const auto& e : engines_) e->check_memory();
  }

  const Scenario& s_;
  RandomStream random_;
  std::vector<std::unique_ptr<Watched>> engines_;
  std::vector<Sender> senders_;
  std::vector<ConnectionId> active_;
  std::vector<Flight> flights_;  // a heap
  std::int64_t now_ = 0;
  std::uint64_t number_ = 0;
};

TEST(OrderingProperty, EveryPacketIsTrackedOnceByEveryEngine) {
  const char* asked = std::getenv("HORAE_ORDERING_OPERATIONS");
  const std::int64_t operations = asked != nullptr ? std::strtoll(asked, nullptr, 10) : 1'000'000;
  Totals totals[3];
  std::uint64_t seed = 0;
  for (std::int64_t done = 0; done < operations; ++seed) {
    const Scenario s = draw(seed);
    Simulation simulation(s, seed);
    simulation.run();
    ASSERT_FALSE(HasFailure()) << describe(s, seed);
    for (int i = 0; i < 3; ++i) {
      add(totals[i], simulation.engine(i).totals());
      done += simulation.engine(i).totals().offered;
    }
  }
  EXPECT_EQ(totals[0].tracked, totals[1].tracked);
  EXPECT_EQ(totals[0].tracked, totals[2].tracked);
  for (const Totals& t : totals) {
    if (asked == nullptr) break;
    fmt::print(
        "{} scenarios: {} offered, {} tracked, {} duplicates, rejected {} for reach, {} for "
        "blocks, {} for metadata; {} completed, {} bitmaps kept then\n",
        seed, t.offered, t.tracked, t.duplicates, t.rejected[1], t.rejected[2], t.rejected[3],
        t.completed, t.kept_after_last);
  }
  // The scenarios do exercise what they are for.
  const Totals& eunomia = totals[2];
  for (int i = 1; i < static_cast<int>(Rejection::count_); ++i) {
    EXPECT_GT(eunomia.rejected[i], operations / 10000) << i;
  }
  EXPECT_GT(eunomia.kept_after_last, 0);
  EXPECT_GT(totals[1].rejected[static_cast<int>(Rejection::reach)], 0);
}

}  // namespace
}  // namespace horae::policy::ordering_property_test
