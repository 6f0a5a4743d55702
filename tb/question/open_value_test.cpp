// An open value of the platform: its text at a position of its scale, and back.
#include "horae/question/open_value.hpp"

#include <gtest/gtest.h>

#include "refusal.hpp"

namespace horae::question::open_value_test {
namespace {

const nlohmann::ordered_json effective = {
    {"nic", {{"time", "2 us"}, {"bytes", "4 KiB"}, {"rate", "10 Gbps"}, {"share", 0.5}, {"n", 3}}}};

ParameterSpec spec(const std::string& key, const std::string& low, const std::string& high,
                   Scale scale = Scale::linear) {
  ParameterSpec p;
  p.key.value = "nic." + key;
  p.low.value = low;
  p.high.value = high;
  p.scale = scale;
  return p;
}

TEST(OpenValue, IsAtItsShareOfALinearScale) {
  const ParameterSpec p = spec("time", "1us", "5us");
  const OpenValue v(p, effective);
  EXPECT_EQ(v.text(0), "1 us");
  EXPECT_EQ(v.text(0.25), "2 us");
  EXPECT_EQ(v.text(1), "5 us");
  EXPECT_DOUBLE_EQ(v.position("2us"), 0.25);
  EXPECT_DOUBLE_EQ(v.position("4500ns"), 0.875);
}

TEST(OpenValue, IsAtItsShareOfALogarithmicScale) {
  const ParameterSpec p = spec("bytes", "1KiB", "256KiB", Scale::log);
  const OpenValue v(p, effective);
  EXPECT_EQ(v.text(0.5), "16380 B");
  EXPECT_DOUBLE_EQ(v.position("4KiB"), 0.25);
  EXPECT_DOUBLE_EQ(v.position("16KiB"), 0.5);
  EXPECT_DOUBLE_EQ(v.position("256KiB"), 1);
}

TEST(OpenValue, OutsideItsBoundsIsAtTheNearest) {
  const ParameterSpec linear = spec("share", "0.2", "0.6"), log = spec("n", "2", "32", Scale::log);
  const OpenValue a(linear, effective), b(log, effective);
  EXPECT_EQ(a.position("0.1"), 0);
  EXPECT_EQ(a.position("0.7"), 1);
  EXPECT_EQ(a.text(-1), "0.2");
  EXPECT_EQ(a.text(2), "0.6");
  EXPECT_EQ(b.position("1"), 0);
  EXPECT_EQ(b.position("64"), 1);
  EXPECT_DOUBLE_EQ(b.position("8"), 0.5);
  EXPECT_EQ(b.text(0.5), "8");
}

TEST(OpenValue, OfAChoiceIsTheMiddleOfItsShare) {
  ParameterSpec p = spec("rate", "", "");
  p.values = {{"10 Gbps", {}}, {"25 Gbps", {}}, {"50 Gbps", {}}, {"100 Gbps", {}}};
  const OpenValue v(p, effective);
  EXPECT_DOUBLE_EQ(v.position("10 Gbps"), 0.125);
  EXPECT_DOUBLE_EQ(v.position("100 Gbps"), 0.875);
  EXPECT_EQ(v.text(0), "10 Gbps");
  EXPECT_EQ(v.text(0.25), "25 Gbps");
  EXPECT_EQ(v.text(1), "100 Gbps");
  for (const auto& value : p.values) EXPECT_EQ(v.text(v.position(value.value)), value.value);
}

TEST(OpenValue, ComesBackFromItsText) {
  for (const Scale scale : {Scale::linear, Scale::log}) {
    for (const auto& p : {spec("time", "20ns", "3us", scale), spec("bytes", "64B", "1MiB", scale),
                          spec("rate", "1Gbps", "400Gbps", scale),
                          spec("share", "0.01", "0.99", scale), spec("n", "1", "4000", scale)}) {
      const OpenValue v(p, effective);
      for (double at = 0; at <= 1; at += 0.125)
        EXPECT_EQ(v.text(v.position(v.text(at))), v.text(at)) << v.key() << " " << at;
    }
  }
}

TEST(OpenValue, RefusesBoundsThatAreNone) {
  const auto refused = [](const ParameterSpec& p) {
    return test::refusal_of([&] { OpenValue v(p, effective); });
  };
  EXPECT_EQ(refused(spec("time", "2us", "2us")), "'nic.time': high = 2us is not above low = 2us");
  EXPECT_EQ(refused(spec("share", "0", "1", Scale::log)),
            "'nic.share': low = 0, but a log scale begins above zero");
  EXPECT_EQ(refused(spec("n", "1.5", "4")),
            "low of 'nic.n': expected a whole number in quotes, found '1.5'");
  EXPECT_EQ(refused(spec("rat", "1", "4")),
            "'nic.rat' names no value of the platform, did you mean 'nic.rate'?");
}

}  // namespace
}  // namespace horae::question::open_value_test
