// Ordering engines beside each other under senders that lose, repeat and reorder: whatever each
// rejects comes again, and every packet is tracked exactly once by all of them.
// HORAE_ORDERING_OPERATIONS sets how many packets are offered to engines in total (default 10^6).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/policy/ordering/eunomia.hpp"
#include "horae/policy/ordering/ordering.hpp"

namespace horae::policy {
namespace {

using Set = std::set<std::int32_t>;

struct Scenario {
  BitmapReach reach;
  EunomiaMemorySizes sizes;
  std::uint32_t connections = 0;
  std::int32_t packets = 0;  // at most, of a connection
  std::int32_t window = 0;
  double loss = 0;
  double duplication = 0;
  double message_end = 0;    // a packet within a connection is marked last
  std::uint32_t jitter = 0;  // packets of all connections by which one is late at most
  bool go_back = false;      // a timeout repeats everything, not only what some engine misses
};

std::string describe(const Scenario& s, std::uint64_t seed) {
  return fmt::format(
      "seed {}: bits {} block_bits {} blocks {} rows {}; {} connections of {}, window {}, loss {}, "
      "duplication {}, jitter {}, {}",
      seed, s.reach.bits, s.sizes.block_bits, s.sizes.blocks, s.sizes.index_entries, s.connections,
      s.packets, s.window, s.loss, s.duplication, s.jitter, s.go_back ? "go-back" : "selective");
}

Scenario draw(std::uint64_t seed) {
  RandomStream random(seed, "ordering scenario");
  Scenario s;
  s.sizes.block_bits = 16 * (random.chance(0.6) ? 1 : 1 + random.below(16));
  s.reach.bits = s.sizes.block_bits * (random.chance(0.4) ? 16 : 1 + random.below(32));
  const std::uint32_t least = 8 + s.reach.bits / s.sizes.block_bits + s.sizes.block_bits / 16;
  s.connections = 1 + random.below(random.chance(0.5) ? 8 : 60);
  // Often too little memory or too few rows for all of them.
  s.sizes.blocks = random.chance(0.3) ? 4096 : least + random.below(600);
  s.sizes.index_entries = random.chance(0.6) ? 64 : 1 + random.below(20);
  s.packets = 1 + static_cast<std::int32_t>(random.below(6000 / s.connections));
  s.window = 1 + static_cast<std::int32_t>(
                     random.below(random.chance(0.3) ? 2 * s.reach.bits : s.reach.bits));
  s.loss = random.chance(0.5) ? 0 : random.unit() * 0.2;
  s.duplication = random.chance(0.5) ? 0 : random.unit() * 0.2;
  s.message_end = random.chance(0.5) ? 0 : random.unit() * 0.1;
  const std::uint32_t jitters[] = {0, 20, 300, 2000};
  s.jitter = jitters[random.below(4)];
  s.go_back = random.chance(0.5);
  return s;
}

/// What a connection of one engine must be, told with sets and unwrapped numbers.
struct Oracle {
  std::int32_t expected = 0;
  Set ahead;                         // tracked beyond the expected one
  std::optional<std::int32_t> last;  // highest one marked last that is not passed yet
  // Eunomia's bitmap: what its reach depends on.
  bool bitmap = false;
  std::int32_t tail = 0;      // end of the circular portion
  std::int32_t circular = 0;  // blocks
  std::int32_t dynamic = 0;
};

struct Totals {
  std::int64_t offered = 0;
  std::int64_t tracked = 0;
  std::int64_t duplicates = 0;
  std::int64_t rejected[static_cast<int>(Rejection::count_)] = {};
  std::int64_t completed = 0;
  std::int64_t kept_after_last = 0;  // bitmaps that outlived a last packet
};

/// One engine with its oracle.
class Watched {
 public:
  Watched(std::string_view name, const Scenario& scenario) : s_(scenario), name_(name) {
    OrderingConfig config;
    config.engine = name;
    config.parameters = PolicyParameters::with(s_.reach, s_.sizes);
    engine_ = make_ordering_engine(config);
    eunomia_ = dynamic_cast<EunomiaEngine*>(engine_.get());
  }

  void open(ConnectionId id, Psn first, std::int32_t packets) {
    if (id >= rows_.size()) rows_.resize(id + 1);
    rows_[id].first = first;
    rows_[id].count.resize(static_cast<std::size_t>(packets));
  }
  std::int32_t expected(ConnectionId id) const { return rows_[id].oracle.expected; }
  bool tracked(ConnectionId id, std::int32_t at) const {
    return rows_[id].count[static_cast<std::size_t>(at)] != 0;
  }

  void offer(ConnectionId id, std::int32_t at, bool last) {
    Row& row = rows_[id];
    row.open = true;
    ++totals_.offered;
    const OrderingAnswer answer = engine_->on_packet(
        {.connection = id, .psn = row.first + at, .head = row.first, .last = last});
    check(row, id, at, last, answer);
  }

  void close(ConnectionId id) {
    EXPECT_TRUE(rows_[id].oracle.ahead.empty());
    for (const int count : rows_[id].count) EXPECT_EQ(count, 1);
    engine_->close(id);
    rows_[id].open = false;
    rows_[id].oracle.bitmap = false;
  }

  void check_memory() const {
    std::int64_t open = 0;
    for (const Row& row : rows_) open += row.open ? 1 : 0;
    const OrderingMemory m = engine_->memory();
    if (eunomia_ != nullptr) {
      ASSERT_EQ(m.fixed, open * 4_B);
      check_controller(m);
    } else if (name_ == "static") {
      ASSERT_EQ(m.total(), open * (Bytes((s_.reach.bits + 7) / 8) + 9_B));
    } else {
      std::int64_t words = 0;
      for (const Row& row : rows_) {
        if (row.oracle.ahead.empty()) continue;
        const std::int64_t from = (row.first + row.oracle.expected).value();
        words += (from + *row.oracle.ahead.rbegin() - row.oracle.expected) / 64 - from / 64 + 1;
      }
      ASSERT_EQ(m.total(), Bytes(words * 8));
    }
  }

  const Totals& totals() const { return totals_; }

 private:
  struct Row {
    Psn first;
    bool open = false;
    Oracle oracle;
    std::vector<std::uint8_t> count;  // how often each packet was tracked
  };

  std::int32_t block_bits() const { return static_cast<std::int32_t>(s_.sizes.block_bits); }
  std::int32_t max_blocks() const {
    return static_cast<std::int32_t>(s_.reach.bits / s_.sizes.block_bits);
  }

  // Blocks that the packet needs beyond those there are; more than there can be: out of reach.
  std::int32_t need(const Oracle& o, std::int32_t at) const {
    const std::int32_t end =
        o.bitmap ? o.tail + (o.dynamic - o.circular) * block_bits() : o.expected - 1;
    return at <= end ? 0 : (at - end + block_bits() - 1) / block_bits();
  }

  void check(Row& row, ConnectionId id, std::int32_t at, bool last, const OrderingAnswer& answer) {
    Oracle& o = row.oracle;
    ASSERT_EQ(answer.rejection == Rejection::none, answer.tracking != Tracking::rejected);
    const bool known = at < o.expected || o.ahead.contains(at);
    const bool in_order = at == o.expected;
    if (known || answer.tracking == Tracking::rejected) {
      ASSERT_EQ(answer.tracking == Tracking::duplicate, known);
      ASSERT_EQ(answer.advanced, 0u);
      ASSERT_FALSE(answer.completed);
      ASSERT_EQ(answer.expected, row.first + o.expected);
      ++(known ? totals_.duplicates : totals_.rejected[static_cast<int>(answer.rejection)]);
      if (!known) check_rejection(o, id, at, answer);
      return;
    }
    ++totals_.tracked;
    ASSERT_EQ(++row.count[static_cast<std::size_t>(at)], 1);
    ASSERT_EQ(answer.tracking, in_order ? Tracking::in_order : Tracking::out_of_order);
    check_reach(o, id, at, in_order, answer);

    const std::int32_t before = o.expected;
    o.ahead.insert(at);
    while (o.ahead.erase(o.expected) != 0) ++o.expected;
    ASSERT_EQ(answer.advanced, static_cast<std::uint32_t>(o.expected - before));
    ASSERT_EQ(answer.expected, row.first + o.expected);
    if (last) o.last = std::max(at, o.last.value_or(at));
    const bool completed = o.last && o.expected > *o.last;
    ASSERT_EQ(answer.completed, completed);
    if (eunomia_ != nullptr) follow(o, id, completed);
    if (!completed) return;
    ++totals_.completed;
    o.last.reset();
  }

  void check_rejection(Oracle& o, ConnectionId id, std::int32_t at, const OrderingAnswer& answer) {
    ASSERT_NE(name_, "ideal");
    ASSERT_NE(at, o.expected) << "what is expected can always be tracked";
    if (name_ == "static") {
      ASSERT_GE(at - o.expected, static_cast<std::int32_t>(s_.reach.bits));
      return;
    }
    const std::int32_t blocks = need(o, at);
    ASSERT_EQ(answer.rejection == Rejection::reach, o.dynamic + blocks > max_blocks());
    if (answer.rejection == Rejection::reach) return;
    const MemoryController& m = eunomia_->controller();
    const EunomiaLayout& layout = m.layout();
    if (answer.rejection == Rejection::no_metadata) {
      ASSERT_FALSE(o.bitmap);
      ASSERT_TRUE(m.rows_in_use() == layout.index_entries || !room(layout.metadata_words));
      return;
    }
    // no_block: none is left now, but what was taken stays; a new bitmap stays too if it got its
    // first one.
    const bool kept = eunomia_->connection(id).conn_module_valid;
    std::uint32_t words = answer.ops.allocated;
    if (!o.bitmap && kept) words -= layout.metadata_words;
    if (!kept) {
      ASSERT_FALSE(o.bitmap);
      ASSERT_EQ(answer.ops.released, words);
      return;
    }
    ASSERT_FALSE(room(layout.block_words));
    grow(o, static_cast<std::int32_t>(words / layout.block_words));
    ASSERT_LT(words / layout.block_words, static_cast<std::uint32_t>(blocks));
    follow(o, id, false, false);
  }

  // A tracked packet was within reach and took just the blocks that it needed.
  void check_reach(Oracle& o, ConnectionId, std::int32_t at, bool in_order,
                   const OrderingAnswer& answer) {
    if (name_ == "static") {
      ASSERT_LT(at - o.expected, static_cast<std::int32_t>(s_.reach.bits));
    }
    if (eunomia_ == nullptr || (in_order && !o.bitmap)) return;
    const EunomiaLayout& layout = eunomia_->controller().layout();
    const std::int32_t blocks = need(o, at);
    ASSERT_LE(o.dynamic + blocks, max_blocks());
    ASSERT_EQ(answer.ops.allocated, static_cast<std::uint32_t>(blocks) * layout.block_words +
                                        (o.bitmap ? 0 : layout.metadata_words));
    grow(o, blocks);
  }

  void grow(Oracle& o, std::int32_t blocks) const {
    if (!o.bitmap && blocks > 0) {
      o.bitmap = true;
      o.circular = o.dynamic = 1;
      o.tail = o.expected + block_bits() - 1;
      --blocks;
    }
    o.dynamic += blocks;
  }

  // Absorption and release, and then what the engine says of itself. A rejected packet absorbs
  // nothing.
  void follow(Oracle& o, ConnectionId id, bool completed, bool accepted = true) {
    if (o.bitmap && accepted) {
      const auto first = o.ahead.begin();
      if (o.circular == o.dynamic || first == o.ahead.end() || *first > o.tail) {
        o.circular = o.dynamic;
        o.tail = o.expected + o.circular * block_bits() - 1;
      }
      if (completed) {
        if (o.expected == *o.last + 1 && o.ahead.empty()) {
          o.bitmap = false;
          o.circular = o.dynamic = 0;
        } else {
          ++totals_.kept_after_last;
        }
      }
    }
    ASSERT_EQ(eunomia_->connection(id).conn_module_valid, o.bitmap);
    if (!o.bitmap) return;
    const HdState s = eunomia_->bitmap(id);
    const Psn first = rows_[id].first;
    ASSERT_EQ(s.head, first + o.expected);
    ASSERT_EQ(s.tail, first + o.tail);
    ASSERT_EQ(s.circular, static_cast<std::uint32_t>(o.circular));
    ASSERT_EQ(s.dynamic, static_cast<std::uint32_t>(o.dynamic));
    ASSERT_LT(s.head_block, s.circular);
    ASSERT_LT(s.head_index, s_.sizes.block_bits);
  }

  bool room(std::uint32_t n) const {
    const MemoryController& m = eunomia_->controller();
    std::uint32_t run = 0;
    for (std::uint32_t i = 0; i < m.layout().words; ++i) {
      run = m.allocated(i) ? 0 : run + 1;
      if (run == n) return true;
    }
    return false;
  }

  // Every allocated word belongs to exactly one connection, and the index to those that have any.
  void check_controller(const OrderingMemory& memory) const {
    const MemoryController& m = eunomia_->controller();
    const EunomiaLayout& layout = m.layout();
    std::vector<int> owners(layout.words);
    const auto own = [&](std::uint32_t start, std::uint32_t n) {
      for (std::uint32_t i = start; i < start + n; ++i) ++owners.at(i);
    };
    std::int64_t bitmaps = 0;
    std::int64_t blocks = 0;
    for (const auto& row : m.metadata_start_index()) {
      if (!row.valid) continue;
      ++bitmaps;
      ASSERT_TRUE(rows_[row.connection].oracle.bitmap);
      ASSERT_EQ(m.metadata_start(row.connection), row.start);
      own(row.start, layout.metadata_words);
      const auto word = [&](std::uint32_t i) { return m.master_array()[row.start + i]; };
      const std::uint32_t n = word(7) >> 8;
      blocks += n;
      for (std::uint32_t b = 0; b < n; ++b) {
        own(static_cast<std::uint16_t>(word(8) + (b == 0 ? 0 : word(8 + b))), layout.block_words);
      }
    }
    std::int64_t with_bitmap = 0;
    for (const Row& row : rows_) with_bitmap += row.oracle.bitmap ? 1 : 0;
    ASSERT_EQ(bitmaps, with_bitmap);
    for (std::uint32_t i = 0; i < layout.words; ++i) {
      ASSERT_EQ(owners[i], m.allocated(i) ? 1 : 0) << "word " << i;
    }
    ASSERT_EQ(memory.bitmap, Bytes(blocks * layout.block_bits / 8));
    ASSERT_EQ(memory.metadata, bitmaps * Bytes(2 * layout.metadata_words + 3));
  }

  const Scenario& s_;
  std::string name_;
  std::unique_ptr<OrderingEngine> engine_;
  EunomiaEngine* eunomia_ = nullptr;
  std::vector<Row> rows_;
  Totals totals_;
};

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

void add(Totals& to, const Totals& t) {
  to.offered += t.offered;
  to.tracked += t.tracked;
  to.duplicates += t.duplicates;
  for (std::size_t i = 0; i < std::size(t.rejected); ++i) to.rejected[i] += t.rejected[i];
  to.completed += t.completed;
  to.kept_after_last += t.kept_after_last;
}

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
}  // namespace horae::policy
