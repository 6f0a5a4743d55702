// Networks that tests of several subjects run on, as the text of a platform.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace horae::test {

/// Eight NICs on two leaves and two spines. `traffic` is the rest of the text, from within the
/// first [[traffic]] on.
inline std::string eight_nics(const std::string& duration, const std::string& traffic) {
  return fmt::format(R"([platform]
name = "clos"

[sim]
duration = "{}"
stop = "finished"

[nic]
kind = "rnic"
transport = "go_back_n"
mtu = "1000 B"
reliability = {{ window = 4096, ack_every = 1, rto = "1 ms" }}

[switch]
kind = "switch"
latency = "400 ns"
balance = "ecmp"

[leaf_spine]
leaves = 2
spines = 2
hosts_per_leaf = 4
host = "nic"
leaf = "switch"
spine = "switch"

[[traffic]]
{})",
                     duration, traffic);
}

/// Difference between platforms with two_paths(): lines of the tables named so.
struct TwoPaths {
  std::string name;
  std::string sim = {};
  std::string nic = {};
  std::string plain = {};
  std::string second_path = {};  ///< its first link
  /// More of the messages of a and b to c, which are 16 KiB each and four at once; then more
  /// tables.
  std::string traffic = {};
  bool hosts = false;  ///< one on either side, h and i, with the profile "end"
};

/// NICs a and b behind a chip t that chooses at random between two paths to NIC c: s0 loses
/// packets, and behind s1 the link is slow. Queues are short.
inline std::string two_paths(const TwoPaths& p) {
  const auto with_hosts = [&](const char* text) { return p.hosts ? text : ""; };
  return "[platform]\nname = \"" + p.name + "\"\n[sim]\n" + p.sim + "[nic]\nkind = \"rnic\"\n" +
         p.nic + with_hosts("[end]\nkind = \"host\"\n") + R"([chip]
kind = "tofino"
program = { name = "forward", path_choice = "random" }
[plain]
kind = "switch"
queue_limit = "20 KB"
)" + p.plain +
         R"([[device]]
names = ["a", "b", "c"]
profile = "nic"
)" + with_hosts("[[device]]\nnames = [\"h\", \"i\"]\nprofile = \"end\"\n") +
         R"([[device]]
names = ["t"]
profile = "chip"
[[device]]
names = ["s0", "s1", "u"]
profile = "plain"
[link_default]
delay = "100 ns"
[[link]]
between = ["a", "t"]
[[link]]
between = ["b", "t"]
)" + with_hosts("[[link]]\nbetween = [\"h\", \"t\"]\n") +
         R"([[link]]
between = ["t", "s0"]
loss = 0.02
[[link]]
between = ["t", "s1"]
)" + p.second_path +
         R"([[link]]
between = ["s0", "u"]
[[link]]
between = ["s1", "u"]
rate = "40 Gbps"
[[link]]
between = ["u", "c"]
)" + with_hosts("[[link]]\nbetween = [\"u\", \"i\"]\n") +
         R"([[traffic]]
kind = "messages"
from = ["a", "b"]
to = ["c", "c"]
message = "16 KiB"
depth = 4
)" + p.traffic;
}

/// Devices with the profile `profile` on ports 0, 1, .. of one switch, in this order.
inline std::string on_a_switch(const std::vector<std::string>& devices,
                               const std::string& profile = "nic",
                               const std::string& of_switch = "switch",
                               const std::string& name = "s") {
  std::string text = fmt::format(
      "[[device]]\nnames = [\"{}\"]\nprofile = \"{}\"\n[[device]]\nnames = "
      "[\"{}\"]\nprofile = \"{}\"\n",
      fmt::join(devices, "\", \""), profile, name, of_switch);
  for (const std::string& d : devices) {
    text += fmt::format("[[link]]\nbetween = [\"{}\", \"{}\"]\n", d, name);
  }
  return text;
}

/// Devices a, b and c on ports 0 to 2 of t, with profiles of these names.
inline std::string three_on_a_switch(const std::string& profile, const std::string& of_switch) {
  return on_a_switch({"a", "b", "c"}, profile, of_switch, "t");
}

/// Profiles of NICs with hosts behind PCIe: "nic", and last "slow", whose RX buffer is 256 KiB.
inline const std::string nic_and_slow_nic = R"([nic]
kind = "rnic"
mtu = "4 KiB"
host = "pcie"
ack_traffic_class = 7
[slow]
kind = "rnic"
mtu = "4 KiB"
host = "pcie"
ack_traffic_class = 7
sram = { rx_buffer = "256 KiB" }
)";

}  // namespace horae::test
