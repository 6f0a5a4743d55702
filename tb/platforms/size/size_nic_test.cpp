// `horae size` of NICs: the bill, its limits, what would fit, and how bad words are refused.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "networks.hpp"
#include "program.hpp"

namespace horae::test::size_nic_test {
namespace {

// A platform of NICs only; 100 queue pairs from a to b.
const std::string nics = R"([platform]
name = "nics"
[nic]
kind = "rnic"
[nic.sram]
total = "1 MiB"
[s]
kind = "switch"
)" + three_on_a_switch("nic", "s") +
                         R"([[traffic]]
kind = "messages"
from = ["a"]
to = ["b"]
qps = 100
message = "64 KiB"
)";

ordered_json sized(const Workplace& place, const Words& arguments, int exit_code = 0) {
  Words all = {"size", "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Ended ended = run(place, all);
  EXPECT_EQ(ended.exit_code, exit_code) << ended.err;
  if (!ordered_json::accept(ended.out)) throw std::runtime_error(ended.out + ended.err);
  return ended.json();
}

std::map<std::string, std::int64_t> structures(const ordered_json& nic) {
  std::map<std::string, std::int64_t> out;
  for (const auto& s : nic["structures"]) out[s["name"]] = s["bytes"];
  return out;
}

TEST(SizeNic, APlatformOfNicsIsBilledWithoutAProgram) {
  const Workplace place;
  place.write("n.toml", nics);
  const auto json = sized(place, {"n.toml"});
  EXPECT_TRUE(json["pipelines"].empty());
  ASSERT_EQ(json["nics"].size(), 3u);  // sender, receiver, and one without traffic
  const auto sender = structures(json["nics"][0]), receiver = structures(json["nics"][1]);
  EXPECT_EQ(json["nics"][0]["devices"], (Words{"a"}));
  EXPECT_EQ(sender.at("queue_pair"), 100 * 375);
  EXPECT_EQ(sender.at("send_wqe"), 100 * 8 * 64);
  EXPECT_EQ(receiver.at("send_wqe"), 0);
  EXPECT_EQ(receiver.at("translation"), 100 * 16 * 8);
  EXPECT_EQ(json["nics"][2]["queue_pairs"], 0);
  EXPECT_TRUE(json["nics"][2]["most_queue_pairs"].is_null());
  for (const auto& nic : json["nics"]) {
    std::int64_t chip = 0, cached = 0;
    for (const auto& s : nic["structures"]) {
      EXPECT_EQ(s["bytes"].get<std::int64_t>(),
                s["count"].get<std::int64_t>() * s["bytes_each"].get<std::int64_t>());
      (s["place"] == "chip" ? chip : cached) += s["bytes"].get<std::int64_t>();
    }
    EXPECT_EQ(nic["on_chip_bytes"], chip);
    EXPECT_EQ(nic["cached_bytes"], cached);
    EXPECT_EQ(nic["used_bytes"], chip + cached);
    EXPECT_EQ(nic["capacity_bytes"], 1 << 20);
    EXPECT_EQ(nic["cache_bytes"], (1 << 20) - chip);
    EXPECT_TRUE(nic["fits"]);
  }
}

TEST(SizeNic, TheTextHasWhatTheJsonHas) {
  const Workplace place;
  place.write("n.toml", nics);
  const std::string text = run(place, {"size", "n.toml"}).out;
  const auto json = sized(place, {"n.toml"});
  for (const auto& nic : json["nics"]) {
    for (const auto& s : nic["structures"]) {
      if (s["bytes"] == 0) continue;
      EXPECT_NE(text.find(" " + s["bytes"].dump() + " "), std::string::npos) << s;
    }
  }
  EXPECT_NE(text.find("NIC nic, a: 100 queue pairs with 128 messages outstanding and 64 KiB of "
                      "memory each\n"),
            std::string::npos)
      << text;
}

// Chips and NICs of one platform.
TEST(SizeNic, NicsComeAfterTheChips) {
  const Workplace place;
  place.write("p.toml", tiny);
  const auto json = sized(place, {"p.toml"});
  EXPECT_EQ(json["pipelines"].size(), 1u);
  ASSERT_EQ(json["nics"].size(), 2u);
  EXPECT_EQ(json["nics"][0]["groups"][0]["outstanding"], 2);
  const std::string text = run(place, {"size", "p.toml"}).out;
  EXPECT_LT(text.find("stages"), text.find("\nNIC nic, a: 1 queue pair with 2 messages"));
}

// State of the entropy scheme and the others for each queue pair, with its composition.
TEST(SizeNic, PoliciesAreChargedByTheirBits) {
  const Workplace place;
  const Words asked = {"--nic", "connectx7", "--qps", "10000"};
  const auto with = [&](const Words& settings) {
    Words all = asked;
    for (const auto& s : settings) all.insert(all.end(), {"--set", s});
    return sized(place, all)["nics"][0];
  };
  const auto plain = with({}), reps = with({"entropy.scheme=reps"});
  EXPECT_EQ(structures(plain).count("entropy_state"), 0u);
  EXPECT_EQ(structures(reps).at("entropy_state"), 250'000);
  EXPECT_EQ(reps["used_bytes"].get<std::int64_t>() - plain["used_bytes"].get<std::int64_t>(),
            250'000);
  for (const auto& s : reps["structures"]) {
    if (s["name"] != "entropy_state") continue;
    EXPECT_EQ(s["place"], "cache");
    EXPECT_EQ(s["bits_each"], 193);
    EXPECT_EQ(s["fields"]["ring"], 136);
    EXPECT_EQ(s["fields"]["exit_time"], 32);
  }
  EXPECT_EQ(structures(with({"entropy.scheme=reps", "entropy.ring=1"})).at("entropy_state"),
            100'000);
  EXPECT_EQ(structures(with({"entropy.scheme=bitmap", "entropy.values=256"})).at("entropy_state"),
            1'320'000);
  const auto both =
      with({"entropy.scheme=reps", "congestion.algorithm=dctcp", "sram.policy_state=chip"});
  EXPECT_EQ(structures(both).at("congestion_state"), 170'000);
  EXPECT_EQ(both["on_chip_bytes"].get<std::int64_t>(),
            plain["on_chip_bytes"].get<std::int64_t>() + 420'000);
  Words text = {"size", "--nic", "connectx7", "--set", "entropy.scheme=reps"};
  EXPECT_NE(run(place, text)
                .out.find("  entropy_state: 193 bits each: ring 136, head 8, valid 8, "
                          "exit_time 32, frozen 1, explore 8.\n"),
            std::string::npos);
}

// A NIC that does not fit because of them comes with changes that take them into account.
TEST(SizeNic, RemediesCountThePoliciesToo) {
  const Workplace place;
  const Words words = {"--nic", "connectx7",           "--qps", "60000",
                       "--set", "entropy.scheme=reps", "--set", "sram.policy_state=chip",
                       "--set", "sram.total=10MiB"};
  const auto nic = sized(place, words, 3)["nics"][0];
  EXPECT_FALSE(nic["remedies"].empty());
  for (const auto& remedy : nic["remedies"]) {
    Words fits = words;
    const std::string key = remedy["key"], value = remedy["fits"];
    if (key == "--qps") {
      fits[3] = value;
    } else {
      fits.insert(fits.end(), {"--set", key + "=" + value});
    }
    EXPECT_TRUE(sized(place, fits)["nics"][0]["fits"]) << key << " = " << value;
  }
}

// Each remedy makes the bill fit, and the step before it does not.
TEST(SizeNic, WhatDoesNotFitComesWithChangesThatDo) {
  const Workplace place;
  place.write("n.toml", nics);
  const Words large = {"n.toml", "--set", "traffic[0].qps=4000", "--set", "nic.sram.total=768KiB"};
  const auto exit_code = [&](const std::string& change) {
    Words all = {"size"};
    all.insert(all.end(), large.begin(), large.end());
    all.insert(all.end(), {"--set", change});
    return run(place, all).exit_code;
  };
  const auto json = sized(place, large, 3);
  EXPECT_FALSE(json["nics"][0]["fits"]);
  EXPECT_TRUE(json["nics"][2]["fits"]);
  // 768 KiB less 512 KiB of buffers, 96 bytes a queue pair.
  EXPECT_EQ(json["nics"][0]["most_queue_pairs"], 256 * 1024 / 96);
  std::map<std::string, std::string> remedies;
  for (const auto& r : json["nics"][0]["remedies"]) remedies[r["key"]] = r["fits"];
  EXPECT_EQ(remedies, (std::map<std::string, std::string>{
                          {"traffic[0].qps", "2730"},
                          {"nic.sram.total", "887 KiB"},        // 512 KiB and 4000 times 96 bytes
                          {"nic.sram.tx_buffer", "137 KiB"},    // less the 119 KiB that lack
                          {"nic.sram.rx_buffer", "137 KiB"},    // likewise
                          {"nic.sram.reorder_bits", "256"},     // 65 bytes each, 32 of them the
                          {"nic.sram.retransmit_state", "1 B"}  // other's, or 64
                      }));
  for (const auto& [key, fits] : remedies) EXPECT_EQ(exit_code(key + "=" + fits), 0) << key;
  for (const char* not_yet : {"traffic[0].qps=2731", "nic.sram.total=908287 B",
                              "nic.sram.tx_buffer=140289 B", "nic.sram.rx_buffer=140289 B",
                              "nic.sram.reorder_bits=257", "nic.sram.retransmit_state=2 B"})
    EXPECT_EQ(exit_code(not_yet), 3) << not_yet;
}

TEST(SizeNic, ARunThatDoesNotFitEndsBeforeItBegins) {
  const Workplace place;
  place.write("n.toml", nics);
  const Words words = {"run",
                       "n.toml",
                       "--no-progress",
                       "--out",
                       "out",
                       "--set",
                       "sim.duration=1us",
                       "--set",
                       "nic.sram.rx_buffer=1 MiB"};
  EXPECT_EQ(run(place, words).exit_code, 0) << "what is not limited runs";
  const Workplace other;
  other.write("n.toml", nics);
  Words limited = words;
  limited.insert(limited.end(), {"--set", "nic.sram.limited=true"});
  const Ended ended = run(other, limited);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_NE(ended.err.find("Does not fit: "), std::string::npos) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(other.content(), (Words{"n.toml"}));
}

TEST(SizeNic, ASpecGivesAProfileItsDefaults) {
  const Workplace place;
  place.write("n.toml", nics);
  const auto json = sized(place, {"n.toml", "--set", "nic.spec=connectx5"});
  const auto& nic = json["nics"][0];
  EXPECT_EQ(nic["spec"], "connectx5");
  EXPECT_EQ(structures(nic).at("rx_buffer"), 261888);  // the spec's
  EXPECT_EQ(structures(nic).at("reorder_state"), 0);   // the spec's
  EXPECT_EQ(nic["capacity_bytes"], 1 << 20);           // the profile's own
}

TEST(SizeNic, OneNicWithoutAPlatform) {
  const Workplace place;
  const auto json = sized(place, {"--nic", "connectx5", "--qps", "5000", "--out", "bill"});
  ASSERT_EQ(json["nics"].size(), 1u);
  EXPECT_EQ(json["nics"][0]["all_cached"], false);
  EXPECT_EQ(place.read_json("bill/summary.json"), json);
  const std::int64_t most = json["nics"][0]["most_queue_pairs_cached"];
  for (const bool one_more : {false, true}) {
    const auto at = sized(place, {"--nic", "connectx5", "--qps", std::to_string(most + one_more)});
    EXPECT_EQ(at["nics"][0]["all_cached"], !one_more);
  }
  place.write("mine.toml",
              "name = \"mine\"\ndescription = \"d\"\n[nic.sram]\ntotal = \"16 MiB\"\n");
  EXPECT_EQ(sized(place, {"--nic", "mine.toml"})["nics"][0]["capacity_bytes"], 16 << 20);
  EXPECT_EQ(sized(place, {"--nic", "connectx5", "--set", "sram.total=520 KiB", "--qps", "1000"},
                  3)["nics"][0]["fits"],
            false);
}

struct BadCase {
  const char* name;
  Words arguments;
  const char* message;
};
class BadNicSize : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadNicSize, IsRefusedInOneLine) {
  const Workplace place;
  place.write("n.toml", nics);
  place.write("s.toml", nics.substr(0, nics.find("[[device]]")) + R"([h]
kind = "host"
[[device]]
names = ["a", "b"]
profile = "h"
[[link]]
between = ["a", "b"]
)");
  place.write("spec.toml", nics + "[other]\nkind = \"rnic\"\nspec = \"conectx5\"\n");
  Words all = {"size"};
  all.insert(all.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  expect_refused(place, all, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadNicSize,
    ::testing::Values(
        BadCase{"UnknownNic",
                {"--nic", "connectx9"},
                "spec = \"connectx9\" is none of connect_ib, connectx5, connectx6, connectx7, "
                "connectx8, hypothetical, thor_ultra and "
                "no .toml file, did you mean 'connectx5'?"},
        BadCase{"UnknownSpec",
                {"spec.toml"},
                "spec.toml:29:8: spec = \"conectx5\" is none of connect_ib, connectx5, connectx6, "
                "connectx7, connectx8, hypothetical, thor_ultra and no .toml file, did you mean "
                "'connectx5'?"},
        BadCase{"UnknownKey",
                {"--nic", "connectx5", "--set", "sram.totl=1MiB"},
                "--set sram.totl: unknown key 'totl' in [sram], did you mean 'total'?"},
        BadCase{"NoUnit",
                {"--nic", "connectx5", "--message", "64"},
                "--message: expected a size such as \"4 KiB\", found \"64\" without a unit"},
        BadCase{"Negative",
                {"--nic", "connectx5", "--message", "-1 B"},
                "--message -1 B: expected 0 B to 1 GiB"},
        BadCase{"QpsAlone", {"n.toml", "--qps", "3"}, "--qps: expected --nic NIC with it"},
        BadCase{"PlatformToo",
                {"n.toml", "--nic", "connectx5"},
                "--nic: expected with --qps, --depth, --message, --set, --out and --json only"},
        BadCase{"NeitherChipNorNic",
                {"s.toml"},
                "s.toml: no device of this platform runs a program (kind tofino) or is a NIC (kind "
                "rnic)"},
        BadCase{"NothingToRaise",
                {"n.toml", "--most", "traffic[0].qps"},
                "--most traffic[0].qps: n.toml has no program or object with whole-number "
                "parameters"}),
    [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace horae::test::size_nic_test
