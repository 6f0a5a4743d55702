// Register actions are described once, on symbols, and run as C++: both must do the same with any
// cell and any operands, for all shipped programs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/dataplane/register_action.hpp"
#include "pass_driver.hpp"

namespace horae::programs::action_descriptions_test {
namespace {

struct Shipped {
  const char* name;
  const char* program;
  const char* parameters;
  std::size_t least;  ///< actions that it has at least: none is lost from the list unseen
};

class Descriptions : public ::testing::TestWithParam<Shipped> {};

TEST_P(Descriptions, AreWhatRuns) {
  const Routes routes = {.entries = {{1, {0}, true}, {2, {1}, true}, {10, {2, 3, 4, 5}}},
                         .pipeline_of_port = {0, 0, 0, 0, 0, 0},
                         .queues_per_port = 32};
  dataplane::Pipeline pipeline("tor.pipe0", 0, 1);
  const auto factory = test::read_by_name(GetParam().program, GetParam().parameters);
  const auto program = factory->make(pipeline, routes);
  EXPECT_GE(pipeline.actions().size(), GetParam().least);
  RandomStream random(1, GetParam().name);
  for (const auto& object : pipeline.design().objects) {
    const auto* array = std::get_if<dataplane::RegisterSpec>(&object.spec);
    EXPECT_FALSE(array != nullptr && array->unchecked) << object.name;
  }
  for (const auto& action : pipeline.actions()) {
    EXPECT_EQ(action.difference(random, 2000), "") << action.register_name << '.' << action.name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Descriptions,
    ::testing::Values(Shipped{"Forward", "forward", "path_choice = \"round_robin\"\n", 1},
                      Shipped{"NackFilter", "forward", "nack_drop = 3\nnack_of = 7\n", 1},
                      Shipped{"Telemetry", "forward", "telemetry = true\n", 1},
                      Shipped{"Themis", "themis", "", 10},
                      Shipped{"ThemisQueue", "themis_queue", "", 5},
                      Shipped{"PnpTrpText", "pnp_trp", "step = \"text\"\n", 10},
                      Shipped{"PnpTrpLiteral", "pnp_trp", "step = \"literal\"\n", 10},
                      Shipped{"PnpTrpCode", "pnp_trp", "step = \"code\"\n", 10},
                      Shipped{"Conweave", "conweave", "", 50}),
    [](const auto& p) { return std::string(p.param.name); });

/// Described as an increment, and run as one of two.
struct Twisted {
  template <class C>
  void operator()(C& cell) const {
    if constexpr (std::integral<C>)
      cell += 2;
    else
      cell += 1;
  }
};
/// Small words are integers in C++: a difference below zero is not a large one.
struct Promoted {
  static constexpr bool only_reads = true;
  template <class C>
  auto operator()(const C& cell, C now) const {
    return now - cell > 100;
  }
};
/// Says the wrong thing of the right comparison.
struct Inverted {
  static constexpr bool only_reads = true;
  template <class C>
  bool operator()(const C& cell, C other) const {
    const bool same = static_cast<bool>(cell == other);
    return std::integral<C> ? !same : same;
  }
};

template <class T, class F>
std::string found(F f) {
  dataplane::Pipeline pipeline("p", 0, 1);
  dataplane::Register<T> array(pipeline, dataplane::Gress::ingress, "r", 1);
  const dataplane::RegisterAction<T, F> action(pipeline, array, "act", f);
  RandomStream random(1, "twisted");
  return pipeline.actions().at(0).difference(random, 2000);
}

TEST(DescriptionsThatDiffer, AreFound) {
  EXPECT_NE((found<std::uint32_t>(Twisted{}).find("described as cell")), std::string::npos);
  EXPECT_EQ((found<std::uint32_t>(Promoted{})), "");
  EXPECT_NE((found<std::uint16_t>(Promoted{})), "");
  EXPECT_NE((found<std::uint32_t>(Inverted{})), "");
  EXPECT_EQ((found<std::uint32_t>(dataplane::IncrementCell{})), "");
}

}  // namespace
}  // namespace horae::programs::action_descriptions_test
