#include "horae/config/profile.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/transport/transport.hpp"
#include "horae/rnic/nic_spec.hpp"
#include "horae/rtl/ordering.hpp"

namespace horae::config {
namespace {

using nlohmann::ordered_json;

/// Thresholds by rate: one entry for a rate, each in the order of kmin and kmax, a dynamic one
/// beside alpha.
void check_by_rate(const fabric::SwitchConfig& config, const Section& section) {
  const auto once = [](const auto& entries, const Section& table) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (entries[i].rate != entries[j].rate) continue;
        throw table.children("by_rate")[i].error(
            "rate", fmt::format("rate = {} has an entry already", to_text(entries[i].rate)));
      }
    }
  };
  if (config.red.by_rate) {
    const auto& entries = *config.red.by_rate;
    const Section ecn = section.child("ecn");
    once(entries, ecn);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].kmax.count() == 0 || entries[i].kmax >= entries[i].kmin) continue;
      throw ecn.children("by_rate")[i].error(
          "kmax", fmt::format("kmax = {} is below kmin = {}", to_text(entries[i].kmax),
                              to_text(entries[i].kmin)));
    }
  }
  if (config.pfc.by_rate) {
    const Section pfc = section.child("pfc");
    once(*config.pfc.by_rate, pfc);
    if (!config.pfc.dynamic()) {
      throw pfc.error("by_rate",
                      "by_rate gives an alpha of its own to ports of some rates; "
                      "expected an 'alpha' beside it for all others");
    }
  }
  if (config.pfc.headroom_delays && config.pfc.headroom.count() > 0) {
    throw section.child("pfc").error("headroom_delays",
                                     fmt::format("headroom_delays beside headroom = {}; expected "
                                                 "one of the two",
                                                 to_text(config.pfc.headroom)));
  }
}

}  // namespace

bool is_endpoint(const Profile& p) {
  return std::holds_alternative<rnic::RnicConfig>(p) || std::holds_alternative<HostProfile>(p);
}

ordered_json read_profile(const Section& section, Profile& out) {
  const std::string kind = section.get_string("kind");
  ordered_json dump = {{"kind", kind}};
  const std::vector<std::string> also = {"kind"};
  if (kind == "rnic") {
    const auto config = rnic::read_rnic(section, also);
    check_at(section, "transport", [&] { policy::find_transport(config.transport); });
    check_at(section, "ordering", [&] { rtl::check_ordering(config.ordering); });
    for (const auto& name : config.retransmit.policies) policy::find_retransmit_policy(name);
    check_at(section, "congestion", [&] { policy::check(config.congestion, 1600_Gbps); });
    if (config.host == rnic::HostModel::pcie) config.pcie.check();
    dump.update(rnic::RnicConfig::schema().dump(config));
    out = config;
  } else if (kind == "tofino") {
    TofinoProfile profile;
    profile.chip = tofino::ChipConfig::read(section, {"kind", "program"});
    if (profile.chip.ecn_kmax < profile.chip.ecn_kmin) {
      throw section.error(
          "ecn_kmax", fmt::format("ecn_kmax = {} is below ecn_kmin = {}",
                                  to_text(profile.chip.ecn_kmax), to_text(profile.chip.ecn_kmin)));
    }
    if (!section.has("program")) {
      throw section.error(
          "program",
          fmt::format("missing table 'program' in {}: the program to run", section.title()));
    }
    for (const auto pipeline : profile.chip.pipeline_of_port) {
      if (pipeline < profile.chip.pipelines) continue;
      throw section.error("pipeline_of_port",
                          fmt::format("pipeline_of_port: pipeline {} is not one of 0 to {}",
                                      pipeline, profile.chip.pipelines - 1));
    }
    profile.program = programs::read_program(section.child("program"));
    dump.update(tofino::ChipConfig::schema().dump(profile.chip));
    dump["program"] = profile.program->config();
    out = profile;
  } else if (kind == "switch") {
    const auto config = section.read<fabric::SwitchConfig>(also);
    check_at(section, "balance", [&] { policy::make_load_balancer(config.balance, 0, ""); });
    if (const auto idle = policy::find_idle_parameter(
            policy::named_parameters(policy::load_balancers()), config.balance, config.balancing)) {
      throw section.error(idle->key, fmt::format("{} is of balance = \"{}\"; here it is \"{}\"",
                                                 idle->key, idle->policy, config.balance));
    }
    if (config.red.kmax.count() > 0 && config.red.kmax < config.red.kmin) {
      throw section.child("ecn").error(
          "kmax", fmt::format("kmax = {} is below kmin = {}", to_text(config.red.kmax),
                              to_text(config.red.kmin)));
    }
    check_by_rate(config, section);
    if (config.pfc.dynamic()) {
      const Section pfc = section.child("pfc");
      for (const auto& [key, value] :
           {std::pair{"xoff", config.pfc.xoff}, {"xon", config.pfc.xon}}) {
        if (value.count() == 0) continue;
        throw pfc.error(key, fmt::format("{} = {} beside alpha: thresholds are fixed or dynamic",
                                         key, to_text(value)));
      }
      if (config.buffer.count() == 0) {
        throw pfc.error("alpha",
                        "alpha is a share of the free buffer; expected a 'buffer' beside it");
      }
    }
    if (config.pfc.xon > config.pfc.xoff) {
      throw section.child("pfc").error(
          "xon", fmt::format("xon = {} is above xoff = {}", to_text(config.pfc.xon),
                             to_text(config.pfc.xoff)));
    }
    if (config.queue_share > 0 && config.buffer.count() == 0) {
      throw section.error(
          "queue_share",
          "queue_share is a share of the free buffer; expected a 'buffer' beside it");
    }
    if (config.voq && config.notify) {
      throw section.error("notify", "voq and notify are two kinds of switch; expected one of them");
    }
    if (config.notify && !config.red.enabled()) {
      throw section.error("notify",
                          "notify answers ECN marks, and this switch makes none; expected an 'ecn' "
                          "with a kmax beside it");
    }
    if (config.deflect && config.queue_limit.count() == 0 && config.queue_share == 0) {
      throw section.error(
          "deflect", "deflect needs queues that can be full: a 'queue_limit' or 'queue_share'");
    }
    dump.update(fabric::SwitchConfig::schema().dump(config));
    out = config;
  } else if (kind == "host") {
    const Schema<HostProfile> schema("host", std::string(host_doc));
    section.read(schema, also);
    out = HostProfile{};
  } else {
    throw section.error(
        "kind", fmt::format("unknown kind '{}'{}", kind, suggestion(kind, profile_kinds())));
  }
  return dump;
}

const std::vector<std::string>& profile_kinds() {
  static const std::vector<std::string> kinds = {"rnic", "tofino", "switch", "host"};
  return kinds;
}

}  // namespace horae::config
