// Which values an observation can have, and when two observations are of the same thing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "horae/question/question.hpp"
#include "refusal.hpp"

namespace horae::question::ranges_test {
namespace {

namespace fs = std::filesystem;

TEST(Ranges, AShareIsOneAtMostAndNothingIsBelowZero) {
  for (const auto& q : quantities()) {
    const bool share = q.unit == "share of line" || q.unit == "ratio";
    EXPECT_EQ(q.range.least, 0) << q.name;
    EXPECT_EQ(q.range.most == 1, share) << q.name;
    EXPECT_EQ(std::isinf(q.range.most), !share) << q.name;
  }
}

TEST(Ranges, OfResultsNamedInFull) {
  const auto most = [](const char* name, const char* unit) { return range_of(name, unit).most; };
  for (const char* name : {"senders.tx_share", "senders.tx_share_l2", "senders.goodput_ratio",
                           "senders.payload_ratio"}) {
    EXPECT_EQ(most(name, ""), 1) << name;
  }
  EXPECT_EQ(most("senders.idle_lock", "share of time"), 1);
  EXPECT_EQ(most("fct.out_of_order", "share of packets"), 1);
  EXPECT_TRUE(std::isinf(most("fct.slowdown_mean", "ratio")));
  EXPECT_TRUE(std::isinf(most("pauses.all_ports", "shares of time, added up")));
  EXPECT_TRUE(std::isinf(most("senders.nack_rate_total", "Mpps")));
}

TEST(Ranges, TheSameQuantityUnderEveryReading) {
  EXPECT_TRUE(same_quantity("tx_share", "tx_share"));
  EXPECT_TRUE(same_quantity("delivered_rate", "receivers.delivered_rate"));
  EXPECT_TRUE(same_quantity("senders.timeouts", "senders.timeouts"));
  EXPECT_FALSE(same_quantity("tx_share", "senders.tx_share"));  // of rate=l1 alone
  EXPECT_FALSE(same_quantity("tx_share", "tx_rate"));
}

struct Said {
  std::string id, condition = "far", quantity = "tx_share";
  double value = 0.5, rounding = 0.005, tolerance = 0.05;
  std::string use = "fit", unit = "share of line";
  std::string relation = {}, relative_to = {};
};

/// Questions of a platform with one link and conditions that set the same in other words (`far`,
/// `apart`), something else (`near`), or have a reaction (`reacts`).
class Repeats : public testing::Test {
 protected:
  Repeats() {
    std::string pattern = (fs::temp_directory_path() / "horae.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    write("p.toml",
          "[platform]\nname = \"p\"\n[nic]\nkind = \"rnic\"\n"
          "[[device]]\nnames = [\"a\", \"b\"]\nprofile = \"nic\"\n"
          "[[link]]\nbetween = [\"a\", \"b\"]\nrate = \"100 Gbps\"\ndelay = \"1 us\"\n"
          "[[traffic]]\nkind = \"messages\"\nfrom = [\"a\"]\nto = [\"b\"]\n");
    write("h.toml", "title = \"t\"\n[[hypothesis]]\nid = \"one\"\ntitle = \"one\"\n");
  }
  ~Repeats() override { fs::remove_all(folder_); }

  /// `brief`: condition `far` is shorter than `apart`.
  Question ask(const std::vector<Said>& all, bool brief = false) {
    std::string text = "title = \"t\"\nsource = \"s\"\n";
    const auto condition = [&](const char* id, const char* set, const char* more) {
      text += std::string("[[condition]]\nid = \"") + id + "\"\nset = [\"" + set + "\"]\n" + more;
    };
    condition("far", "link[0].delay=5us",
              brief ? "brief = [\"sim.duration=90us\"]\n" : "reaction = false\n");
    condition("apart", "link[0].delay=5000ns", "");
    condition("near", "link[0].delay=1us", "");
    condition("reacts", "link[0].delay=5us", "reaction = true\n");
    for (const Said& s : all) {
      text += "[[observation]]\nid = \"" + s.id + "\"\ncondition = \"" + s.condition +
              "\"\nquantity = \"" + s.quantity + "\"\nvalue = " + std::to_string(s.value) +
              "\nunit = \"" + s.unit + "\"\nrounding = " + std::to_string(s.rounding) +
              "\ntolerance = " + std::to_string(s.tolerance) + "\nuse = \"" + s.use +
              "\"\nsource = \"s\"\n";
      if (!s.relation.empty()) text += "relation = \"" + s.relation + "\"\n";
      if (!s.relative_to.empty()) text += "relative_to = \"" + s.relative_to + "\"\n";
    }
    write("o.toml", text);
    ExplainRequest request;
    request.platform = (folder_ / "p.toml").string();
    request.observations = (folder_ / "o.toml").string();
    request.hypotheses = (folder_ / "h.toml").string();
    return read_question(request);
  }
  static std::vector<std::string> ids(const Question& q) {
    std::vector<std::string> out;
    for (const auto& o : q.observations.observations) out.push_back(o.id);
    return out;
  }
  std::string refused(const std::vector<Said>& all) {
    const std::string said = test::refusal_of([&] { ask(all); });
    const auto at = said.find("o.toml");
    return at == std::string::npos ? said : said.substr(at);
  }

 private:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  fs::path folder_;
};

using Ids = std::vector<std::string>;

TEST_F(Repeats, ANumberThatIsSaidAgainIsCountedOnceWithTheNarrowerAllowance) {
  const Question q = ask({{.id = "a", .use = "predict"},
                          {.id = "b", .tolerance = 0.02, .use = "predict"},
                          {.id = "c", .condition = "apart", .value = 0.505},
                          {.id = "d", .value = 0.53, .use = "predict"}});
  EXPECT_EQ(ids(q), (Ids{"b", "d"}));  // what differs by more than rounding is another measurement
  ASSERT_EQ(q.repeated.size(), 1u);
  EXPECT_EQ(q.repeated[0].id, "b");
  EXPECT_EQ(q.repeated[0].again, (Ids{"a", "c"}));
  EXPECT_EQ(q.observations.observations[0].use, Use::fit);
  EXPECT_DOUBLE_EQ(q.observations.observations[0].tolerance.value, 0.02);
}

TEST_F(Repeats, WhatIsNotOfTheSameThingStays) {
  const std::vector<Said> all = {{.id = "a"},
                                 {.id = "b", .condition = "near"},
                                 {.id = "c", .condition = "reacts"},
                                 {.id = "d", .quantity = "goodput_ratio", .unit = "ratio"},
                                 {.id = "e", .condition = "near", .value = 0.9}};
  EXPECT_EQ(refused(all),
            "o.toml:61:9: 'b' = 0.5 and 'e' = 0.9 share of line contradict each other: tx_share in "
            "condition 'near' are 0.4 apart, and their roundings and tolerances allow 0.11");
  EXPECT_EQ(ids(ask({all.begin(), all.end() - 1})), (Ids{"a", "b", "c", "d"}));
  const std::vector<Said> two = {{.id = "a"}, {.id = "c", .condition = "apart"}};
  EXPECT_EQ(ids(ask(two)), Ids{"a"});
  EXPECT_EQ(ids(ask(two, true)), (Ids{"a", "c"}));
}

TEST_F(Repeats, ContradictionsInConditionsThatSetTheSameAreNamed) {
  EXPECT_EQ(refused({{.id = "a"}, {.id = "b", .condition = "apart", .value = 0.62}}),
            "o.toml:31:9: 'a' = 0.5 and 'b' = 0.62 share of line contradict each other: tx_share "
            "in conditions 'far' and 'apart', which set the same, are 0.12 apart, and their "
            "roundings and tolerances allow 0.11");
  // As far as the allowances reach both can hold.
  EXPECT_EQ(refused({{.id = "a"}, {.id = "b", .condition = "apart", .value = 0.61}}), "accepted");
}

TEST_F(Repeats, BoundsContradictWhatIsBeyondThem) {
  const Said a = {.id = "a"};
  const auto with = [&](double value, const char* relation) {
    return refused({a, {.id = "b", .value = value, .relation = relation}});
  };
  EXPECT_EQ(with(0.3, "at_most"),
            "o.toml:31:9: 'a' = 0.5 and 'b' <= 0.3 share of line contradict each other: tx_share "
            "in condition 'far' are 0.2 apart, and their roundings and tolerances allow 0.11");
  EXPECT_NE(with(0.7, "at_least"), "accepted");
  EXPECT_EQ(with(0.3, "at_least"), "accepted");
  EXPECT_EQ(with(0.7, "at_most"), "accepted");
  EXPECT_EQ(with(0.4, "at_most"), "accepted");  // as far as the allowances reach
  EXPECT_NE(refused({{.id = "a", .value = 0.3, .relation = "at_most"},
                     {.id = "b", .value = 0.7, .relation = "at_least"}}),
            "accepted");
  // A bound is no measurement of the same number.
  EXPECT_EQ(ids(ask({a, {.id = "b", .relation = "at_most"}})), (Ids{"a", "b"}));
}

TEST_F(Repeats, ANumberRelativeToAnotherConditionIsARatio) {
  const auto relative = [](const char* to, const char* unit, double value = 1.7) {
    return Said{.id = "a", .value = value, .unit = unit, .relative_to = to};
  };
  EXPECT_EQ(refused({relative("near", "ratio")}),
            "accepted");  // a quotient of shares may be above 1
  EXPECT_EQ(refused({relative("near", "share of line")}),
            "o.toml:22:8: 'a' is in 'share of line'; expected 'ratio', the unit of two values that "
            "are divided");
  EXPECT_EQ(refused({relative("nea", "ratio")}),
            "o.toml:27:15: unknown condition 'nea', did you mean 'near'?");
  EXPECT_EQ(refused({relative("far", "ratio")}),
            "o.toml:27:15: 'a' is relative to its own condition 'far'; expected another");
  // Another number than the quantity itself, and than the quotient with a third condition.
  Said b = relative("reacts", "ratio", 0.2), c = {.id = "c"};
  b.id = "b";
  EXPECT_EQ(ids(ask({relative("near", "ratio"), b, c})), (Ids{"a", "b", "c"}));
  b = relative("near", "ratio", 0.2);
  b.id = "b";
  EXPECT_NE(refused({relative("near", "ratio"), b}), "accepted");
}

TEST_F(Repeats, AnIdIsOfOneObservation) {
  EXPECT_EQ(refused({{.id = "a"}, {.id = "a", .condition = "near"}}),
            "o.toml:28:6: observation 'a' is there already");
}

TEST_F(Repeats, ValuesThatCannotBeAreRefusedWhereTheyAre) {
  EXPECT_EQ(refused({{.id = "a", .value = 1.7}}),
            "o.toml:21:9: 'a': 1.7 share of line cannot be; expected 0 to 1, what tx_share can be");
  EXPECT_EQ(refused({{.id = "a", .value = 1.004}}), "accepted");  // 1.00 or 1.01 as printed
  EXPECT_EQ(refused({{.id = "a", .value = 1.04}}),
            "o.toml:21:9: 'a': 1.04 share of line cannot be; expected 0 to 1, what tx_share can "
            "be");
  EXPECT_EQ(
      refused(
          {{.id = "a", .quantity = "senders.idle_window", .value = 1.2, .unit = "share of time"}}),
      "o.toml:21:9: 'a': 1.2 share of time cannot be; expected 0 to 1, what "
      "senders.idle_window can be");
  EXPECT_EQ(refused({{.id = "a", .quantity = "reorder_mean", .value = -3, .unit = "packets"}}),
            "o.toml:21:9: 'a': -3 packets cannot be; expected 0 or more, what reorder_mean can be");
  EXPECT_EQ(refused({{.id = "a", .quantity = "delivered_rate", .value = 101, .unit = "Gbps"}}),
            "o.toml:21:9: 'a': 101 Gbps cannot be; expected 0 to 100, the rate of the fastest NIC "
            "in condition 'far'");
}

// Numbers that a double has exactly, so that each limit itself is met.
TEST_F(Repeats, AValueReachesWhatCanBeByItsRoundingAlone) {
  const auto share = [&](double value, double rounding, double tolerance) {
    return refused({{.id = "a", .value = value, .rounding = rounding, .tolerance = tolerance}});
  };
  EXPECT_EQ(share(1.25, 0.25, 0), "accepted");
  EXPECT_NE(share(1.25, 0.125, 8), "accepted");
  EXPECT_EQ(share(-0.25, 0.25, 0), "accepted");
  EXPECT_NE(share(-0.25, 0.125, 8), "accepted");
  EXPECT_EQ(share(0, 0.25, 0), "accepted");
  EXPECT_EQ(share(0.5, 0, 0.25), "accepted");
  EXPECT_EQ(share(0.5, 0, 0),
            "o.toml:23:12: 'a': rounding and tolerance are both zero, which no model can meet; "
            "expected half of the last digit published");
  EXPECT_EQ(share(0.5, -0.25, 1), "o.toml:23:12: 'a': rounding = -0.25 is below zero");
  EXPECT_EQ(share(0.5, 0.25, -0.125), "o.toml:24:13: 'a': tolerance = -0.125 is below zero");
}

TEST_F(Repeats, ARateReachesTheFastestNicByItsAllowance) {
  const auto rate = [&](double value, const std::string& relation) {
    return refused({{.id = "a",
                     .quantity = "delivered_rate",
                     .value = value,
                     .rounding = 0.25,
                     .tolerance = 0.25,
                     .unit = "Gbps",
                     .relation = relation}});
  };
  EXPECT_EQ(rate(100.5, ""), "accepted");
  EXPECT_NE(rate(100.75, ""), "accepted");
  EXPECT_NE(rate(100.75, "at_least"), "accepted");
  EXPECT_EQ(rate(200, "at_most"), "accepted");
}

TEST_F(Repeats, NumbersContradictEachOtherBeyondBothAllowances) {
  const auto two = [&](double a, double b) {
    return refused({{.id = "a", .value = a, .rounding = 0.125, .tolerance = 0.125},
                    {.id = "b", .value = b, .rounding = 0.125, .tolerance = 0.125}});
  };
  EXPECT_EQ(two(0.25, 0.75), "accepted");
  EXPECT_EQ(two(0.75, 0.25), "accepted");
  EXPECT_EQ(two(0.25, 0.875),
            "o.toml:31:9: 'a' = 0.25 and 'b' = 0.875 share of line contradict each other: tx_share "
            "in condition 'far' are 0.625 apart, and their roundings and tolerances allow 0.5");
  EXPECT_NE(two(0.875, 0.25), "accepted");
}

}  // namespace
}  // namespace horae::question::ranges_test
