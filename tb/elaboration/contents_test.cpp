// Bytes in host memory: what a sender's memory has arrives in the receiver's, whatever happens on
// the way; WQEs and CQEs that a memory of a user's own sees.
#include "contents.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "forked.hpp"
#include "horae/core/stats.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/params/document.hpp"
#include "horae/rnic/host/host_addresses.hpp"
#include "horae/rnic/host/queue_entries.hpp"
#include "horae/workload/read_platform.hpp"
#include "refusal.hpp"

namespace horae::elaboration::contents_test {
namespace {

namespace host_address = rnic::host_address;
using rnic::QueueEntry;

// Two leaves and three spines that packets are sprayed over, one link of which is slower.
const std::string network = R"([platform]
name = "contents"
[sim]
duration = "20 ms"
stop = "finished"
[nic]
kind = "rnic"
host = "pcie"
mtu = "1 KiB"
transport = "go_back_n"
[nic.memory]
contents = true
[nic.reliability]
rto = "60 us"
[leaf]
kind = "switch"
balance = "round_robin"
[spine]
kind = "switch"
[leaf_spine]
leaves = 2
spines = 3
hosts_per_leaf = 2
host = "nic"
leaf = "leaf"
spine = "spine"
[[impairment]]
between = ["leaf0", "spine1"]
rate = "10 Gbps"
loss = 0.01
[[impairment]]
between = ["leaf1", "spine2"]
loss = 0.02
[[traffic]]
kind = "messages"
from = ["h0", "h1"]
to = ["h2", "h3"]
message = "9000 B"
count = 30
)";

using Settings = std::vector<std::string>;

config::PlatformConfig platform_of(const Settings& settings, const std::string& more = {}) {
  return workload::read_platform(Document::parse(network + more, "p.toml", settings));
}

/// Memory of a user's own with bytes, whose accesses take different times; `change` may spoil what
/// it answers.
class user_memory : public sc_core::sc_module {
 public:
  using Payload = tlm::tlm_generic_payload;
  using Change = std::function<void(Payload&)>;
  explicit user_memory(const sc_core::sc_module_name& name, Change change = {})
      : sc_module(name), change_(std::move(change)) {
    socket.register_b_transport(this, &user_memory::b_transport);
    socket.register_transport_dbg(this, &user_memory::transport_dbg);
  }
  tlm_utils::multi_passthrough_target_socket<user_memory> socket{"socket"};
  std::uint64_t with_contents = 0, timing_only = 0;

 private:
  void b_transport(int, Payload& access, sc_core::sc_time&) {
    sc_core::wait(80 + static_cast<double>(access.get_address() / 64 % 7) * 30, sc_core::SC_NS);
    if (access.get_extension<rnic::timing_only>() == nullptr) {
      ++with_contents;
      transport_dbg(0, access);
      if (change_) change_(access);
    } else {
      ++timing_only;
    }
    access.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned transport_dbg(int, Payload& access) {
    // An access does not cross pages.
    auto& page = pages_[access.get_address() / 4096];
    if (page.empty()) page.resize(4096);
    unsigned char* const here = page.data() + access.get_address() % 4096;
    if (access.is_write()) {
      std::copy_n(access.get_data_ptr(), access.get_data_length(), here);
    } else {
      std::copy_n(here, access.get_data_length(), access.get_data_ptr());
    }
    return access.get_data_length();
  }
  Change change_;
  std::map<std::uint64_t, std::vector<unsigned char>> pages_;
};

struct Outcome {
  test::Moved moved;
  std::uint64_t resent = 0, out_of_order = 0, corrupted = 0;
};

/// Runs it and compares the memories of both ends, byte by byte.
Outcome compare(Simulation& simulation) {
  auto& clock = simulation.context().clock;
  clock.run_to(1_ps);  // memories are there
  test::fill_sources(simulation.nics());
  for (Picoseconds t = 20_us; t <= 60_ms && !simulation.finished(); t += 20_us) clock.run_to(t);
  Outcome out{.moved = test::moved(simulation.nics())};
  for (const auto* nic : simulation.nics()) {
    out.out_of_order += nic->counters().out_of_order;
    for (std::size_t k = 1; k < nic->counters().sent.size(); ++k)
      out.resent += nic->counters().sent[k];
  }
  out.corrupted = simulation.context().pool.dropped(
      static_cast<fabric::DropCause>(fabric::DropCause::corrupted));
  return out;
}

std::string text_of(const Outcome& o) {
  return fmt::format("{} messages, {} bytes, {} wrong, {} failed, {}, {}, {} corrupted",
                     o.moved.messages, o.moved.bytes, o.moved.wrong, o.moved.failed,
                     o.resent > 0 ? "resent" : "none resent",
                     o.out_of_order > 0 ? "out of order" : "in order", o.corrupted);
}

enum class Memory { own, users };

std::string outcome_of(const Settings& settings, Memory memory, const std::string& more = {}) {
  return test::in_child([&] {
    const auto platform = platform_of(settings, more);
    Simulation simulation(platform);
    std::vector<std::unique_ptr<user_memory>> memories;
    for (auto* nic : simulation.nics()) {
      if (memory == Memory::own) break;
      memories.push_back(std::make_unique<user_memory>(sc_core::sc_gen_unique_name("memory")));
      nic->host()->memory.bind(memories.back()->socket);
    }
    return text_of(compare(simulation));
  });
}

const std::string arrived =
    "60 messages, 540000 bytes, 0 wrong, 0 failed, resent, out of order, 0 corrupted";

TEST(Contents, ArriveUnderLossAndReordering) {
  for (const char* transport : {"go_back_n", "rnic_sr", "irn", "spray_sr"}) {
    for (const Memory memory : {Memory::own, Memory::users}) {
      const std::string by = fmt::format("nic.transport={}", transport);
      EXPECT_EQ(outcome_of({by}, memory), arrived) << by;
    }
  }
}

TEST(Contents, ArriveByWindowsOfAnyLengthAndExactWakes) {
  for (const char* time : {"sim.window=77ns", "sim.window=99999ps", "sim.scheduling=exact_wake"}) {
    for (const Memory memory : {Memory::own, Memory::users})
      EXPECT_EQ(outcome_of({time}, memory), arrived) << time;
  }
  EXPECT_EQ(
      outcome_of({"nic.memory.calls=blocking", "nic.memory.base=4GiB", "nic.memory.size=1GiB"},
                 Memory::users),
      arrived);
}

TEST(Contents, ArriveByAnOrderingEngineAndQueuesOfTheHost) {
  EXPECT_EQ(outcome_of({R"(nic.ordering={engine="eunomia"})"}, Memory::own), arrived);
  EXPECT_EQ(outcome_of({R"(nic.ordering={engine="eunomia"})"}, Memory::users), arrived);
  EXPECT_EQ(outcome_of({R"(nic.cq={poll="50 ns"})", R"(nic.sram={limited=true})"}, Memory::own),
            arrived);
}

// Data of READs moves from the responder's memory to the requester's, by the same rings.
TEST(Contents, OfReadsArriveUnderLossAndReordering) {
  for (const char* transport : {"go_back_n", "rnic_sr"}) {
    for (const Memory memory : {Memory::own, Memory::users}) {
      const std::string by = fmt::format("nic.transport={}", transport);
      EXPECT_EQ(outcome_of({by, "traffic[0].verb=read"}, memory), arrived) << by;
    }
  }
  for (const char* more : {"sim.window=77ns", "sim.scheduling=exact_wake",
                           R"(nic.cq={poll="50 ns"})", "nic.sram={limited=true}"}) {
    EXPECT_EQ(outcome_of({more, "traffic[0].verb=read"}, Memory::own), arrived) << more;
  }
}

TEST(Contents, TakeNoTime) {
  const auto counted = [](const char* contents) {
    return test::in_child([&] {
      const auto platform = platform_of({contents});
      Simulation simulation(platform);
      simulation.context().clock.run_to(300_us);
      std::string text;
      for (const auto* nic : simulation.nics()) {
        StatTree tree;
        nic->statistics(tree);
        text += tree.to_json().dump(1);
      }
      return text;
    });
  };
  const std::string with = counted("nic.memory.contents=true");
  EXPECT_GT(with.size(), 1000u);
  EXPECT_EQ(with, counted("nic.memory.contents=false"));
}

// A packet that has a bit error is dropped, and comes again.
TEST(Contents, OfACorruptedPacketAreToldAndComeAgain) {
  const std::string event = R"([[event]]
action = "corrupt"
between = ["h0", "leaf0"]
packet = 4
)";
  std::string expected = arrived;
  expected.replace(expected.rfind('0'), 1, "1");
  EXPECT_EQ(outcome_of({}, Memory::own, event), expected);
  EXPECT_EQ(outcome_of({}, Memory::users, event), expected);
  EXPECT_EQ(outcome_of({"traffic[0].verb=read"}, Memory::own, event), expected);
}

std::uint64_t number(const QueueEntry& e, std::size_t at, std::size_t bytes) {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < bytes; ++i) n = n << 8 | e[at + i];
  return n;
}

void expect_wqes_and_cqes(Verb verb) {
  const bool reads = verb == Verb::read;
  const auto platform = platform_of({reads ? "traffic[0].verb=read" : "traffic[0].verb=write"});
  Simulation simulation(platform);
  std::map<std::uint64_t, unsigned> wqes, cqes;  // by number of the message
  const std::uint64_t qp = simulation.nics()[0]->number_of(0).value();
  user_memory memory("memory", [&](tlm::tlm_generic_payload& access) {
    const std::uint64_t address = access.get_address();
    const auto entries = access.get_data_length() / 64;
    for (unsigned k = 0; k < entries; ++k) {
      QueueEntry e;
      std::memcpy(e.data(), access.get_data_ptr() + std::size_t{64} * k, 64);
      if (host_address::use_of(address) == rnic::PcieUse::wqe) {
        EXPECT_TRUE(access.is_read());
        ++wqes[number(e, 0, 3)];
        EXPECT_EQ(e[3], reads ? 0x10 : 0x08);
        EXPECT_EQ(number(e, 4, 3), qp);
        EXPECT_EQ(number(e, 16, 8), host_address::ring_offset(
                                        simulation.nics()[0]->queue_pair(0).config().first_send +
                                            static_cast<std::int32_t>(number(e, 0, 3) * 9),
                                        1024));
        EXPECT_EQ(number(e, 32, 4), 9000u);
        EXPECT_EQ(number(e, 40, 8), reads ? host_address::payload(0, number(e, 16, 8))
                                          : host_address::source(0, number(e, 16, 8)));
      } else if (host_address::use_of(address) == rnic::PcieUse::cqe) {
        EXPECT_TRUE(access.is_write());
        EXPECT_EQ(number(e, 0, 3), qp);
        EXPECT_EQ(e[8], 0);
        ++cqes[number(e, 4, 3)];
      }
    }
  });
  simulation.nics()[0]->host()->memory.bind(memory.socket);
  EXPECT_EQ(text_of(compare(simulation)), arrived);
  simulation.context().clock.run_to(61_ms);
  EXPECT_EQ(wqes.size(), 30u);
  EXPECT_EQ(cqes.size(), 30u);
  for (const auto& [message, times] : cqes) EXPECT_EQ(times, 1u) << message;
  EXPECT_EQ(cqes.rbegin()->first, 29u);
}

TEST(Contents, OfWqesAndCqesAreWhatAMemoryOfAUsersSees) { expect_wqes_and_cqes(Verb::write); }
TEST(Contents, OfWqesAndCqesOfReadsLikewise) { expect_wqes_and_cqes(Verb::read); }

// A WQE that is not what was posted is an error of its queue pair alone.
TEST(Contents, OfAWqeThatIsSpoiltEndItsQueuePair) {
  const auto platform = platform_of({});
  Simulation simulation(platform);
  user_memory memory("memory", [](tlm::tlm_generic_payload& access) {
    if (host_address::use_of(access.get_address()) == rnic::PcieUse::wqe)
      access.get_data_ptr()[33] ^= 1;
  });
  simulation.nics()[0]->host()->memory.bind(memory.socket);
  const Outcome o = compare(simulation);
  EXPECT_EQ(o.moved.messages, 30u);
  EXPECT_EQ(o.moved.failed, 30u);
  EXPECT_EQ(o.moved.wrong, 0u);
  EXPECT_TRUE(simulation.nics()[0]->queue_pair(0).in_error());
  EXPECT_FALSE(simulation.nics()[1]->queue_pair(0).in_error());
}

// Off, all accesses of a NIC are timing alone.
TEST(Contents, AreNotInAnAccessWithoutThem) {
  const auto without = platform_of({"nic.memory.contents=false"});
  Simulation simulation(without);
  user_memory memory("memory");
  for (auto* nic : simulation.nics()) nic->host()->memory.bind(memory.socket);
  simulation.context().clock.run_to(1_ms);
  EXPECT_EQ(memory.with_contents, 0u);
  EXPECT_GT(memory.timing_only, 1000u);
}

TEST(Contents, AreRefusedInOneLineWhereTheyCannotBe) {
  const auto refused = [](const Settings& settings, const std::string& more = {}) {
    return test::refusal_of([&] {
      const auto platform = platform_of(settings, more);
      Simulation simulation(platform);
    });
  };
  const auto has = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  has(refused({"nic.host=none"}), "memory.contents with host = \"none\"; expected host = \"pcie\"");
  has(refused({R"(nic.memory.ddio={size="1 MiB"})"}), "memory.contents with memory.ddio");
  has(refused({R"(nic.post={sges=2})"}), "memory.contents with post.sges above 1");
  has(refused({R"(traffic[0].verb="send")"}),
      "memory.contents with messages that take receive WQEs, or UC or UD; expected WRITEs or "
      "READs");
  has(refused({"traffic[0].depth=5000"}), "5000 messages outstanding with memory.contents");
  EXPECT_EQ(test::in_child([] {
              return test::refusal_of([] {
                const auto platform =
                    platform_of({R"(traffic[0].verb="fetch_add")", "traffic[0].message=8 B"});
                Simulation simulation(platform);
                simulation.context().clock.run_to(1_us);
              });
            }),
            "h0: memory.contents with atomics; expected messages that are WRITEs or READs");
  EXPECT_EQ(test::in_child([] {
              return test::refusal_of([] {
                const auto platform = platform_of({R"(traffic[0].verbs=["write", "read"])"});
                Simulation simulation(platform);
                simulation.context().clock.run_to(1_us);
              });
            }),
            "h0: memory.contents with WRITEs and READs on one queue pair; expected one of the two");
  has(refused({}, R"([[device]]
names = ["other"]
profile = "plain"
[[link]]
between = ["other", "leaf0"]
[plain]
kind = "rnic"
)"),
      "'other' has none or another mtu; expected both alike");
}

}  // namespace
}  // namespace horae::elaboration::contents_test
