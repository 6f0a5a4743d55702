// Model and RTL of Eunomia's ordering layer do the same, packet by packet and bit by bit.
#include "horae/rtl/lockstep.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

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

namespace horae::lockstep_test {
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
  return std::make_unique<EunomiaEngine>(rtl::config_of(v.shape).parameters);
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
  for (auto t :
       {Tracking::in_order, Tracking::out_of_order, Tracking::duplicate, Tracking::rejected}) {
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

// Registers that nothing sets at reset (master array, expected PSNs) may hold anything.
TEST(Lockstep, RandomContentsAtPowerUpDoNotMatter) {
  const auto& v = rtl::find_eunomia_variant("small");
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    LockstepEngine engine(model_of(v), std::make_unique<EunomiaRtl>(v, seed));
    drive(engine, 16, 120, 5000, seed);
    engine.compare_whole();
  }
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Rising edges of the clock in a waveform.
std::size_t clocks_in(const std::string& vcd) {
  const auto named = vcd.find(" clk $end");
  if (named == std::string::npos) return 0;
  const std::string id =
      vcd.substr(vcd.rfind(' ', named - 1) + 1, named - vcd.rfind(' ', named - 1) - 1);
  std::size_t n = 0;
  for (auto at = vcd.find("\n1" + id + "\n"); at != std::string::npos;
       at = vcd.find("\n1" + id + "\n", at + 1)) {
    ++n;
  }
  return n;
}

// A line of the RTL is wrong (hd_bitmap.sv, EUNOMIA_BREAK): the run of packets that an arrival
// completes ends with the circular portion.
TEST(Lockstep, FindsAWrongLine) {
  const Folder folder("lockstep");
  auto engine = lockstep("broken", {.folder = folder.path.string()});
  try {
    drive(*engine, 16, 120, 100'000);
    FAIL() << "nothing was found";
  } catch (const ModelError& e) {
    const std::string what = e.what();
    EXPECT_EQ(what.find('\n'), std::string::npos);
    EXPECT_NE(what.find("eunomia: model and RTL 'broken' differ at request "), std::string::npos);
    EXPECT_LT(std::stoul(what.substr(what.find("request ") + 8)), 5000u) << what;
  }
  const std::string model = text_of(folder.path / "model.txt");
  const std::string rtl = text_of(folder.path / "rtl.txt");
  EXPECT_NE(model.find("metadata_start_index["), std::string::npos);
  EXPECT_NE(rtl.find("metadata_start_index["), std::string::npos);
  // The last thousand clocks; a request is not cut.
  const std::size_t clocks = clocks_in(text_of(folder.path / "waveform.vcd"));
  EXPECT_GT(clocks, 800u);
  EXPECT_LE(clocks, 1000u);
}

/// A model that overlooks the marks of last packets after a while.
class ForgetfulModel : public LockstepEngine {
 public:
  using LockstepEngine::LockstepEngine;
  std::uint64_t forgot = 0;

 private:
  OrderingAnswer ask_model(const OrderingPacket& packet) override {
    OrderingPacket seen = packet;
    ++packets_;
    if (packets_ > 2000 && packet.last) {
      seen.last = false;
      ++forgot;
    }
    return LockstepEngine::ask_model(seen);
  }
  std::uint64_t packets_ = 0;
};

TEST(Lockstep, FindsAWrongModel) {
  const Folder folder("forgetful");
  const auto& v = rtl::find_eunomia_variant("paper");
  ForgetfulModel engine(model_of(v), std::make_unique<EunomiaRtl>(v),
                        LockstepOptions{.folder = folder.path.string()});
  EXPECT_THROW(drive(engine, 96, 300, 100'000), ModelError);
  EXPECT_GT(engine.forgot, 0u);
  EXPECT_LT(engine.forgot, 100u);
  EXPECT_TRUE(fs::exists(folder.path / "waveform.vcd"));
}

// A word of the bitmap that no answer shows yet: the whole state is compared too.
TEST(Lockstep, ComparesWordsThatNoAnswerShows) {
  const auto& v = rtl::find_eunomia_variant("small");
  auto model = model_of(v);
  auto rtl = std::make_unique<EunomiaRtl>(v);
  model->on_packet({.connection = 1, .psn = Psn(2), .head = Psn(0), .last = false});
  rtl->on_packet({.connection = 1, .psn = Psn(3), .head = Psn(0), .last = false});
  const Folder folder("words");
  const LockstepEngine engine(std::move(model), std::move(rtl), {.folder = folder.path.string()});
  try {
    engine.compare_whole();
    FAIL() << "nothing was found";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("master_array[0] is 4 in the model, 8 in the RTL"),
              std::string::npos)
        << e.what();
  }
}

TEST(Lockstep, RefusesOtherParameters) {
  const auto& v = rtl::find_eunomia_variant("small");
  EXPECT_THROW(
      LockstepEngine(model_of(rtl::find_eunomia_variant("paper")), std::make_unique<EunomiaRtl>(v)),
      ModelError);
}

}  // namespace
}  // namespace horae::lockstep_test
