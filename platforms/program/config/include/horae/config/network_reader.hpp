// Collects devices and links of a platform, checking names as they come.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/config/network_config.hpp"
#include "horae/config/platform.hpp"
#include "horae/fabric/topology_kind.hpp"

namespace horae::config {

/// Adds devices and links to a platform. InputError, at its place in the file, for a name that is
/// no name or is taken, and for what does not exist.
class NetworkReader final : public fabric::NetworkBuilder {
 public:
  NetworkReader(PlatformConfig& platform, const LinkDefault& defaults)
      : platform_(platform), defaults_(defaults) {}

  /// Returns the device's vertex.
  unsigned add_device(const std::string& name, const Located<std::string>& profile,
                      const Location& where);
  void add_link(unsigned a, unsigned b, const LinkSpec& spec, const Location& where);
  /// For generated networks: the place of a device is that of its profile's name, and links are as
  /// [link_default] says where their generator says nothing.
  unsigned add_device(const std::string& name, const Located<std::string>& profile) override {
    return add_device(name, profile, profile.where);
  }
  void add_link(unsigned a, unsigned b, const Location& where,
                const fabric::LinkValues& values) override {
    LinkSpec spec;
    spec.rate = values.rate;
    spec.delay = values.delay;
    spec.loss = values.loss;
    add_link(a, b, spec, where);
  }
  void place(unsigned device, unsigned site) override { platform_.devices[device].site = site; }
  void number(unsigned device, std::uint32_t node) override {
    platform_.devices[device].number = node;
  }
  void scale_up(unsigned nic, unsigned end, std::uint32_t domain) override {
    platform_.devices[nic].scale_up = {end, domain};
    platform_.devices[end].end_of_domain = domain;
  }
  /// Changes the link between two devices; of several, all.
  void impair(const ImpairmentSpec& spec, const Section& section);
  /// Puts a module on the link between two devices; returns its values in effect.
  nlohmann::ordered_json add_module(const Section& section);
  /// Puts the modules of end points at the ends of their links, when all links are known.
  void add_end_points();
  /// Puts a host memory in the place of NICs' own; returns its values in effect.
  nlohmann::ordered_json add_memory(const Section& section);
  /// Adds harm to packets of a link or a NIC; returns its values in effect. After modules.
  nlohmann::ordered_json add_event(const Section& section);
  /// The vertex of a device.
  unsigned find(const Located<std::string>& name) const;

 private:
  /// InputError for a name that is none or is taken, by a device, module or host memory.
  void check_name(const char* what, const std::string& name, const Location& where) const;
  /// All links between two devices.
  std::vector<std::size_t> links_between(unsigned a, unsigned b) const;
  /// The link between the two devices that 'between' of a section names, number 'link' of several.
  /// InputError where there is none such.
  std::size_t link_of(const Section& section, const std::vector<Located<std::string>>& between,
                      std::optional<std::uint32_t> link) const;

  PlatformConfig& platform_;
  LinkDefault defaults_;
};

}  // namespace horae::config
