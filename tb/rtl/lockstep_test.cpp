// Model and RTL of Eunomia's ordering layer do the same, packet by packet and bit by bit.
#include "horae/rtl/lockstep.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "horae/core/error.hpp"
#include "horae/rtl/ordering.hpp"
#include "traffic.hpp"

namespace horae {
namespace {

using policy::EunomiaEngine;
using policy::OrderingAnswer;
using policy::OrderingPacket;
using policy::Rejection;
using policy::Tracking;
using rtl::EunomiaRtl;
using rtl::LockstepEngine;
using rtl::LockstepOptions;

namespace fs = std::filesystem;

std::uint64_t operations(std::uint64_t usual) {
  const char* asked = std::getenv("HORAE_RTL_OPERATIONS");
  return asked == nullptr ? usual : std::strtoull(asked, nullptr, 10);
}

/// A folder of the test's own that is gone afterwards.
struct Folder {
  explicit Folder(const std::string& name)
      : path(fs::temp_directory_path() / ("horae_" + name + std::to_string(::getpid()))) {}
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

std::unique_ptr<EunomiaEngine> model_of(const rtl::EunomiaVariant& v) {
  return std::make_unique<EunomiaEngine>(rtl::config_of(v.shape));
}

std::unique_ptr<LockstepEngine> lockstep(const std::string& variant,
                                         const LockstepOptions& options = {}) {
  const auto& v = rtl::find_eunomia_variant(variant);
  return std::make_unique<LockstepEngine>(model_of(v), std::make_unique<EunomiaRtl>(v), options);
}

/// How often the cases came.
struct Cases {
  std::map<Tracking, std::uint64_t> tracking;
  std::map<Rejection, std::uint64_t> rejection;
  std::uint64_t completed = 0;
  std::uint64_t long_runs = 0;
};

Cases drive(policy::OrderingEngine& engine, std::uint32_t connections, std::uint32_t reach,
            std::uint64_t n, std::uint64_t seed = 1) {
  tb::OrderingTraffic traffic(seed, connections, reach);
  Cases cases;
  for (std::uint64_t i = 0; i < n; ++i) {
    std::uint32_t closed = 0;
    const auto packet = traffic.next(closed);
    if (!packet) {
      engine.close(closed);
      continue;
    }
    const OrderingAnswer answer = engine.on_packet(*packet);
    traffic.answered(packet->connection, answer);
    ++cases.tracking[answer.tracking];
    ++cases.rejection[answer.rejection];
    cases.completed += answer.completed;
    cases.long_runs += answer.advanced > 16;
  }
  return cases;
}

void run_variant(const std::string& name, std::uint32_t connections, std::uint64_t n) {
  const auto& shape = rtl::find_eunomia_variant(name).shape;
  auto engine = lockstep(name);
  const auto begin = std::chrono::steady_clock::now();
  const Cases cases = drive(*engine, connections, shape.cap_bits + shape.cap_bits / 4, n);
  engine->compare_whole();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const double clocks = static_cast<double>(engine->rtl().clocks());
  std::cout << name << ": " << n << " requests, " << engine->rtl().clocks() << " clocks, "
            << took.count() << " s, " << clocks / took.count() << " clocks/s\n";
  // Every case was there.
  for (auto t : {Tracking::in_order, Tracking::out_of_order, Tracking::duplicate,
                 Tracking::rejected}) {
    EXPECT_GT(cases.tracking.contains(t) ? cases.tracking.at(t) : 0, n / 1000) << int(t);
  }
  for (auto r : {Rejection::reach, Rejection::no_block, Rejection::no_metadata}) {
    EXPECT_GT(cases.rejection.contains(r) ? cases.rejection.at(r) : 0, n / 10000) << int(r);
  }
  EXPECT_GT(cases.completed, n / 10000);
  EXPECT_GT(cases.long_runs, 0u);
}

TEST(Lockstep, SmallRegisters) { run_variant("small", 16, operations(100'000)); }
TEST(Lockstep, SmallBlockRam) { run_variant("small_ram", 16, operations(50'000)); }
TEST(Lockstep, WidePort) { run_variant("small_wide", 16, operations(50'000)); }
TEST(Lockstep, PapersSize) { run_variant("paper", 96, operations(100'000)); }
TEST(Lockstep, PapersSizeInBlockRam) { run_variant("block_ram", 96, operations(20'000)); }

}  // namespace
}  // namespace horae
