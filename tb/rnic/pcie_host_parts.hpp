// Shared by tests of the host interface and of host memory.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <numeric>
#include <systemc>
#include <vector>

#include "horae/fabric/context.hpp"
#include "horae/fabric/packet_link.hpp"
#include "horae/rnic/host/host_interface.hpp"

namespace horae::test {

using rnic::host_interface;
using rnic::host_memory;
using rnic::HostMemoryConfig;

/// A host with a target of a user's own, and who hears of its answers.
class owned_host : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(owned_host);
  owned_host(sc_core::sc_module_name name, fabric::sim_context& context,
             const rnic::PcieConfig& pcie = {}, const HostMemoryConfig& memory = {})
      : sc_module(name), host("host", pcie, memory, 1) {
    host.serve({&context, 0, true, [this](Picoseconds at, std::uint64_t, std::uint32_t number) {
                  heard_.emplace(at, number);
                  plan();
                }});
    SC_METHOD(take);
    sensitive << next_;
    dont_initialize();
  }
  host_interface host;
  struct Done {
    Picoseconds at{-1};
    bool ok = false;
  };
  /// Calls `access(host, now)` at `now` and runs until it is done.
  template <class Access>
  Done done(Picoseconds now, Access&& access) {
    const auto run = [](Picoseconds t) {
      sc_core::sc_start(fabric::to_sc_time(t - fabric::from_sc_time(sc_core::sc_time_stamp())));
    };
    run(now);
    EXPECT_EQ(access(host, now), never);
    Done done;
    host.when_known([&done](Picoseconds, Picoseconds at, bool ok) { done = {at, ok}; });
    while (done.at < Picoseconds(0)) run(fabric::from_sc_time(sc_core::sc_time_stamp()) + 100_ns);
    return done;
  }

 private:
  void plan() {
    next_.cancel();
    if (heard_.empty()) return;
    next_.notify(fabric::to_sc_time(heard_.begin()->first) - sc_core::sc_time_stamp());
  }
  void take() {
    const auto [at, number] = *heard_.begin();
    heard_.erase(heard_.begin());
    host.take(at, number);
    plan();
  }
  std::multimap<Picoseconds, std::uint32_t> heard_;
  sc_core::sc_event next_{"next"};
};

inline void elaborate() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }

inline std::vector<unsigned char> counting(std::size_t n, unsigned char from = 1) {
  std::vector<unsigned char> out(n);
  std::iota(out.begin(), out.end(), from);
  return out;
}

}  // namespace horae::test
