// Transactions of a run, read back by the rules of SCV's text format: packets, their hops, messages
// and accesses to host memory; and the same of FTR.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "csv.hpp"
#include "ftr_file.hpp"
#include "views.hpp"

namespace horae::test::transactions_test {
namespace {

struct Transaction {
  std::string stream, generator;
  std::int64_t begin = -1, end = -1;  ///< ps
  std::map<std::string, std::string> attributes;
  std::vector<std::uint64_t> hops;  ///< those that belong to it, in the order of the file
  std::uint64_t message = 0;        ///< that it is a part of
  bool operator==(const Transaction&) const = default;
};

/// The file, line by line; a line that no rule takes fails the test.
struct ReadTransactions {
  explicit ReadTransactions(const std::string& text) { read(text); }

  void read(const std::string& text) {
    static const std::regex stream_line(
        R"re(scv_tr_stream \(ID (\d+), name "([^" ]+)", kind "(\w+)"\))re");
    static const std::regex generator_line(
        R"re(scv_tr_generator \(ID (\d+), name "(\w+)", scv_tr_stream (\d+),)re");
    static const std::regex begin_line(R"(tx_begin (\d+) (\d+) (\d+) ps)");
    static const std::regex end_line(R"(tx_end (\d+) (\d+) (\d+) ps)");
    static const std::regex attribute_line(
        R"re(tx_record_attribute (\d+) "(\w+)" (?:UNSIGNED = (\d+)|STRING = "([^"]*)"))re");
    static const std::regex relation_line(R"re(tx_relation "(\w+)" (\d+) (\d+))re");
    std::map<std::string, std::string> streams;
    std::map<std::string, std::pair<std::string, std::string>> generators;
    std::istringstream in(text);
    std::int64_t now = 0;
    bool in_generator = false;
    for (std::string line; std::getline(in, line);) {
      std::smatch m;
      if (in_generator) {
        EXPECT_EQ(line, ")");
        in_generator = false;
      } else if (std::regex_match(line, m, stream_line)) {
        EXPECT_TRUE(streams.emplace(m[1], m[2]).second) << line;
      } else if (std::regex_match(line, m, generator_line)) {
        ASSERT_TRUE(streams.contains(m[3])) << line;
        EXPECT_FALSE(streams.contains(m[1])) << line;
        EXPECT_TRUE(generators.emplace(m[1], std::pair(streams[m[3]], m[2])).second) << line;
        in_generator = true;
      } else if (std::regex_match(line, m, begin_line)) {
        ASSERT_TRUE(generators.contains(m[2])) << line;
        Transaction& t = all[std::stoull(m[1])];
        EXPECT_EQ(t.begin, -1) << line;
        t.stream = generators[m[2]].first;
        t.generator = generators[m[2]].second;
        t.begin = std::stoll(m[3]);
        EXPECT_GE(t.begin, now) << line;
        now = t.begin;
      } else if (std::regex_match(line, m, end_line)) {
        Transaction& t = all[std::stoull(m[1])];
        ASSERT_GE(t.begin, 0) << line;
        EXPECT_EQ(t.end, -1) << line;
        EXPECT_EQ(generators[m[2]], std::pair(t.stream, t.generator)) << line;
        t.end = std::stoll(m[3]);
        EXPECT_GE(t.end, now) << line;
        now = t.end;
      } else if (std::regex_match(line, m, attribute_line)) {
        ASSERT_TRUE(all.contains(std::stoull(m[1]))) << line;
        EXPECT_TRUE(
            all[std::stoull(m[1])].attributes.emplace(m[2], m[3].matched ? m[3] : m[4]).second)
            << line;
      } else if (std::regex_match(line, m, relation_line)) {
        // Source is the second.
        const std::uint64_t to = std::stoull(m[2]), from = std::stoull(m[3]);
        ASSERT_TRUE(all.contains(to) && all.contains(from)) << line;
        ++relations[m[1]];
        if (m[1] == "hop") all[from].hops.push_back(to);
        if (m[1] == "part_of") all[from].message = to;
      } else {
        ADD_FAILURE() << line;
      }
    }
    for (const auto& [id, t] : all) EXPECT_GE(t.end, t.begin) << id;
  }

  std::vector<const Transaction*> of(const std::string& generator,
                                     const std::string& stream = "") const {
    std::vector<const Transaction*> found;
    for (const auto& [id, t] : all)
      if (t.generator == generator && (stream.empty() || t.stream == stream)) found.push_back(&t);
    return found;
  }
  std::vector<const Transaction*> packets() const {
    std::vector<const Transaction*> found;
    for (const auto& [id, t] : all)
      if (t.stream.ends_with(".packets")) found.push_back(&t);
    return found;
  }

  std::map<std::uint64_t, Transaction> all;
  std::map<std::string, std::size_t> relations;
};

std::size_t with(const std::vector<const Transaction*>& all, const std::string& name,
                 const std::string& value) {
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Transaction* t) {
    const auto found = t->attributes.find(name);
    return found != t->attributes.end() && found->second == value;
  }));
}

TEST(Transactions, EveryPacketIsOneWithItsHops) {
  const Workplace place;
  place.write("p.toml", sprayed);
  const ordered_json summary = run_viewed(place, "p.toml", {"--trace", "--transactions"}).json();
  const ReadTransactions seen(place.read("o/transactions.txlog"));
  const ReadTrace trace(place.read_json("o/trace.json"));
  const auto packets = seen.packets();
  const auto count = [&](const char* what) {
    return summary.at("packets").at(what).get<std::size_t>();
  };
  std::size_t dropped = 0;
  for (const auto& [cause, n] : summary.at("packets").at("dropped").items()) {
    EXPECT_EQ(with(packets, "cause", cause), n.get<std::size_t>()) << cause;
    dropped += n.get<std::size_t>();
  }
  EXPECT_GT(dropped, 5u);
  // A NACK that the chip takes is no packet that is delivered, nor are copies made by a NIC.
  EXPECT_EQ(with(packets, "fate", "delivered"), count("delivered"));
  EXPECT_EQ(with(packets, "fate", "dropped"), dropped);
  EXPECT_EQ(packets.size(), count("created"));
  EXPECT_GT(seen.of("retransmission").size(), 3u);
  EXPECT_GT(seen.of("nack").size(), 1u);

  // As many hops as slices of the timeline, at the same times.
  std::multiset<std::pair<std::int64_t, std::int64_t>> hops, slices;
  for (const auto* t : seen.of("hop")) hops.emplace(t->begin, t->end);
  for (const auto* s : trace.all("packet")) slices.emplace(s->start, s->end);
  EXPECT_EQ(hops, slices);
  EXPECT_EQ(seen.of("drop").size(), trace.all("drop").size());
  EXPECT_EQ(seen.of("message").size(), trace.all("message").size());
  EXPECT_EQ(seen.relations.at("hop"), hops.size() + dropped);
  for (const Transaction* t : packets) {
    ASSERT_FALSE(t->hops.empty());
    std::int64_t at = t->begin;
    for (const std::uint64_t id : t->hops) {
      const Transaction& hop = seen.all.at(id);
      EXPECT_GE(hop.begin, at);  // a packet is in one place at a time
      EXPECT_EQ(hop.attributes.at("psn"), t->attributes.at("psn"));
      at = hop.end;
    }
    EXPECT_EQ(at, t->end);
    if (t->message != 0) {
      EXPECT_EQ(seen.all.at(t->message).generator, "message");
    }
  }
  const auto parts = std::count_if(packets.begin(), packets.end(),
                                   [](const Transaction* t) { return t->message != 0; });
  EXPECT_EQ(static_cast<std::size_t>(parts), seen.relations.at("part_of"));
  EXPECT_GT(parts, 100);
}

TEST(Transactions, ChangeNoOtherView) {
  const Workplace place;
  place.write("p.toml", paused);
  run_viewed(place, "p.toml", {"--trace"});
  const std::string alone = place.read("o/trace.json");
  run_viewed(place, "p.toml", {"--trace", "--transactions"});
  EXPECT_EQ(place.read("o/trace.json"), alone);
  const ReadTransactions seen(place.read("o/transactions.txlog"));
  EXPECT_EQ(seen.of("pause").size(),
            ReadTrace(place.read_json("o/trace.json")).all("pause").size());
  EXPECT_GT(seen.of("pause").size(), 0u);
}

// As the waterfall has these stages; the second message waits behind the first.
TEST(Transactions, AccessesToHostMemoryAreThoseOfTheWaterfall) {
  const Workplace place;
  place.write("p.toml", two_paths({.name = "hosts",
                                   .sim = "duration = \"2 ms\"\nstop = \"finished\"\n",
                                   .nic = "host = \"pcie\"\npcie.generation = 4\nmtu = \"1 KiB\"\n"
                                          "cq = { poll = \"71 ns\" }\n",
                                   .traffic = "count = 2\n"}));
  run_viewed(place, "p.toml", {"--transactions", "--waterfall"});
  const ReadTransactions seen(place.read("o/transactions.txlog"));
  const auto rows = rows_of(place.read("o/waterfall.csv"));
  ASSERT_FALSE(rows.empty());
  const auto ps = [](const Row& row, const std::string& name) { return std::stoll(row.at(name)); };
  std::multiset<std::int64_t> cqes, seen_cqes;
  for (const Row& row : rows) cqes.insert(ps(row, "cqe_ps"));
  for (const auto* t : seen.of("cqe_write")) seen_cqes.insert(t->end - t->begin);
  EXPECT_EQ(seen_cqes, cqes);
  EXPECT_EQ(seen.of("poll").size(), rows.size());
  const std::size_t data = seen.of("data").size();
  EXPECT_GT(data, rows.size());
  // A read for each packet that is sent, a write for each that arrived.
  EXPECT_EQ(seen.of("payload_read").size(), data);
  EXPECT_EQ(seen.of("payload_write").size(), data);
  EXPECT_FALSE(seen.of("wqe_read").empty());
  for (const auto* t : seen.of("payload_read")) {
    EXPECT_TRUE(t->stream.ends_with(".host_reads")) << t->stream;
    EXPECT_GT(t->end - t->begin, 100'000);  // a round trip to memory, at the least
  }
}

// All that the text says is in the binary file, of a run with drops and one with host memory.
TEST(Transactions, AreTheSameInFtr) {
  for (const auto& [platform, least] : {std::pair(sprayed, 1000u), std::pair(paused, 1000u)}) {
    const Workplace place;
    place.write("p.toml", platform);
    run_viewed(place, "p.toml", {"--transactions", "--ftr"});
    const ReadTransactions text(place.read("o/transactions.txlog"));
    const std::string bytes = place.read("o/transactions.ftr");
    const FtrFile binary(bytes);
    ASSERT_GT(text.all.size(), least);
    ASSERT_EQ(binary.transactions.size(), text.all.size());
    std::map<std::string, std::size_t> relations;
    std::map<std::uint64_t, Transaction> all;
    for (const auto& [id, t] : binary.transactions)
      all[id] = {t.stream, t.generator, t.begin, t.end, t.attributes, {}, 0};
    for (const auto& r : binary.relations) {
      ++relations[r.name];
      if (r.name == "hop") all.at(r.from).hops.push_back(r.to);
      if (r.name == "part_of") all.at(r.from).message = r.to;
    }
    EXPECT_EQ(all, text.all);
    EXPECT_EQ(relations, text.relations);
    EXPECT_GT(binary.blocks, 3u);
    EXPECT_LT(bytes.size(), place.read("o/transactions.txlog").size() / 2);
    // Without the text, and again: the same bytes.
    run_viewed(place, "p.toml", {"--ftr"});
    EXPECT_EQ(place.read("o/transactions.ftr"), bytes);
  }
}

TEST(Transactions, TheLimitHolds) {
  const Workplace place;
  place.write("p.toml", sprayed);
  const Ended ended = run_viewed(place, "p.toml", {"--transactions", "--trace-most", "400"});
  EXPECT_NE(ended.err.find("transactions.txlog ends at "), std::string::npos) << ended.err;
  const ReadTransactions seen(place.read("o/transactions.txlog"));
  EXPECT_LE(seen.all.size(), 400u);
  EXPECT_GT(seen.all.size(), 50u);
  EXPECT_NE(run_viewed(place, "p.toml", {"--ftr", "--trace-most", "400"})
                .err.find("transactions.ftr ends"),
            std::string::npos);
  run_viewed(place, "p.toml", {"--transactions", "--every", "7", "--to", "50us"});
  const ReadTransactions few(place.read("o/transactions.txlog"));
  for (const auto& [id, t] : few.all) EXPECT_LT(t.begin, 50'000'000);
}

}  // namespace
}  // namespace horae::test::transactions_test
