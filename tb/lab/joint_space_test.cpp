// Position of a joint space: overrides in their order, readings, the reaction.
#include "horae/lab/joint_space.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "left_behind.hpp"

namespace horae::lab::joint_space_test {
namespace {

using Texts = std::vector<std::string>;

const std::string platform = R"([platform]
name = "p"
[nic]
kind = "rnic"
[[device]]
names = ["a", "b"]
profile = "nic"
[[link]]
between = ["a", "b"]
rate = "100 Gbps"
delay = "1 us"
[[traffic]]
kind = "messages"
from = ["a"]
to = ["b"]
)";

question::ParameterSpec range(const std::string& key, const std::string& low,
                              const std::string& high) {
  question::ParameterSpec p;
  p.key.value = key;
  p.low.value = low;
  p.high.value = high;
  return p;
}

Texts texts_of(const std::vector<PointOverride>& overrides) {
  Texts out;
  for (const auto& o : overrides) out.push_back(o.text);
  return out;
}

/// A platform's file in a folder that is gone with it.
class Place {
 public:
  Place() {
    std::string pattern = (std::filesystem::temp_directory_path() / "horae.XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
    std::ofstream(path_ / "p.toml") << platform;
  }
  ~Place() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

question::Question asked(const Place& place) {
  question::Question q;
  q.platform = question::BasePlatform(place.file("p.toml"), {});
  q.request.seeds = 2;
  q.seed = 7;
  question::ConditionSpec plain, reacting;
  plain.id.value = "plain";
  plain.set = {{"nic.ack_delay=9ns", {}}};
  plain.brief = {{"sim.duration=1us", {}}};
  reacting.id.value = "reacting";
  reacting.reaction = true;
  q.observations.conditions = {plain, reacting};
  question::ObservationSpec o;
  o.condition.value = "plain";
  o.quantity.value = "tx_share";
  q.observations.observations = {o};
  question::ParameterSpec mtu;
  mtu.key.value = "nic.mtu";
  mtu.values = {{"1KiB", {}}, {"2KiB", {}}};
  question::ParameterSpec pipes = range("nic.tx_latency", "100 ns", "300 ns");
  pipes.also = {{"nic.rx_latency", {}}};
  q.hypotheses.variants = {{{"as it is", {}}, {}, true}};
  q.hypotheses.nuisances = {mtu, pipes, range("nic.nack_delay", "0 ns", "1 us")};
  question::HypothesisSpec h;
  h.id.value = "h";
  h.set = {{"nic.reliability.window=64", {}}};
  h.parameters = {range("nic.nack_delay", "2 us", "4 us")};
  q.hypotheses.hypotheses = {h};
  question::ReactionSpec first, second;
  first.id.value = "first";
  first.set = {{"nic.shaping=quantum", {}}};
  first.parameters = {range("nic.quantum", "4 KiB", "8 KiB"),
                      range("nic.tx_latency", "1 us", "2 us")};  // a nuisance has it already
  second = first;
  second.id.value = "second";
  second.parameters = {range("nic.qp_rate", "1 Gbps", "3 Gbps")};
  q.hypotheses.reactions = {first, second};
  return q;
}

TEST(JointSpace, HasEachUnknownOnce) {
  const Place place;
  const question::Question q = asked(place);
  const JointSpace space(q, q.hypotheses.hypotheses.front());
  Texts names;
  for (const auto& d : space.dimensions()) names.push_back(name_of(d.unknown) + " " + d.name);
  EXPECT_EQ(names, (Texts{"parameter nic.nack_delay", "nuisance nic.mtu", "nuisance nic.tx_latency",
                          "reaction reaction", "reaction parameter nic.quantum",
                          "reaction parameter nic.qp_rate", "seed seed"}));
}

TEST(JointSpace, MakesOverridesAndASeedOfAPosition) {
  const Place place;
  const question::Question q = asked(place);
  const JointSpace space(q, q.hypotheses.hypotheses.front());
  const JointPoint p = space.at({0.5, 0.75, 0.25, 0.25, 0.5, 0.5, 0.75});
  EXPECT_EQ(p.setting(q.observations.conditions[0]).set,
            (Texts{"nic.ack_delay=9ns", "sim.duration=1us", "nic.mtu=2KiB", "nic.tx_latency=150 ns",
                   "nic.rx_latency=150 ns", "nic.reliability.window=64", "nic.nack_delay=3 us"}));
  EXPECT_EQ(p.setting(q.observations.conditions[1], {"x=1"}).set,
            (Texts{"nic.mtu=2KiB", "nic.tx_latency=150 ns", "nic.rx_latency=150 ns",
                   "nic.reliability.window=64", "nic.nack_delay=3 us", "nic.shaping=quantum",
                   "nic.quantum=6 KiB", "x=1"}));
  EXPECT_EQ(p.seed, 8u);
  ASSERT_EQ(space.readings().size(), 2u);
  EXPECT_EQ(space.readings()[0], question::Readings{});
  EXPECT_EQ(space.readings()[1].rate, question::Readings::Rate::l2);
  EXPECT_TRUE(p.matters[4]);
  EXPECT_FALSE(p.matters[5]);
  const JointPoint other = space.at({0, 0, 0, 0.75, 0.5, 0.5, 0});
  EXPECT_EQ(texts_of(other.reacting), (Texts{"nic.shaping=quantum", "nic.qp_rate=2 Gbps"}));
  EXPECT_EQ(other.seed, 7u);
}

// A search begins with values given as texts: each has its number, and below 1.
TEST(JointSpace, NumbersAreWhereTheirTextsAre) {
  const Place place;
  question::Question q = asked(place);
  q.hypotheses.nuisances[0].values = {{"1KiB", {}}, {"2KiB", {}}, {"4KiB", {}}};
  const JointSpace space(q, q.hypotheses.hypotheses.front());
  const auto& mtu = space.dimensions()[1];
  EXPECT_DOUBLE_EQ(mtu.number("1KiB"), 1.0 / 6);
  EXPECT_DOUBLE_EQ(mtu.number("4KiB"), 5.0 / 6);
  const auto& seed = space.dimensions()[6];
  EXPECT_DOUBLE_EQ(seed.number("7"), 0.25);
  EXPECT_DOUBLE_EQ(seed.number("8"), 0.75);
  EXPECT_DOUBLE_EQ(seed.number("9"), 0.5);  // not one of them: the middle
  const auto& delay = space.dimensions()[0];
  EXPECT_DOUBLE_EQ(delay.number("2.5us"), 0.25);
  EXPECT_LT(delay.number("4us"), 1);
  EXPECT_GT(delay.number("4us"), 1 - 1e-15);
  for (const auto& d : space.dimensions()) {
    for (const double at : {0.0, 0.3, 0.7, 0.99})
      EXPECT_EQ(d.text(d.number(d.text(at))), d.text(at)) << d.name << " " << at;
  }
  EXPECT_EQ(space.numbers_of({{"nic.nack_delay", "3.5us"}, {"seed", "8"}}),
            (std::vector<double>{0.75, 0.5, 0.5, 0.5, 0.5, 0.5, 0.75}));
}

TEST(JointSpace, OneOfSeveralVariantsHoldsBelowNuisances) {
  const Place place;
  question::Question q = asked(place);
  q.hypotheses.variants = {{{"near", {}}, {{"link_default.delay=10ns", {}}}, true},
                           {{"far", {}}, {{"link_default.delay=1us", {}}}, true}};
  const JointSpace two(q, q.hypotheses.hypotheses.front());
  EXPECT_EQ(name_of(two.dimensions()[1].unknown), "variant");
  EXPECT_EQ(two.dimensions()[1].choices, (Texts{"near", "far"}));
  EXPECT_EQ(texts_of(two.at({0.5, 0.75, 0, 0, 0, 0, 0, 0}).platform),
            (Texts{"link_default.delay=1us", "nic.mtu=1KiB", "nic.tx_latency=100 ns",
                   "nic.rx_latency=100 ns", "nic.reliability.window=64", "nic.nack_delay=3 us"}));
  EXPECT_EQ(two.at({0.5, 0.25, 0, 0, 0, 0, 0, 0}).platform.front().text, "link_default.delay=10ns");
  // A single one is no unknown.
  q.hypotheses.variants.pop_back();
  const JointSpace one(q, q.hypotheses.hypotheses.front());
  EXPECT_EQ(one.dimensions().size() + 1, two.dimensions().size());
  EXPECT_EQ(one.at({0.5, 0, 0, 0, 0, 0, 0}).platform.front().text, "link_default.delay=10ns");
}

// Each of two conditions has a value of its own for one key; a third has the nuisance's.
TEST(JointSpace, AParameterOfOneConditionLeavesOthersAlone) {
  const Place place;
  question::Question q = asked(place);
  q.hypotheses.reactions.clear();
  question::ConditionSpec third;
  third.id.value = "third";
  q.observations.conditions.push_back(third);
  auto& parameters = q.hypotheses.hypotheses.front().parameters;
  parameters.push_back(parameters.front());
  parameters[0].condition = Located<std::string>{"plain", {}};
  parameters[1].condition = Located<std::string>{"reacting", {}};
  const JointSpace space(q, q.hypotheses.hypotheses.front());
  Texts names;
  for (const auto& d : space.dimensions()) names.push_back(d.name);
  EXPECT_EQ(names, (Texts{"nic.nack_delay in plain", "nic.nack_delay in reacting", "nic.mtu",
                          "nic.tx_latency", "nic.nack_delay", "seed"}));
  const JointPoint p = space.at({0.25, 0.75, 0, 0, 0.5, 0});
  const auto delays = [&](std::size_t condition) {
    Texts out = p.setting(q.observations.conditions[condition]).set;
    std::erase_if(out, [](const auto& text) { return !text.starts_with("nic.nack_delay="); });
    return out;
  };
  EXPECT_EQ(delays(0),
            (Texts{"nic.nack_delay=500 ns", "nic.nack_delay=2.5 us"}));  // the last holds
  EXPECT_EQ(delays(1), (Texts{"nic.nack_delay=500 ns", "nic.nack_delay=3.5 us"}));
  EXPECT_EQ(delays(2), (Texts{"nic.nack_delay=500 ns"}));
}

TEST(JointSpace, WhereNothingIsOpenTheSeedIs) {
  const Place place;
  question::Question q = asked(place);
  q.request.seeds = 1;
  q.hypotheses.nuisances.clear();
  q.hypotheses.reactions.clear();
  q.hypotheses.hypotheses.front().parameters.clear();
  const JointSpace space(q, q.hypotheses.hypotheses.front());
  ASSERT_EQ(space.dimensions().size(), 1u);
  EXPECT_EQ(space.dimensions()[0].choices, Texts{"7"});
  EXPECT_EQ(space.at({0.5}).seed, 7u);
}

TEST(JointSpace, AReadingOfTheCommandLineIsNotOpen) {
  const Place place;
  question::Question q = asked(place);
  q.request.fixed_readings = {"rate=l2"};
  question::select_reading(q.request.readings, "rate=l2");
  const JointSpace space(q, q.hypotheses.hypotheses.front());
  EXPECT_EQ(space.readings(), std::vector{q.request.readings});
}

TEST(RunFolder, GivesBackWhatItKeptAndNothingElse) {
  const Place place;
  const RunFolder folder(place.file("runs"));
  RunRecord r;
  r.key = "ab-1";
  r.setting = {{"x=1"}, 3};
  r.verdict = "complete";
  r.results = {{"a", 0.1}, {"b", 1e-300}};
  r.packets = {{"created", 3}};
  EXPECT_FALSE(folder.find("ab-1"));
  folder.keep(r);
  const auto back = folder.find("ab-1");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->to_json(), r.to_json());
  const std::string file = place.file("runs/ab/ab-1.json");
  std::string text;
  {
    std::ifstream in(file);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (const std::string& damaged :
       {text.substr(0, text.size() / 2), std::string("{}"),
        std::string(text).replace(text.find("0.1"), 3, "0.2"),
        std::string(text).replace(text.find("\"version\":\"") + 11, 1, "9.")}) {
    std::ofstream(file) << damaged;
    EXPECT_FALSE(folder.find("ab-1")) << damaged;
  }
}

// A run that a killed program had begun may die after the next program has the same run whole: its
// part of a file is beside one that nobody writes again.
TEST(RunFolder, ANextProgramRemovesWhatADeadOneLeft) {
  const Place place;
  RunRecord r;
  r.key = "ab-1";
  RunFolder(place.file("runs")).keep(r);
  const std::string left =
      place.file(test::left_name("runs/ab/ab-1.json", "partial", test::dead_process()));
  const std::string living =
      place.file(test::left_name("runs/ab/ab-2.json", "partial", ::getppid()));
  for (const std::string& file : {left, living}) std::ofstream(file) << "{\"version\":";
  const RunFolder next(place.file("runs"));
  EXPECT_TRUE(next.find("ab-1"));
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(living));
}

}  // namespace
}  // namespace horae::lab::joint_space_test
