// The host sockets of all shipped platforms, questions and P4 ones included, with the checker of
// the base protocol on each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "forked.hpp"
#include "horae/core/error.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/p4chip/p4_program.hpp"
#include "horae/params/document.hpp"
#include "horae/programs/plugin.hpp"
#include "horae/rnic/base_protocol_checker.hpp"
#include "horae/workload/read_platform.hpp"

namespace horae::host_sockets_test {
namespace {

using Checker = rnic::base_protocol_checker<>;
using elaboration::Simulation;

/// All files that are platforms but loads of the benchmarks, and those of plug-ins, which are built
/// apart.
std::vector<std::string> shipped_platforms() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(HORAE_PLATFORM_DIR)) {
    const bool load = entry.path().parent_path().filename() == "bench";  // thousands of NICs
    if (entry.path().extension() != ".toml" || load) continue;
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (("\n" + text).find("\n[platform]") == std::string::npos) continue;
    if (("\n" + text).find("\nplugins = ") == std::string::npos) all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// Memory of each NIC behind a checker; how it ended.
struct Checked {
  explicit Checked(Simulation& simulation) {
    for (auto* nic : simulation.nics()) {
      if (nic->host() == nullptr) continue;
      checkers.push_back(std::make_unique<Checker>(sc_core::sc_gen_unique_name("checker")));
      memories.push_back(std::make_unique<rnic::host_memory>(
          sc_core::sc_gen_unique_name("memory"), nic->config().memory,
          nic->host()->time_to_target(), 1, nic->config().memory.path));
      nic->host()->memory.bind(checkers.back()->target_socket);
      checkers.back()->initiator_socket.bind(memories.back()->socket);
    }
  }
  std::string told() const {
    std::uint64_t calls = 0, broken = 0;
    for (const auto& checker : checkers) {
      calls += checker->calls();
      broken += checker->count();
    }
    if (checkers.empty()) return "0 broken, no host";
    return fmt::format("{} broken, {} calls", broken, calls > 0 ? "some" : "no");
  }
  std::vector<std::unique_ptr<Checker>> checkers;
  std::vector<std::unique_ptr<rnic::host_memory>> memories;
};

std::string check(const std::string& file, const std::vector<std::string>& settings) {
  return test::in_child([&] {
    sc_core::sc_report_handler::set_actions(Checker::report_type, sc_core::SC_DO_NOTHING);
    try {
      programs::add_program(p4chip::p4_entry());
    } catch (const InputError&) {  // a test before this one has it from horae::Platform
    }
    const auto platform = workload::read_platform(Document::load(file, settings));
    Simulation simulation(platform);
    const Checked checked(simulation);
    simulation.context().clock.run_to(20_us);
    return checked.told();
  });
}

/// With the NIC's calls as they are, or as `calls` says.
void check_all(const std::vector<std::string>& calls) {
  unsigned with_host = 0, made_so = 0;
  for (const std::string& file : shipped_platforms()) {
    const std::string as_shipped = check(file, {});
    if (as_shipped != "0 broken, no host") {
      EXPECT_EQ(calls.empty() ? as_shipped : check(file, calls), "0 broken, some calls") << file;
      ++with_host;
      continue;
    }
    // Without a host as it is shipped: with one, where it has NICs.
    const std::string as_asked = [&] {
      try {
        std::vector<std::string> settings = calls;
        settings.push_back("nic.host=pcie");
        return check(file, settings);
      } catch (const test::ChildFailure& e) {
        return std::string(e.what());
      }
    }();
    if (as_asked.find("broken") == std::string::npos) {
      std::printf("%s: %s\n", file.c_str(), as_asked.c_str());
      continue;
    }
    EXPECT_TRUE(as_asked.starts_with("0 broken")) << file << ": " << as_asked;
    made_so += as_asked == "0 broken, some calls" ? 1 : 0;
  }
  EXPECT_GE(with_host, 20u);
  EXPECT_GE(made_so, 15u);
}

TEST(HostSockets, OfAllShippedPlatformsKeepTheBaseProtocol) { check_all({}); }

TEST(HostSockets, OfAllShippedPlatformsKeepItWithoutBlocking) {
  check_all({"nic.memory.calls=non_blocking"});
}

}  // namespace
}  // namespace horae::host_sockets_test
