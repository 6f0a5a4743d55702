// Results that cannot be put in place are known before the run, what killed processes left is
// cleaned up, and what is printed arrives or is said not to have.
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "left_behind.hpp"
#include "program.hpp"

namespace horae::test::safe_results_test {
namespace {

namespace fs = std::filesystem;

/// A run that takes minutes, or, where its folder is refused, no time.
const Words long_run = {"run", "p.toml", "--set", "sim.duration=100s", "--out"};

Ended run_into(const Workplace& place, const std::string& out) {
  return run(place, {"run", "p.toml", "--out", out});
}

void expect_refused_at_once(const Workplace& place, const std::string& out, const std::string& why,
                            Words arguments = long_run) {
  const Words before = place.content();
  const auto begin = std::chrono::steady_clock::now();
  arguments.push_back(out);
  const Ended ended = run(place, arguments);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << out;
  EXPECT_EQ(ended.exit_code, 2) << out;
  EXPECT_EQ(ended.err, "horae: --out " + out + ": " + why + "\n");
  EXPECT_EQ(place.content(), before);
}

TEST(SafeResults, ALinkToNothingIsRefusedBeforeTheRun) {
  const Workplace place;
  place.write("p.toml", tiny);
  fs::create_symlink("no/such/folder", place.path() / "x");
  const std::string why = "is a link to no/such/folder: No such file or directory";
  expect_refused_at_once(place, "x", why);
  // Minutes of fits; and a capture that would be refused if it were read.
  expect_refused_at_once(place, "x", why,
                         {"explain", HORAE_PLATFORM_DIR "/cx7_spray.toml", "--out"});
  place.write("no.pcap", "no capture\n");
  expect_refused_at_once(place, "x", why,
                         {"replay", "no.pcap@a", "--platform", "p.toml", "--device", "t", "--out"});
}

TEST(SafeResults, AMountPointIsRefusedBeforeTheRun) {
  const Workplace place;
  place.write("p.toml", tiny);
  fs::create_directory(place.path() / "x");
  const std::string target = (place.path() / "x").string();
  if (::mount("none", target.c_str(), "tmpfs", 0, nullptr) != 0) GTEST_SKIP() << "may not mount";
  expect_refused_at_once(place, "x", "cannot be put in place: Device or resource busy");
  // A folder in it is as good as any.
  EXPECT_EQ(run_into(place, "x/y").exit_code, 0);
  EXPECT_TRUE(place.has("x/y/summary.json"));
  ::umount(target.c_str());
}

TEST(SafeResults, ALinkIsFollowed) {
  const Workplace place;
  place.write("p.toml", tiny);
  fs::create_directory(place.path() / "real");
  fs::create_symlink("real", place.path() / "x");
  for (int i = 0; i < 2; ++i) {  // into the empty folder, then in place of the first result
    EXPECT_EQ(run_into(place, "x").exit_code, 0);
    EXPECT_TRUE(fs::is_symlink(place.path() / "x"));
    // By relative names, which follow the link.
    EXPECT_EQ(place.content(), (Words{"p.toml", "real", "real", "real/flows.csv", "real/links.csv",
                                      "real/summary.json"}));
  }
}

TEST(SafeResults, TheProofLeavesAnEarlierResultAsItWas) {
  const Workplace place;
  place.write("p.toml", tiny);
  ASSERT_EQ(run_into(place, "x").exit_code, 0);
  const std::string before = place.read("x/summary.json");
  Words arguments = long_run;
  arguments.push_back("x");
  Program program(place, arguments);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(place.read("x/summary.json"), before);
  program.send(SIGKILL);
  program.end();
  EXPECT_EQ(place.content(),
            (Words{"p.toml", "x", "x/flows.csv", "x/links.csv", "x/summary.json"}));
}

TEST(SafeResults, WhatKilledProcessesLeftIsCleanedUp) {
  const Workplace place;
  place.write("p.toml", tiny);
  const pid_t dead = dead_process();
  for (const char* kind : {"partial", "probe"})
    place.write(left_name("x", kind, dead) + "/flows.csv", "half\n");
  place.write("x.partial.elsewhere.1/flows.csv", "of another host\n");
  EXPECT_EQ(run_into(place, "x").exit_code, 0);
  EXPECT_EQ(place.content(),
            (Words{"p.toml", "x", "x.partial.elsewhere.1", "x.partial.elsewhere.1/flows.csv",
                   "x/flows.csv", "x/links.csv", "x/summary.json"}));
}

TEST(SafeResults, ALivingProcessIsLeftAlone) {
  const Workplace place;
  place.write("p.toml", tiny);
  // Told by its number; and where numbers are of another container, by the lock on its folder.
  const std::string by_number = left_name("x", "partial", ::getpid());
  place.write(by_number + "/flows.csv", "half\n");
  const std::string by_lock = left_name("x", "partial", dead_process());
  place.write(by_lock + "/flows.csv", "half\n");
  const int fd = ::open((place.path() / by_lock).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(fd, LOCK_SH), 0);
  EXPECT_EQ(run_into(place, "x").exit_code, 0);
  EXPECT_TRUE(place.has(by_number + "/flows.csv"));
  EXPECT_TRUE(place.has(by_lock + "/flows.csv"));
  ::close(fd);
  EXPECT_EQ(run_into(place, "x").exit_code, 0);
  EXPECT_FALSE(place.has(by_lock));
}

TEST(SafeResults, AResultThatWasMovedAsideComesBack) {
  for (const char* kind : {"probe", "aside"}) {
    for (const bool empty_one : {false, true}) {
      const Workplace place;
      place.write("p.toml", tiny);
      ASSERT_EQ(run_into(place, "x").exit_code, 0);
      fs::rename(place.path() / "x", place.path() / left_name("x", kind, dead_process()));
      if (empty_one) fs::create_directory(place.path() / "x");
      // A run that is refused brings nothing of its own.
      EXPECT_EQ(run(place, {"run", "p.toml", "--out", "x", "--set", "nic.mtu=8KiB"}).exit_code, 2);
      Words arguments = long_run;
      arguments.push_back("x");
      Program program(place, arguments);
      for (int i = 0; i < 10'000 && !place.has("x/summary.json"); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      program.send(SIGTERM);
      program.end();
      EXPECT_EQ(place.content(),
                (Words{"p.toml", "x", "x/flows.csv", "x/links.csv", "x/summary.json"}))
          << kind;
    }
  }
}

/// A small file system of its own, which can be full.
TEST(SafeResults, AFullDiskSaysSo) {
  const Workplace place;
  place.write("p.toml", tiny);
  fs::create_directory(place.path() / "disk");
  const std::string disk = (place.path() / "disk").string();
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "may not mount";
  place.write("disk/full", std::string(48 << 10, 'x'));
  const Ended ended = run_into(place, "disk/x");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(ended.err.ends_with(" cannot be written: No space left on device\n")) << ended.err;
  EXPECT_FALSE(place.has("disk/x"));
  ::umount(disk.c_str());
}

/// Standard output is a device that is full.
Ended run_into_full_output(const Workplace& place, const std::string& arguments) {
  const std::string command = "cd '" + place.path().string() + "' && '" + program_path() + "' " +
                              arguments + " > /dev/full 2> err";
  const int status = std::system(command.c_str());
  Ended ended;
  ended.exit_code = WEXITSTATUS(status);
  ended.err = place.read("err");
  return ended;
}

TEST(SafeResults, FullStandardOutputSaysSo) {
  const Workplace place;
  place.write("p.toml", tiny);
  for (const char* arguments : {"run p.toml", "run p.toml --json", "list policies", "config p.toml",
                                "size p.toml", "completion bash", "--help"}) {
    const Ended ended = run_into_full_output(place, arguments);
    EXPECT_EQ(ended.exit_code, 1) << arguments;
    EXPECT_EQ(ended.err, "horae: standard output: cannot be written: No space left on device\n")
        << arguments;
  }
}

TEST(SafeResults, AFileWithoutAnEndIsNotReadToIt) {
  const Workplace place;
  const Ended ended = run(place, {"config", "/dev/zero"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err,
            "horae: /dev/zero: cannot read: is larger than 64 MiB, expected a TOML file\n");
}

// A point that does not fit is one without results: the others have theirs.
TEST(SafeResults, APointThatDoesNotFitTakesNoOtherAlong) {
  const Workplace place;
  place.write("p.toml", tiny + R"([[sweep.point]]
label = "small"
[[sweep.point]]
label = "large"
set = ["chip.program={name=\"themis\",qps_per_nic=1000000}"]
[[sweep.column]]
title = "TX"
metric = "senders.tx_share"
)");
  const Ended ended = run(place, {"run", "p.toml", "--json", "--out", "x"});
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_TRUE(ended.err.starts_with("horae: large: ")) << ended.err;
  EXPECT_NE(ended.err.find("does not fit"), std::string::npos) << ended.err;
  const ordered_json s = ended.json();
  EXPECT_EQ(s.at("verdict"), "refused");
  const auto& rows = s.at("rows").at("sweep");
  EXPECT_EQ(rows.at(0).at("verdict"), "complete");
  EXPECT_GT(rows.at(0).at("TX"), 0);
  EXPECT_EQ(rows.at(1).at("verdict"), "refused");
  EXPECT_TRUE(rows.at(1).at("TX").is_null());
  EXPECT_EQ(s, place.read_json("x/summary.json"));
  EXPECT_EQ(place.read_json("x/points/large/summary.json").at("verdict"), "refused");
  EXPECT_TRUE(place.has("x/points/small/flows.csv"));
  EXPECT_EQ(run(place, {"run", "p.toml"}).exit_code, 3);
}

}  // namespace
}  // namespace horae::test::safe_results_test
