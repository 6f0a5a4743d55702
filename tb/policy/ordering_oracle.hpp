// An ordering engine beside an oracle: a model of each connection made of sets and numbers that do
// not wrap, which says what the engine must answer and how much memory it must have.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/policy/ordering/eunomia.hpp"
#include "horae/policy/ordering/ordering.hpp"

namespace horae::policy::ordering_oracle {

using Set = std::set<std::int32_t>;

/// Variations of a random test of engines: how an engine is built, and how its senders behave.
struct Scenario {
  BitmapReach reach;
  EunomiaMemorySizes sizes;
  std::uint32_t connections = 0;
  std::int32_t packets = 0;  ///< at most, of a connection
  std::int32_t window = 0;
  double loss = 0;
  double duplication = 0;
  double message_end = 0;    ///< a packet within a connection is marked last
  std::uint32_t jitter = 0;  ///< packets of all connections by which one is late at most
  bool go_back = false;      ///< a timeout repeats everything, not only what some engine misses
};

/// For messages: what makes it again.
inline std::string describe(const Scenario& s, std::uint64_t seed) {
  return fmt::format(
      "seed {}: bits {} block_bits {} blocks {} rows {}; {} connections of {}, window {}, loss {}, "
      "duplication {}, jitter {}, {}",
      seed, s.reach.bits, s.sizes.block_bits, s.sizes.blocks, s.sizes.index_entries, s.connections,
      s.packets, s.window, s.loss, s.duplication, s.jitter, s.go_back ? "go-back" : "selective");
}

/// The scenario of a seed.
inline Scenario draw(std::uint64_t seed) {
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

/// Model of a connection of one engine, told with sets and unwrapped numbers.
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

/// Outcome of the packets that an engine was offered.
struct Totals {
  std::int64_t offered = 0;
  std::int64_t tracked = 0;
  std::int64_t duplicates = 0;
  std::int64_t rejected[static_cast<int>(Rejection::count_)] = {};
  std::int64_t completed = 0;
  std::int64_t kept_after_last = 0;  ///< bitmaps that outlived a last packet
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

inline void add(Totals& to, const Totals& t) {
  to.offered += t.offered;
  to.tracked += t.tracked;
  to.duplicates += t.duplicates;
  for (std::size_t i = 0; i < std::size(t.rejected); ++i) to.rejected[i] += t.rejected[i];
  to.completed += t.completed;
  to.kept_after_last += t.kept_after_last;
}

}  // namespace horae::policy::ordering_oracle
