// Calls of a NIC to its host: times, contents, and whose memory answers.
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/fabric/packet_link.hpp"
#include "horae/rnic/host/host_interface.hpp"
#include "pcie_host_parts.hpp"
#include "pcie_parts.hpp"
#include "refusal.hpp"

namespace horae::test::pcie_host_test {
namespace {

/// Bytes of reads on the link besides the request.
Picoseconds completion(const host_interface& host, Bytes size) {
  return host.link().wire_time(size + 20_B);
}

TEST(HostInterface, AnUnloaded64ByteReadTakesTheRoundTripOnEveryLink) {
  std::vector<std::unique_ptr<host_interface>> hosts;
  for (const std::uint32_t generation : {3u, 4u, 5u}) {
    for (const std::uint32_t lanes : {1u, 8u, 16u}) {
      PcieConfig pcie;
      pcie.generation = generation;
      pcie.lanes.value = lanes;
      HostMemoryConfig memory;
      memory.round_trip.value = 712'345_ps;
      hosts.push_back(
          std::make_unique<host_interface>(sc_core::sc_gen_unique_name("host"), pcie, memory, 1));
    }
  }
  elaborate();
  for (auto& host : hosts) EXPECT_EQ(host->read(3_us, 4096, 64_B), 3_us + 712'345_ps);
}

TEST(HostInterface, A4KibReadInClosedForm) {
  PcieConfig pcie;
  pcie.max_read_request.value = 4096_B;
  host_interface whole("whole", pcie, {}, 1);
  host_interface pieces("pieces", {}, {}, 1);
  elaborate();
  // The round trip with a longer completion: 16 TLPs of 256 bytes, or 8 times 2 of them.
  EXPECT_EQ(whole.read(1_us, 0, 4_KiB), 1_us + 700_ns - completion(whole, 64_B) +
                                            whole.link().wire_time(Bytes(4096 + 16 * 20)));
  EXPECT_EQ(pieces.read(1_us, 0, 4_KiB), 1_us + 700_ns - completion(pieces, 64_B) +
                                             pieces.link().wire_time(Bytes(512 + 2 * 20)) * 8);
}

TEST(HostInterface, WritesAreVisibleAfterTheWriteLatencyAndInOrder) {
  HostMemoryConfig memory;
  memory.write_latency.value = 301'007_ps;
  host_interface host("host", {}, memory, 1);
  elaborate();
  const Picoseconds tlp = host.link().wire_time(280_B);
  EXPECT_EQ(host.write(1_us, 0, 256_B), 1_us + tlp + 301'007_ps);
  EXPECT_EQ(host.write(1_us, 4096 - 256, 512_B), 1_us + tlp * 3 + 301'007_ps);
}

TEST(HostInterface, NoWriteIsVisibleBeforeAnEarlierOne) {
  HostMemoryConfig memory;
  memory.tail_probability = 0.1;
  host_interface host("host", {}, memory, 1);
  elaborate();
  Picoseconds last{};
  int behind = 0;
  for (int i = 0; i < 1000; ++i) {
    const Picoseconds visible = host.write(Picoseconds(100'000 * i), 0, 64_B);
    EXPECT_GE(visible, last);
    behind += visible == last ? 1 : 0;
    last = visible;
  }
  EXPECT_GT(behind, 100);  // those behind a slow one
}

TEST(HostInterface, ADoorbellReachesTheNic) {
  HostMemoryConfig memory;
  memory.mmio_latency = 207'001_ps;
  host_interface host("host", {}, memory, 1);
  elaborate();
  EXPECT_EQ(host.doorbell(1_us), 1_us + 207'001_ps + host.link().wire_time(32_B));
  EXPECT_EQ(host.push_wqes(2_us, 256_B), 2_us + 207'001_ps + host.link().wire_time(280_B));
}

TEST(HostInterface, ContentsGoBothWaysAndSizesAloneChangeNothing) {
  host_interface host("host", {}, {}, 1), sized("sized", {}, {}, 1);
  elaborate();
  const auto data = counting(5000);
  std::vector<unsigned char> back(5000);
  const Picoseconds written = host.write(1_us, 4090, std::span<const unsigned char>(data));
  const Picoseconds seen = host.read(2_us, 4090, std::span<unsigned char>(back));
  EXPECT_EQ(back, data);
  // The same times with sizes alone, and memory as it was.
  EXPECT_EQ(sized.write(1_us, 4090, 5000_B), written);
  EXPECT_EQ(sized.read(2_us, 4090, 5000_B), seen);
  EXPECT_EQ(sized.own_memory()->pages(), 0u);
  host.write(3_us, 4090, 5000_B);
  host.read(4_us, 4090, std::span<unsigned char>(back));
  EXPECT_EQ(back, data);
}

/// A user's memory: takes 1 ns per byte, records what comes, refuses what it is told to.
class users_memory : public sc_core::sc_module {
 public:
  struct Access {
    bool write;
    std::uint64_t address;
    unsigned length;
    Picoseconds at;
    bool sized;
    bool operator==(const Access&) const = default;
  };
  explicit users_memory(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &users_memory::b_transport);
  }
  tlm_utils::simple_target_socket<users_memory> socket{"socket"};
  std::vector<Access> seen;
  tlm::tlm_response_status answer = tlm::TLM_OK_RESPONSE;

 private:
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    EXPECT_EQ(p.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_EQ(p.get_streaming_width(), p.get_data_length());
    EXPECT_EQ(p.get_byte_enable_ptr(), nullptr);
    EXPECT_FALSE(p.is_dmi_allowed());
    ASSERT_NE(p.get_data_ptr(), nullptr);
    seen.push_back({p.is_write(), p.get_address(), p.get_data_length(),
                    fabric::from_sc_time(sc_core::sc_time_stamp() + delay),
                    p.get_extension<rnic::timing_only>() != nullptr});
    if (p.is_read()) std::fill_n(p.get_data_ptr(), p.get_data_length(), 0x5a);
    delay += fabric::to_sc_time(1_ns * p.get_data_length());
    p.set_response_status(answer);
  }
};

TEST(HostInterface, AUsersTargetTakesThePlaceOfTheMemory) {
  fabric::sim_context context;
  owned_host nic("nic", context);
  host_interface& host = nic.host;
  users_memory memory("memory");
  host.memory.bind(memory.socket);
  elaborate();
  EXPECT_EQ(host.own_memory(), nullptr);
  const Picoseconds path = 100_ns;
  const Picoseconds up = host.link().wire_time(24_B), tlp = host.link().wire_time(280_B);
  const auto read =
      nic.done(1_us, [](host_interface& h, Picoseconds t) { return h.read(t, 4096 - 64, 128_B); });
  EXPECT_TRUE(read.ok);
  EXPECT_EQ(read.at, 1_us + up + path * 2 + 64_ns + completion(host, 64_B) * 2);
  const auto written =
      nic.done(2_us, [](host_interface& h, Picoseconds t) { return h.write(t, 0x10000, 256_B); });
  EXPECT_TRUE(written.ok);
  EXPECT_EQ(written.at, 2_us + tlp + path * 2 + 256_ns);
  std::array<unsigned char, 2> two{};
  nic.done(3_us, [&](host_interface& h, Picoseconds t) {
    return h.read(t, 8, std::span<unsigned char>(two));
  });
  EXPECT_EQ(two, (std::array<unsigned char, 2>{0x5a, 0x5a}));
  EXPECT_EQ(memory.seen, (std::vector<users_memory::Access>{
                             {false, 4096 - 64, 64, 1_us + up + path, true},
                             {false, 4096, 64, 1_us + up * 2 + path, true},
                             {true, 0x10000, 256, 2_us + tlp + path, true},
                             {false, 8, 2, 3_us + up + path, false},
                         }));
}

// The same memory takes the same time behind the socket, one access at a time.
TEST(HostInterface, ItsOwnMemoryTakesTheSameTimeAsBehindASocket) {
  HostMemoryConfig config;
  config.remote = true;
  fabric::sim_context context;
  host_interface own("own", {}, config, 1);
  owned_host bound("bound", context, {}, config);
  host_memory memory("memory", config, bound.host.time_to_target(), 1, config.path);
  bound.host.memory.bind(memory.socket);
  elaborate();
  RandomStream random(7, "accesses");
  for (int i = 0; i < 500; ++i) {
    const Picoseconds now = 5_us * (i + 1) + Picoseconds(random.below(100'000));
    const std::uint64_t address = random.below(10'000);
    const Bytes size(1 + random.below(9000));
    const bool reads = random.chance(0.5);
    const auto access = [&](host_interface& h, Picoseconds t) {
      return reads ? h.read(t, address, size) : h.write(t, address, size);
    };
    ASSERT_EQ(access(own, now), bound.done(now, access).at) << "access " << i;
  }
  EXPECT_EQ(bound.host.own_memory(), nullptr);
  EXPECT_EQ(own.own_memory()->pages(), 0u);
}

// A completion that tells of an error has no data.
TEST(HostInterface, ATargetThatRefusesIsAnErrorOfTheRead) {
  fabric::sim_context context;
  owned_host nic("nic", context);
  host_interface& host = nic.host;
  users_memory memory("memory");
  host.memory.bind(memory.socket);
  elaborate();
  memory.answer = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const Picoseconds up = host.link().wire_time(24_B);
  const auto read =
      nic.done(1_us, [](host_interface& h, Picoseconds t) { return h.read(t, 0xabc0, 64_B); });
  EXPECT_FALSE(read.ok);
  EXPECT_EQ(read.at, 1_us + up + 200_ns + 64_ns + host.link().wire_time(20_B));
  EXPECT_EQ(host.errors(), 1u);
  EXPECT_EQ(host.counters().bytes_completed, 0u);
  // A write is posted.
  EXPECT_TRUE(
      nic.done(3_us, [](host_interface& h, Picoseconds t) { return h.write(t, 0, 64_B); }).ok);
  EXPECT_EQ(host.errors(), 2u);
  EXPECT_EQ(host.link().tags_in_use(3_us), 0u);
  EXPECT_EQ(host.open(), 0u);
}

TEST(HostInterface, ATargetNeedsANic) {
  host_interface host("host", {}, {}, 1);
  users_memory memory("memory");
  host.memory.bind(memory.socket);
  try {
    elaborate();
    FAIL();
  } catch (const ModelError& e) {
    EXPECT_STREQ(e.what(), "host: a target at `memory` needs a NIC that owns it");
  }
}

// NICs of two processes would each have a copy of what they share.
TEST(HostInterface, TargetsBehindNicsOfSeveralRanksAreRefused) {
  fabric::sim_context context;
  owned_host here("here", context), elsewhere("elsewhere", context);
  users_memory memory("memory"), other("other");
  here.host.memory.bind(memory.socket);
  elsewhere.host.memory.bind(other.socket);
  elsewhere.host.serve({&context, 1, false, {}});
  EXPECT_EQ(refusal_of([] { elaborate(); }),
            "NICs of several ranks have targets of a user's own as host memory, which they may "
            "share: expected all of them on one rank, or one process");
}

/// A NIC that hands its memory socket on.
class wrapper : public sc_core::sc_module {
 public:
  wrapper(sc_core::sc_module_name name, fabric::sim_context& context)
      : sc_module(name), nic("nic", context) {
    nic.host.memory.bind(memory);
  }
  tlm::tlm_initiator_socket<> memory{"memory"};
  owned_host nic;
};

TEST(HostInterface, ItsSocketMayBeHandedOn) {
  fabric::sim_context context;
  wrapper around("around", context);
  users_memory memory("memory");
  around.memory.bind(memory.socket);
  elaborate();
  EXPECT_EQ(around.nic.host.own_memory(), nullptr);
  around.nic.done(1_us, [](host_interface& h, Picoseconds t) { return h.read(t, 0, 64_B); });
  EXPECT_EQ(memory.seen.size(), 1u);
}

TEST(HostInterface, ItsOwnMemoryIsItsChild) {
  host_interface host("host", {}, {}, 1);
  elaborate();
  ASSERT_NE(host.own_memory(), nullptr);
  EXPECT_STREQ(host.own_memory()->name(), "host.host_memory");
}

// Everything at once, at random: nothing is lost and nothing is early.
TEST(HostInterface, RandomTrafficIsConserved) {
  PcieConfig pcie;
  pcie.tags = 16;
  pcie.posted_headers = 8;
  pcie.non_posted_headers = 6;
  HostMemoryConfig memory;
  memory.jitter.value = 140_ns;
  memory.tail_probability = 0.01;
  memory.iotlb_miss_probability = 0.05;
  memory.remote = true;
  host_interface host("host", pcie, memory, 7);
  elaborate();
  RandomStream random(3, "conservation");
  Picoseconds now{}, last{};
  std::uint64_t read = 0, written = 0, bells = 0;
  for (int i = 0; i < 20'000; ++i) {
    now += Picoseconds(random.below(150'000));
    const std::uint64_t address = random.bits();
    const Bytes size(1 + random.below(random.chance(0.1) ? 10'000 : 300));
    Picoseconds done{};
    switch (random.below(3)) {
      case 0:
        done = host.read(now, address, size);
        EXPECT_GE(done, now + 700_ns + 150_ns - 140_ns - host.link().wire_time(64_B));
        read += static_cast<std::uint64_t>(size.count());
        break;
      case 1:
        done = host.write(now, address, size);
        EXPECT_GT(done, now + 300_ns + 75_ns - 140_ns);
        written += static_cast<std::uint64_t>(size.count());
        break;
      default:
        done = host.doorbell(now);
        EXPECT_GT(done, now + 200_ns);
        ++bells;
    }
    last = std::max(last, done);
    EXPECT_LE(host.link().tags_in_use(now), 16u);
  }
  const PcieCounters& c = host.counters();
  EXPECT_EQ(c.bytes_requested, read);
  EXPECT_EQ(c.bytes_completed, read);
  EXPECT_EQ(c.bytes_written, written);
  EXPECT_EQ(c.mmio_writes, bells);
  EXPECT_EQ(host.link().tags_in_use(last), 0u);
  EXPECT_EQ(host.link().most_tags_in_use(), 16u);
  for (std::size_t w = 0; w < rnic::pcie_waits; ++w) EXPECT_GT(c.waits[w], 0u) << w;
  // No more than 16 at once on average, either; and no direction busy for longer than time went by.
  EXPECT_LE(c.reads_in_flight, last * 16);
  EXPECT_LE(c.upstream_busy, last);
  EXPECT_LE(c.downstream_busy, last);
}

}  // namespace
}  // namespace horae::test::pcie_host_test
