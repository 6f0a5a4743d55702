// A program of the NIC's host: what it posts leaves when it says so.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "horae/fabric/observer.hpp"
#include "horae/rnic/nic_observer.hpp"
#include "horae/traffic/host_program.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::host_programs_test {
namespace {

using test::NicAndPeer;

constexpr std::uint32_t channel = 5;
constexpr Picoseconds later = 7'000'003_ps;

/// Posts one message when it begins and one later.
class Two final : public traffic::HostProgram {
 public:
  void begin() override { posts_.push_back(channel); }
  void received(std::uint32_t, std::uint64_t, Picoseconds) override {}
  void completed(std::uint32_t, std::uint64_t, Picoseconds) override {}
  void proceed(Picoseconds now) override {
    if (done_ || now < later) return;
    EXPECT_EQ(now, later);
    done_ = true;
    posts_.push_back(channel);
  }
  Picoseconds next() const override { return done_ ? never : later; }
  std::vector<std::uint32_t> take_posts() override { return std::exchange(posts_, {}); }
  bool finished() const override { return done_; }
  Picoseconds end() const override { return later; }
  std::vector<std::string> waiting() const override { return {}; }

 private:
  std::vector<std::uint32_t> posts_;
  bool done_ = false;
};

struct Notes final : fabric::observer, nic_observer {
  void posted(const rnic&, std::size_t, std::uint64_t, std::uint64_t, Picoseconds at) override {
    times.push_back(at);
  }
  std::vector<Picoseconds> times;
};

TEST(HostPrograms, MessagesLeaveWhenTheyArePosted) {
  Notes notes;
  fabric::sim_context context;
  context.watcher = &notes;
  NicAndPeer line(context, test::odd_latencies());
  const int program = line.nic->add_program(std::make_unique<Two>());
  EXPECT_FALSE(line.nic->finished());
  line.nic->watch(&notes);
  QueuePairConfig of_program;
  of_program.remote = Qpn(0x77);
  of_program.peer = test::peer::node;
  of_program.source = std::make_unique<traffic::ConstantSource>(
      traffic::ConstantSource::Config{.bytes = 1024_B, .count = 2, .gated = true});
  of_program.exchange = 0;
  of_program.program = program;
  of_program.channel = channel;
  line.nic->add_queue_pair(std::move(of_program));
  test::run_on(context, 20_us);
  EXPECT_EQ(notes.times, (std::vector<Picoseconds>{0_ps, later}));
  ASSERT_EQ(line.far->seen.size(), 2u);
  EXPECT_EQ(line.decided(line.far->seen[0]), 0_ps);
  EXPECT_EQ(line.decided(line.far->seen[1]), later);
}

}  // namespace
}  // namespace horae::rnic::host_programs_test
