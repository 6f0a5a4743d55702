// Faults of users: every fault is one line on stderr that says where, what was found and
// what was expected, ends with exit code 2 and leaves nothing behind. A bad_input_*_test.cpp is a
// table of the faults of one subject.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "program.hpp"

namespace horae::test {

/// A platform with every kind of table, in which each case below breaks one thing.
inline const std::string full = R"([platform]
name = "full"

[sim]
duration = "20 us"
warmup = "5 us"

[nic]
kind = "rnic"
mtu = "1 KiB"
transport = "rnic_sr"

[nic.reliability]
window = 64
rto = "50 us"

[chip]
kind = "tofino"
ecn_kmin = "10 KB"
ecn_kmax = "20 KB"

[chip.program]
name = "forward"
path_choice = "random"
nack_drop = 1
nack_of = 2

[plain]
kind = "switch"
balance = "ecmp"

[plain.ecn]
kmin = "10 KB"
kmax = "20 KB"

[plain.pfc]
xoff = "20 KB"
xon = "10 KB"

[end]
kind = "host"

[link_default]
rate = "100 Gbps"
delay = "100 ns"

[[device]]
names = ["a", "b"]
profile = "nic"
[[device]]
names = ["t"]
profile = "chip"
[[device]]
names = ["s"]
profile = "plain"
[[device]]
names = ["h", "i"]
profile = "end"

[[link]]
between = ["a", "t"]
loss = 0.01
outage = [{ from = "1 us", to = "2 us" }]
[[link]]
between = ["t", "s"]
[[link]]
between = ["b", "s"]
[[link]]
between = ["h", "t"]
[[link]]
between = ["i", "s"]

[[traffic]]
kind = "messages"
from = ["a"]
to = ["b"]
message = "4 KiB"

[[traffic]]
kind = "packets"
pattern = "pairs"
from = ["h"]
to = ["i"]
load = 0.5

[sweep]
title = "both"
[[sweep.point]]
label = "one"
set = ["sim.seed=1"]
[[sweep.point]]
label = "two"
set = ["sim.seed=2"]
[[sweep.column]]
title = "TX"
metric = "senders.tx_share"
[[sweep.published]]
id = "x.tx"
point = "one"
metric = "senders.tx_share"
value = 0.5
source = "a paper"
)";

/// The smallest with a generated topology.
inline const std::string clos = R"([platform]
name = "clos"

[end]
kind = "host"

[plain]
kind = "switch"

[leaf_spine]
host = "end"
leaf = "plain"
spine = "plain"
)";

/// The text with the first `find` replaced.
inline std::string broken(std::string text, const std::string& find, const std::string& replace) {
  const auto at = text.find(find);
  if (at == std::string::npos) throw std::runtime_error("not in the platform: " + find);
  return text.replace(at, find.size(), replace);
}

/// Runs the program in a folder with `platform` as p.toml, somebody's work, and a result that
/// somebody added to; it must refuse with `message`.
inline void expect_refused(const std::string& platform, const Words& arguments,
                           const std::string& message) {
  const Workplace place;
  place.write("p.toml", platform);
  place.write("work/notes.txt", "precious\n");
  place.write("mixed/notes.txt", "precious\n");
  place.write("mixed/summary.json", "{}\n");
  expect_refused(place, arguments, message);
  EXPECT_EQ(place.read("p.toml"), platform);
  EXPECT_EQ(place.read("work/notes.txt"), "precious\n");
  EXPECT_EQ(place.read("mixed/notes.txt"), "precious\n");
}

/// A message whose place is given by what stands there: `p.toml:<text>:` becomes line and column of
/// the first `text` in the file. A ^ in it marks the place where that is not its begin.
inline std::string placed(const std::string& message, const std::string& file) {
  const std::string begin = "p.toml:<";
  const auto from = message.find(begin);
  if (from == std::string::npos) return message;
  const auto to = message.find(">:", from);
  std::string text = message.substr(from + begin.size(), to - from - begin.size());
  const auto mark = text.find('^');
  if (mark != std::string::npos) text.erase(mark, 1);
  const auto found = file.find(text);
  if (found == std::string::npos) throw std::runtime_error("not in the platform: " + text);
  const std::string before = file.substr(0, found + (mark == std::string::npos ? 0 : mark));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  return message.substr(0, from) + fmt::format("p.toml:{}:{}", line, column) +
         message.substr(to + 1);
}

/// A fault of a platform's text: the first `find` in it is replaced. Of the message as placed() has
/// it.
struct BrokenFile {
  std::string name, find, replace, message;
};
inline void PrintTo(const BrokenFile& c, std::ostream* out) { *out << c.replace; }

/// `horae run` of a platform with a fault must refuse it.
inline void expect_refused(const std::string& platform, const BrokenFile& c) {
  const std::string text = broken(platform, c.find, c.replace);
  expect_refused(text, {"run", "p.toml", "--out", "out/deep"}, placed(c.message, text));
}

/// Name of a row of a table of tests.
inline constexpr auto name_of_case = [](const auto& info) { return info.param.name; };

}  // namespace horae::test
