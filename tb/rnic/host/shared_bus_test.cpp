// NICs that share a bus and a memory of a user's own: the same results whatever the scheduling.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "forked.hpp"
#include "nic_parts.hpp"
#include "star.hpp"
#include "users_memory.hpp"

namespace horae::test::shared_bus_test {
namespace {

using fabric::scheduling;
using fabric::sim_context;
using rnic::HostCalls;
using rnic::HostModel;
using Payload = tlm::tlm_generic_payload;

/// A wire of 64 GB/s that accesses take one after the other, first come first served. `waits`: the
/// time goes by in b_transport; else it is annotated.
class shared_bus : public sc_core::sc_module {
 public:
  shared_bus(sc_core::sc_module_name name, bool waits) : sc_module(name), waits_(waits) {
    in.register_b_transport(this, &shared_bus::b_transport);
  }
  tlm_utils::multi_passthrough_target_socket<shared_bus> in{"in"};
  tlm_utils::simple_initiator_socket<shared_bus> out{"out"};
  std::string log;  ///< of all accesses, as they came

 private:
  void b_transport(int from, Payload& p, sc_time& delay) {
    const sc_time at = sc_core::sc_time_stamp() + delay;
    log += fmt::format("{} {} {:x} {}\n", fabric::from_sc_time(at).count(), from, p.get_address(),
                       p.get_data_length());
    const sc_time start = std::max(at, free_at_);
    free_at_ = start + sc_time(p.get_data_length() * 15.6, sc_core::SC_PS);
    if (waits_) {
      sc_core::wait(free_at_ - sc_core::sc_time_stamp());
      delay = sc_core::SC_ZERO_TIME;
    } else {
      delay = free_at_ - sc_core::sc_time_stamp();
    }
    out->b_transport(p, delay);
  }
  bool waits_;
  sc_time free_at_;
};

enum class Memory { annotated, waits, phases };

struct Schedule {
  scheduling mode = scheduling::windowed;
  Picoseconds window{};
  int steps = 1;
};
constexpr Schedule schedules[] = {{},
                                  {scheduling::exact_wake, {}, 1},
                                  {scheduling::windowed, 50_ns, 1},
                                  {scheduling::windowed, 20_ns, 1},
                                  {scheduling::windowed, {}, 100},
                                  {scheduling::exact_wake, {}, 100}};

/// Three NICs around a switch with twelve flows, and one memory: results, and all accesses.
std::string run(Memory kind, const Schedule& how, void (*change)(RnicConfig&)) {
  return in_child([&] {
    sim_context context({.mode = how.mode, .window = how.window});
    RnicConfig config;
    config.host = HostModel::pcie;
    config.reliability.rto = 10_ms;
    if (kind == Memory::phases) config.memory.calls = HostCalls::non_blocking;
    change(config);
    Star star(context, config, {}, {{64_KiB, 0_ps}, {64_KiB, 0_ps}}, 400_Gbps, 300_ns);
    const auto flow = [&](unsigned a, unsigned b) {
      connect_queue_pairs(*star.nics[a], *star.nics[b], {.a_to_b = messages(32_KiB, 4)});
    };
    for (int k = 0; k < 3; ++k) {
      flow(0, 2);
      flow(1, 2);
      flow(2, 0);
    }
    std::unique_ptr<phased_memory> phased;
    std::unique_ptr<shared_bus> bus;
    std::unique_ptr<users_memory> memory;
    if (kind == Memory::phases) {
      phased = std::make_unique<phased_memory>("phased", [](std::uint64_t address) {
        return ns(40 + 80 * static_cast<double>(address / 512 % 4));
      });
    } else {
      const bool waits = kind == Memory::waits;
      bus = std::make_unique<shared_bus>("bus", waits);
      memory = std::make_unique<users_memory>("memory",
                                              waits ? users_memory::waits : users_memory::good);
      bus->out.bind(memory->socket);
    }
    std::vector<const Nic*> all;
    for (const auto& nic : star.nics) {
      phased ? nic->host()->memory.bind(phased->socket) : nic->host()->memory.bind(bus->in);
      all.push_back(nic.get());
    }
    for (int i = 1; i <= how.steps; ++i) run_on(context, 2_ms * i / how.steps);
    for (const Nic* nic : all) EXPECT_TRUE(nic->finished());
    EXPECT_EQ(context.pool.live(), 0u);
    if (phased) {
      EXPECT_GT(phased->overtaken, 100u);
      return counted(all);
    }
    EXPECT_GT(memory->accesses, 3000u);
    return counted(all) + bus->log;
  });
}

void expect_equal(
    Memory kind, void (*change)(RnicConfig&) = [](RnicConfig&) {}) {
  const std::string first = run(kind, schedules[0], change);
  for (const Schedule& how : schedules) {
    const std::string other = run(kind, how, change);
    const auto differs = std::mismatch(first.begin(), first.end(), other.begin(), other.end());
    EXPECT_TRUE(first == other) << first.substr(
        static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, differs.first - first.begin() - 200)),
        400);
  }
}

TEST(SharedBus, ThatAnnotatesItsDelayGivesTheSameUnderEverySchedule) {
  expect_equal(Memory::annotated);
}

TEST(SharedBus, ThatWaitsGivesTheSameUnderEverySchedule) { expect_equal(Memory::waits); }

TEST(SharedBus, InFourPhasesGivesTheSameUnderEverySchedule) { expect_equal(Memory::phases); }

// Contexts that are fetched, packets that wait for them, and a limited number of misses.
TEST(SharedBus, WithContextsInHostMemoryGivesTheSameUnderEverySchedule) {
  expect_equal(Memory::annotated, [](RnicConfig& config) {
    config.sram.limited = true;
    config.cache = rnic::CachesConfig{.misses = 2};
    config.cache->queue_pair = rnic::CacheConfig{.entries = 2, .ways = 2};
  });
}

// Threads that post, gathered payload, CQEs that the host looks for.
TEST(SharedBus, WithPostingAndPollingGivesTheSameUnderEverySchedule) {
  expect_equal(Memory::annotated, [](RnicConfig& config) {
    config.post = rnic::PostConfig{};
    config.post->sges = 3;
    config.cq = rnic::CqConfig{};
    config.cq->messages = 2;
  });
}

// NACKs whose service reads host memory twice.
TEST(SharedBus, WithLossesGivesTheSameUnderEverySchedule) {
  expect_equal(Memory::annotated, [](RnicConfig& config) {
    config.sram.rx_buffer = 32_KiB;
    config.transport = "go_back_n";
    config.reliability.rto = 30_us;
  });
}

}  // namespace
}  // namespace horae::test::shared_bus_test
