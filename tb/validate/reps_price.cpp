// Prints what entropy schemes, transports and congestion controls keep for each queue pair, and
// what that takes of a NIC's on-chip memory, as CSV. REPS's SACK transport has the paper's window,
// 151 packets.
//   horae_reps_price
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "horae/policy/entropy/reps.hpp"
#include "horae/policy/transport/spray_sr.hpp"
#include "horae/rnic/memory/policy_state.hpp"
#include "horae/rnic/nic_spec.hpp"

namespace horae::validate {
namespace {

constexpr std::uint32_t window = 151;

using Case = std::pair<std::string, rnic::RnicConfig>;

std::vector<Case> cases(const rnic::RnicConfig& nic) {
  std::vector<Case> out;
  for (const policy::EntropyEntry& entry : policy::entropy_schemes()) {
    rnic::RnicConfig c = nic;
    c.entropy.scheme = std::string(entry.name);
    if (entry.name == "bitmap") c.entropy.values = 256;  // as in most of the paper's runs
    out.emplace_back(c.entropy.scheme, c);
    if (entry.name != "reps") continue;
    c.entropy.parameters = policy::PolicyParameters::with(policy::RepsParameters{.ring = 1});
    out.emplace_back("reps with a ring of 1", c);
  }
  for (const auto& [name, timer] : {std::pair{"packet", policy::SendTimer::packet},
                                    {"16 packets", policy::SendTimer::group},
                                    {"connection", policy::SendTimer::connection}}) {
    rnic::RnicConfig c = nic;
    c.transport = "spray_sr";
    c.reliability.parameters =
        policy::PolicyParameters::with(policy::SprayParameters{.timer = timer});
    out.emplace_back(fmt::format("spray_sr with a time per {}", name), c);
  }
  for (const policy::CongestionEntry& entry : policy::congestion_algorithms()) {
    if (entry.state == nullptr) continue;
    rnic::RnicConfig c = nic;
    c.congestion.algorithm = std::string(entry.name);
    out.emplace_back(c.congestion.algorithm, c);
  }
  return out;
}

void print() {
  fmt::print("nic,state,queue_pairs,bits,bytes,percent\n");
  for (const char* name : {"connectx5", "connectx7"}) {
    rnic::RnicConfig nic = rnic::NicSpec::find({name, {}}).config();
    nic.reliability.window = window;
    for (const auto& [label, config] : cases(nic)) {
      const auto states = rnic::policy_states(config);
      // That of `fixed` is in the context that every queue pair has.
      const std::uint64_t bits = states.empty() ? 0 : states.front().bits();
      const Bytes bytes = states.empty() ? Bytes(0) : states.front().bytes();
      for (const std::int64_t queue_pairs : {1'000, 10'000, 100'000}) {
        const Bytes all = bytes * queue_pairs;
        fmt::print(
            "{},{},{},{},{},{:.3f}\n", name, label, queue_pairs, bits, all.count(),
            100.0 * static_cast<double>(all.count()) / static_cast<double>(nic.sram.total.count()));
      }
    }
  }
}

}  // namespace
}  // namespace horae::validate

int main(int argc, char** argv) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}

int sc_main(int, char**) {
  horae::validate::print();
  return 0;
}
