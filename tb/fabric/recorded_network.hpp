// A generated network as it was added, without a platform file.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/registry.hpp"
#include "horae/fabric/topology_kind.hpp"
#include "horae/params/document.hpp"
#include "refusal.hpp"

namespace horae::test {

/// Takes what a generator adds, in its order.
struct RecordedNetwork final : fabric::NetworkBuilder {
  struct Device {
    std::string name, profile;
    std::vector<std::string> ports = {};  ///< the peer of each
    std::optional<unsigned> site = {};
    std::optional<std::uint32_t> number = {};
    std::string scale_up = {};  ///< "domain end" of a NIC
  };
  struct Link {
    std::string from, to;
    std::uint32_t line = 0;  ///< that messages about it point at
    fabric::LinkValues values = {};
  };

  unsigned add_device(const std::string& name, const Located<std::string>& profile) override {
    EXPECT_TRUE(names.insert(name).second) << name << " twice";
    devices.push_back({name, profile.value});
    return static_cast<unsigned>(devices.size() - 1);
  }
  void add_link(unsigned a, unsigned b, const Location& where,
                const fabric::LinkValues& values) override {
    devices.at(a).ports.push_back(devices.at(b).name);
    devices.at(b).ports.push_back(devices.at(a).name);
    links.push_back({devices[a].name, devices[b].name, where.line, values});
  }
  void place(unsigned device, unsigned site) override { devices.at(device).site = site; }
  void number(unsigned device, std::uint32_t node) override { devices.at(device).number = node; }
  void scale_up(unsigned nic, unsigned end, std::uint32_t domain) override {
    devices.at(nic).scale_up = std::to_string(domain) + " " + devices.at(end).name;
  }

  /// Names with a profile, in the order added.
  std::vector<std::string> of(const std::string& profile) const {
    std::vector<std::string> out;
    for (const auto& d : devices) {
      if (d.profile == profile) out.push_back(d.name);
    }
    return out;
  }
  /// The peers of a device's ports.
  const std::vector<std::string>& ports(const std::string& name) const {
    const auto it = std::find_if(devices.begin(), devices.end(),
                                 [&](const Device& d) { return d.name == name; });
    if (it == devices.end()) throw ModelError("no device " + name);
    return it->ports;
  }

  std::vector<Device> devices;
  std::vector<Link> links;
  std::set<std::string> names;
};

/// Topology of that name, made from its table's text.
struct Generated {
  RecordedNetwork network;
  nlohmann::ordered_json config;
};
inline Generated generated(const std::string& topology, const std::string& table) {
  const auto document = Document::parse("[" + topology + "]\n" + table, "p.toml");
  const auto& kind = find_named(fabric::topology_kinds(), "topology", topology);
  const auto generator = kind.read(document.root().child(topology));
  Generated out;
  generator->generate(out.network);
  out.config = generator->config();
  return out;
}

/// The message of its refusal.
inline std::string refusal(const std::string& topology, const std::string& table) {
  return refusal_of([&] { generated(topology, table); });
}

}  // namespace horae::test
