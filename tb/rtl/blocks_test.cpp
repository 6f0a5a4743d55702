// Blocks outside the tree in the place of a model, and the rules that all hardware on these pins
// keeps.
#include <gtest/gtest.h>

#include <filesystem>

#include "horae/core/error.hpp"
#include "horae/policy/ordering/ordering_hardware.hpp"
#include "horae/rtl/ordering.hpp"
#include "traffic.hpp"
#include "wrong_run.hpp"

namespace horae::blocks_test {
namespace {

using policy::OrderingConfig;

OrderingConfig static_16(const std::string& level, const std::string& rtl) {
  OrderingConfig c;
  c.engine = "static";
  c.level = level;
  c.parameters = policy::PolicyParameters::with(policy::BitmapReach{.bits = 16},
                                                policy::OrderingHardware{.rtl = rtl});
  return c;
}

std::string refusal(const OrderingConfig& c) {
  try {
    rtl::make_ordering(c);
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

/// Fault that ended the run; empty: none.
std::string drive(policy::OrderingEngine& engine, int requests) {
  tb::OrderingTraffic traffic(1, 256, 20);
  try {
    for (int i = 0; i < requests; ++i) {
      std::uint32_t closed = 0;
      if (const auto packet = traffic.next(closed))
        traffic.answered(packet->connection, engine.on_packet(*packet));
      else
        engine.close(closed);
    }
  } catch (const ModelError& e) {
    return e.what();
  }
  return {};
}

TEST(Blocks, OneOutsideTheTreeDoesWhatItsModelDoes) {
  const auto engine = rtl::make_ordering(static_16("both", "reorder_window"));
  auto& both = dynamic_cast<rtl::OrderingLockstep&>(*engine);
  EXPECT_EQ(drive(both, 20'000), "");
  EXPECT_EQ(both.requests(), 20'000u);
  EXPECT_EQ(both.hardware().name(), "reorder_window");
  EXPECT_EQ(both.hardware().connections(), 256u);
  EXPECT_GT(both.memory().total(), 0_B);
}

TEST(Blocks, AWrongLineEndsTheRun) {
  const rtl_test::Folder folder("horae_blocks");
  const auto engine = rtl::make_ordering(static_16("both", "reorder_window_wrong"),
                                         {.folder = folder.path.string()});
  const std::string said = drive(*engine, 20'000);
  EXPECT_EQ(said.find("reorder_window_wrong: model and RTL differ at request "), 0u) << said;
  EXPECT_NE(said.find("advanced is "), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos);
  EXPECT_GT(std::filesystem::file_size(folder.path / "waveform.vcd"), 1000u);
}

TEST(Blocks, TheFirstThatFitsIsTakenWithoutAName) {
  const auto engine = rtl::make_ordering(static_16("rtl", ""));
  EXPECT_EQ(dynamic_cast<rtl::OrderingRtl&>(*engine).name(), "reorder_window");
}

TEST(Blocks, WhatDoesNotFitIsRefused) {
  OrderingConfig c = static_16("both", "reorder_window");
  c.parameters.of<policy::BitmapReach>().bits = 32;
  EXPECT_EQ(refusal(c),
            "rtl = 'reorder_window' is \"engine=static bits=16\"; found bits = 32, expected 16");
  EXPECT_NE(refusal(static_16("rtl", "reorder_windov"))
                .find("rtl = 'reorder_windov' was not built, did you mean 'reorder_window'?"),
            std::string::npos);
  c.parameters.of<policy::OrderingHardware>().rtl.clear();
  EXPECT_EQ(refusal(c), "level = 'both': engine 'static' has no RTL, only 'eunomia' has");
}

/// Pins as a test has them move: `fault` is the rule they break.
class Faulty final : public rtl::OrderingTop {
 public:
  static inline std::string fault;
  static std::unique_ptr<rtl::OrderingTop> make(std::uint32_t) {
    return std::make_unique<Faulty>();
  }

  void clock(const rtl::OrderingInputs& in) override {
    if (in.reset) return;
    ++clocks_;
    out_.response_valid =
        (in.request_valid && fault != "none") || (fault == "stays" && clocks_ < 4);
    out_.request_ready = fault != "busy" || clocks_ < 2;
  }
  rtl::OrderingOutputs outputs() const override {
    auto now = out_;
    if (fault == "unasked" && clocks_ == 0) now.response_valid = true;
    return now;
  }
  std::string save() override { return {}; }
  void restore(const std::string&) override {}
  void start_waveform(const std::string&) override {}
  void stop_waveform() override {}

 private:
  int clocks_ = 0;
  rtl::OrderingOutputs out_{.request_ready = true};
};

class FaultyRtl final : public rtl::OrderingRtl {
 public:
  FaultyRtl() : OrderingRtl("faulty", 4, Faulty::make(0), Faulty::make) {}
  policy::OrderingMemory memory() const override { return {}; }
  Bytes provided(std::uint32_t) const override { return Bytes(0); }
};

/// Fault after two requests to such pins.
std::string broken(const std::string& fault) {
  Faulty::fault = fault;
  FaultyRtl hardware;
  try {
    for (int i = 0; i < 2; ++i)
      hardware.on_packet({.connection = 0, .psn = Psn(0), .head = Psn(0), .last = false});
  } catch (const ModelError& e) {
    return e.what();
  }
  return {};
}

TEST(PinRules, AreAskedOfEveryRequest) {
  EXPECT_EQ(broken(""), "");
  EXPECT_EQ(broken("busy"), "not ready for a request");
  EXPECT_EQ(broken("unasked"), "a response without a request");
  EXPECT_EQ(broken("stays"), "response_valid stays after the response was taken");
  EXPECT_EQ(broken("none"), "no response after 1000000 clocks");
}

}  // namespace
}  // namespace horae::blocks_test
