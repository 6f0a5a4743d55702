// Profiles: named kinds of device.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/module_kind.hpp"
#include "horae/params/located.hpp"
#include "horae/params/section.hpp"
#include "horae/programs/program.hpp"
#include "horae/rnic/rnic_config.hpp"
#include "horae/tofino/chip_config.hpp"

namespace horae::config {

/// A register of a switch program whose stateful ALU runs as hardware, in all pipelines.
struct RegisterHardware {
  Located<std::string> name;  ///< of the register, as the program has it
  std::string block;          ///< see models/rtl/README.md
  std::string level;          ///< model, rtl, both

  static const Schema<RegisterHardware>& schema();
};

struct TofinoProfile {
  tofino::ChipConfig chip;
  std::shared_ptr<const programs::ProgramFactory> program;
  std::vector<RegisterHardware> rtl = {};
};

struct HostProfile {
  /// A SystemC module of a user's in the host's place; null: a host of ours.
  std::shared_ptr<const fabric::ModuleFactory> end_point{};
};
/// Description of a host, for lists and messages.
inline constexpr std::string_view host_doc =
    "A host without a transport: sends open-loop packets and counts what it receives.";

/// A named kind of device.
using Profile = std::variant<rnic::RnicConfig, TofinoProfile, fabric::SwitchConfig, HostProfile>;

/// The kinds of profile by name, in the order of Profile's alternatives. Kinds of end points
/// (fabric::ModuleKind::end_point) are hosts.
const std::vector<std::string>& profile_kinds();

/// Whether devices of the profile end connections.
bool is_endpoint(const Profile& profile);

/// Reads a profile into `out`; returns its values in effect. InputError on what no device can be.
nlohmann::ordered_json read_profile(const Section& section, Profile& out);

/// Turns the complaint of a policy or program, an InputError without a place, into one that points
/// at `key` in the file.
template <class F>
void check_at(const Section& section, std::string_view key, F&& f) {
  try {
    f();
  } catch (const InputError& e) {
    throw section.error(key, e.what());
  }
}

}  // namespace horae::config
