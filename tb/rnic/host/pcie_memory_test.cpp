// Host memory: its latencies, and its answers as a TLM-2.0 target.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/fabric/packet_link.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/rnic/host_memory.hpp"
#include "pcie_host_parts.hpp"
#include "pcie_parts.hpp"

namespace horae::test::pcie_memory_test {
namespace {

/// Time the target of `host` adds to each of `n` reads far apart.
std::vector<Picoseconds> memory_times(host_interface& host, int n) {
  std::vector<Picoseconds> times;
  for (int i = 0; i < n; ++i) {
    const Picoseconds now = 100_us * (i + 1);
    times.push_back(host.read(now, 0, 64_B) - now - host.link().unloaded_read(64_B));
  }
  return times;
}

TEST(HostMemory, OnAnotherSocketTakesLonger) {
  HostMemoryConfig memory;
  memory.numa_extra = 150'002_ps;
  host_interface near("near", {}, memory, 1);
  memory.remote = true;
  host_interface far("far", {}, memory, 1);
  elaborate();
  EXPECT_EQ(far.read(1_us, 0, 64_B), near.read(1_us, 0, 64_B) + 150'002_ps);
  EXPECT_EQ(far.write(1_us, 0, 64_B), near.write(1_us, 0, 64_B) + 75'001_ps);
}

TEST(HostMemory, JitterStaysInItsBoundsAndFillsThem) {
  HostMemoryConfig memory;
  memory.jitter.value = 140_ns;
  host_interface host("host", {}, memory, 1);
  elaborate();
  const auto times = memory_times(host, 20'000);
  const Picoseconds middle = 700_ns - host.link().unloaded_read(64_B);
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  EXPECT_GE(*low, middle - 140_ns);
  EXPECT_LE(*high, middle + 140_ns);
  EXPECT_LT(*low, middle - 139_ns);
  EXPECT_GT(*high, middle + 139_ns);
  double sum = 0;
  for (const Picoseconds t : times) sum += static_cast<double>((t - middle).count());
  // Deviation of a uniform variable: half width / sqrt(3).
  EXPECT_NEAR(sum / 20'000, 0.0, 4 * 140'000 / std::sqrt(3.0 * 20'000));
}

TEST(HostMemory, TailAndIotlbMissesHaveTheirShares) {
  HostMemoryConfig memory;
  memory.tail_probability = 0.01;
  memory.tail_extra = 9_us;
  memory.iotlb_miss_probability = 0.2;
  host_interface host("host", {}, memory, 1);
  elaborate();
  constexpr int n = 50'000;
  const auto times = memory_times(host, n);
  const Picoseconds base = 700_ns - host.link().unloaded_read(64_B);
  const auto share = [&](Picoseconds extra) {
    return static_cast<double>(std::count(times.begin(), times.end(), base + extra));
  };
  const auto expect_share = [](double seen, double p) {
    EXPECT_NEAR(seen, n * p, 4 * std::sqrt(n * p * (1 - p))) << p;
  };
  expect_share(share(0_ps), 0.99 * 0.8);
  expect_share(share(330_ns), 0.99 * 0.2);
  expect_share(share(9_us), 0.01 * 0.8);
  expect_share(share(9_us + 330_ns), 0.01 * 0.2);
  EXPECT_EQ(share(0_ps) + share(330_ns) + share(9_us) + share(9_us + 330_ns), n);
  EXPECT_EQ(static_cast<double>(host.own_memory()->tails()), share(9_us) + share(9_us + 330_ns));
  EXPECT_EQ(static_cast<double>(host.own_memory()->iotlb_misses()),
            share(330_ns) + share(9_us + 330_ns));
}

TEST(HostMemory, TheSeedAndTheNameDecideEveryNumber) {
  HostMemoryConfig memory;
  memory.jitter.value = 100_ns;
  host_interface a("a", {}, memory, 1), b("b", {}, memory, 1), c("c", {}, memory, 2);
  elaborate();
  const auto ta = memory_times(a, 100), tb = memory_times(b, 100), tc = memory_times(c, 100);
  EXPECT_NE(ta, tb);
  EXPECT_NE(ta, tc);
  // The first numbers of one stream, so that another machine cannot differ unseen.
  RandomStream stream(1, "a.host_memory");
  for (const Picoseconds t : ta) {
    EXPECT_EQ(t, 600_ns - a.link().unloaded_read(64_B) + Picoseconds(stream.below(200'001)));
  }
}

TEST(HostMemory, ALatencyThatCannotBeIsRefused) {
  const auto message = [](const std::string& text, Picoseconds link) -> std::string {
    const auto config = Document::parse(text, "nic.toml").root().read<HostMemoryConfig>();
    try {
      host_memory memory(sc_core::sc_gen_unique_name("memory"), config, link, 1);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(
      message("round_trip = \"250ns\"\n", 251_ns),
      "nic.toml:1:14: round_trip = 250000 ps is less than the 251000 ps the link takes of it");
  EXPECT_EQ(message("write_latency = \"99ns\"\njitter = \"100ns\"\n", 50_ns),
            "nic.toml:2:10: jitter = 100000 ps could make a latency negative: reads take 650000 ps "
            "besides the link, writes 99000 ps");
  EXPECT_THROW(
      Document::parse("tail_probability = 1.5\n", "nic.toml").root().read<HostMemoryConfig>(),
      InputError);
}

/// Calls a target as any initiator would.
class initiator : public sc_core::sc_module {
 public:
  explicit initiator(sc_core::sc_module_name name) : sc_module(name) {}
  tlm_utils::simple_initiator_socket<initiator> socket{"socket"};

  tlm::tlm_response_status access(tlm::tlm_generic_payload& p, Picoseconds* added = nullptr) {
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = fabric::to_sc_time(5_ns);
    socket->b_transport(p, delay);
    if (added != nullptr) *added = fabric::from_sc_time(delay) - 5_ns;
    return p.get_response_status();
  }
};

/// A payload over `data`.
void fill(tlm::tlm_generic_payload& p, tlm::tlm_command command, std::uint64_t address,
          std::span<unsigned char> data) {
  p.set_command(command);
  p.set_address(address);
  p.set_data_ptr(data.data());
  p.set_data_length(static_cast<unsigned>(data.size()));
  p.set_streaming_width(static_cast<unsigned>(data.size()));
  p.set_byte_enable_ptr(nullptr);
  p.set_byte_enable_length(0);
}

TEST(HostMemory, AnswersAsTheBaseProtocolWants) {
  initiator cpu("cpu");
  host_memory memory("memory", {}, 2_ns, 1);
  cpu.socket.bind(memory.socket);
  elaborate();
  auto data = counting(64);
  tlm::tlm_generic_payload p;
  Picoseconds added{};
  fill(p, tlm::TLM_WRITE_COMMAND, 100, data);
  p.set_dmi_allowed(true);
  EXPECT_EQ(cpu.access(p, &added), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(added, 300_ns);
  EXPECT_FALSE(p.is_dmi_allowed());
  std::vector<unsigned char> back(64);
  fill(p, tlm::TLM_READ_COMMAND, 100, back);
  EXPECT_EQ(cpu.access(p, &added), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(added, 698_ns);
  EXPECT_EQ(back, data);
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);

  fill(p, tlm::TLM_IGNORE_COMMAND, 100, back);
  EXPECT_EQ(cpu.access(p, &added), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(added, 0_ps);
  fill(p, static_cast<tlm::tlm_command>(3), 100, back);
  EXPECT_EQ(cpu.access(p), tlm::TLM_COMMAND_ERROR_RESPONSE);
  fill(p, tlm::TLM_READ_COMMAND, 100, back);
  p.set_data_ptr(nullptr);
  EXPECT_EQ(cpu.access(p), tlm::TLM_GENERIC_ERROR_RESPONSE);
  fill(p, tlm::TLM_READ_COMMAND, 100, back);
  p.set_data_length(0);
  EXPECT_EQ(cpu.access(p), tlm::TLM_BURST_ERROR_RESPONSE);
  fill(p, tlm::TLM_READ_COMMAND, 100, back);
  p.set_streaming_width(63);
  EXPECT_EQ(cpu.access(p), tlm::TLM_BURST_ERROR_RESPONSE);
  fill(p, tlm::TLM_READ_COMMAND, ~std::uint64_t{0} - 62, back);
  EXPECT_EQ(cpu.access(p), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  fill(p, tlm::TLM_READ_COMMAND, ~std::uint64_t{0} - 63, back);
  EXPECT_EQ(cpu.access(p), tlm::TLM_OK_RESPONSE);
  tlm::tlm_dmi dmi;
  EXPECT_FALSE(cpu.socket->get_direct_mem_ptr(p, dmi));
}

TEST(HostMemory, ByteEnablesChooseTheBytes) {
  initiator cpu("cpu");
  host_memory memory("memory", {}, 2_ns, 1);
  cpu.socket.bind(memory.socket);
  elaborate();
  auto data = counting(7);
  std::array<unsigned char, 3> enables = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED, TLM_BYTE_DISABLED};
  tlm::tlm_generic_payload p;
  fill(p, tlm::TLM_WRITE_COMMAND, 4093, data);  // over a page's end
  p.set_byte_enable_ptr(enables.data());
  EXPECT_EQ(cpu.access(p), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  p.set_byte_enable_length(3);
  EXPECT_EQ(cpu.access(p), tlm::TLM_OK_RESPONSE);
  std::vector<unsigned char> back(7, 99);
  fill(p, tlm::TLM_READ_COMMAND, 4093, back);
  EXPECT_EQ(cpu.access(p), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(back, (std::vector<unsigned char>{1, 0, 0, 4, 0, 0, 7}));
  std::fill(back.begin(), back.end(), 99);
  p.set_byte_enable_ptr(enables.data());
  p.set_byte_enable_length(3);
  EXPECT_EQ(cpu.access(p), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(back, (std::vector<unsigned char>{1, 99, 99, 4, 99, 99, 7}));
  EXPECT_EQ(memory.pages(), 2u);
}

TEST(HostMemory, DebugTransportSeesAndChangesContentsInNoTime) {
  initiator cpu("cpu");
  HostMemoryConfig config;
  config.jitter.value = 100_ns;
  host_memory memory("memory", config, 2_ns, 1), untouched("memory_2", config, 2_ns, 1);
  cpu.socket.bind(memory.socket);
  initiator other("other");
  other.socket.bind(untouched.socket);
  elaborate();
  auto data = counting(9000);
  tlm::tlm_generic_payload p;
  fill(p, tlm::TLM_WRITE_COMMAND, 4000, data);
  EXPECT_EQ(cpu.socket->transport_dbg(p), 9000u);
  EXPECT_EQ(memory.pages(), 4u);
  std::vector<unsigned char> back(9000);
  fill(p, tlm::TLM_READ_COMMAND, 4000, back);
  EXPECT_EQ(cpu.socket->transport_dbg(p), 9000u);
  EXPECT_EQ(back, data);
  std::vector<unsigned char> far(100, 1);
  fill(p, tlm::TLM_READ_COMMAND, std::uint64_t{1} << 60, far);
  EXPECT_EQ(cpu.socket->transport_dbg(p), 100u);
  EXPECT_EQ(far, std::vector<unsigned char>(100));
  EXPECT_EQ(memory.pages(), 4u);  // reading makes no page
  // It has no byte enables (IEEE 1666, 11.3): what is set there is not looked at.
  std::array<unsigned char, 1> none = {TLM_BYTE_DISABLED};
  fill(p, tlm::TLM_READ_COMMAND, 4000, far);
  p.set_byte_enable_ptr(none.data());
  p.set_byte_enable_length(1);
  EXPECT_EQ(cpu.socket->transport_dbg(p), 100u);
  EXPECT_EQ(far, std::vector<unsigned char>(data.begin(), data.begin() + 100));
  fill(p, tlm::TLM_READ_COMMAND, ~std::uint64_t{0} - 9, far);
  EXPECT_EQ(cpu.socket->transport_dbg(p), 10u);
  fill(p, tlm::TLM_IGNORE_COMMAND, 0, far);
  EXPECT_EQ(cpu.socket->transport_dbg(p), 0u);
}

}  // namespace
}  // namespace horae::test::pcie_memory_test
