#include "horae/config/profile.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/hardware_choice.hpp"
#include "horae/policy/transport/transport.hpp"
#include "horae/rnic/nic_spec.hpp"
#include "horae/rtl/balancer_block.hpp"
#include "horae/rtl/entropy_block.hpp"
#include "horae/rtl/ordering.hpp"
#include "horae/rtl/register_block.hpp"
#include "thresholds.hpp"

namespace horae::config {

using nlohmann::ordered_json;

bool is_endpoint(const Profile& p) {
  return std::holds_alternative<rnic::RnicConfig>(p) || std::holds_alternative<HostProfile>(p);
}

const Schema<RegisterHardware>& RegisterHardware::schema() {
  static const Schema<RegisterHardware> s =
      Schema<RegisterHardware>("rtl", "Hardware in the place of a register's stateful ALU.")
          .required("register", &RegisterHardware::name,
                    {.doc = "name of the register (`horae size` lists a program's)"})
          .required("block", &RegisterHardware::block,
                    {.doc = "the hardware description, a block of your own (scripts/rtl)"})
          .choice("level", &RegisterHardware::level, policy::hardware_levels(),
                  {.doc = "what runs: the model in C++, the hardware description, or both, "
                          "compared at every access",
                   .required = true});
  return s;
}

namespace {

/// A program whose state is spread over pipelines has no more of them than its chip.
void check_pipelines(const programs::ProgramFactory& program, const tofino::ChipConfig& chip,
                     const Section& section) {
  const auto config = program.config();
  const auto at = config.find("pipelines");
  if (at == config.end() || at->get<std::uint32_t>() <= chip.pipelines) return;
  throw section.error("pipelines",
                      fmt::format("pipelines = {}; expected 1 to {}, those of {}",
                                  at->get<std::uint32_t>(), chip.pipelines, chip.chip.value));
}

/// A program that was read for one kind of chip runs on no other.
void check_chip(const programs::ProgramFactory& program, const tofino::ChipConfig& chip,
                const Section& section) {
  const std::string_view kind = program.chip();
  if (kind.empty() || !chip.chip.value.starts_with("tofino") || chip.chip.value == kind) return;
  throw section.error(
      "tofino1",
      fmt::format("the program is read for {}; expected {} as for chip = \"{}\"", kind,
                  chip.chip.value == "tofino1" ? "tofino1 = true" : "no tofino1", chip.chip.value));
}

/// The array `rtl` of a Tofino; adds it to the dump.
std::vector<RegisterHardware> read_register_hardware(const Section& section, ordered_json& dump) {
  std::vector<RegisterHardware> out;
  for (const Section& table : section.children("rtl")) {
    const auto one = table.read<RegisterHardware>();
    if (one.level != "model")
      check_at(table, "block", [&] { rtl::find_register_block(one.block, one.name); });
    dump["rtl"].push_back(RegisterHardware::schema().dump(one));
    out.push_back(one);
  }
  return out;
}

}  // namespace

ordered_json read_profile(const Section& section, Profile& out) {
  const std::string kind = section.get_string("kind");
  ordered_json dump = {{"kind", kind}};
  const std::vector<std::string> also = {"kind"};
  if (kind == "rnic") {
    const auto config = rnic::read_rnic(section, also);
    check_at(section, "transport", [&] { policy::find_transport(config.transport); });
    check_at(section, "transport", [&] { rnic::check_timeouts(config); });
    check_at(section, "ordering", [&] { rtl::check_ordering(config.ordering); });
    for (const auto& name : config.retransmit.policies) policy::find_retransmit_policy(name);
    check_at(section, "entropy", [&] { policy::check(config.entropy); });
    check_at(section, "entropy", [&] { rtl::check_entropy(config.entropy); });
    check_at(section, "congestion", [&] { policy::check(config.congestion, 1600_Gbps); });
    check_at(section, "congestion", [&] { rnic::check_listening(config); });
    check_at(section,
             section.has("ports")         ? "ports"
             : section.has("port_choice") ? "port_choice"
                                          : "port_buffer",
             [&] { rnic::check_ports(config); });
    check_at(section, "engine", [&] { rnic::check_engine(config); });
    check_at(section, config.vl_credits ? "vl_credits" : "credit_delay",
             [&] { rnic::check_credits(config); });
    if (config.pfc) check_at(section, "pfc", [&] { rnic::check_pauses(config); });
    check_at(section, config.post ? "post" : "cq", [&] { rnic::check_host_queues(config); });
    check_at(section, "cache", [&] { rnic::check_caches(config); });
    check_at(section, "memory", [&] { rnic::check_contents(config); });
    check_at(section, "receive", [&] { rnic::check_receive_queues(config); });
    if (config.host == rnic::HostModel::pcie) config.pcie.check();
    dump.update(rnic::RnicConfig::schema().dump(config));
    out = config;
  } else if (kind == "tofino") {
    TofinoProfile profile;
    profile.chip = tofino::ChipConfig::read(section, {"kind", "program", "rtl"});
    if (profile.chip.ecn_kmax < profile.chip.ecn_kmin) {
      throw section.error(
          "ecn_kmax", fmt::format("ecn_kmax = {} is below ecn_kmin = {}",
                                  to_text(profile.chip.ecn_kmax), to_text(profile.chip.ecn_kmin)));
    }
    if (profile.chip.ecn) {
      for (const char* key : {"ecn_kmin", "ecn_kmax", "ecn_pmax"}) {
        if (!section.has(key)) continue;
        throw section.error(key,
                            fmt::format("{} beside a table 'ecn'; expected one of the two", key));
      }
      check_ecn(*profile.chip.ecn, section);
    }
    if (profile.chip.pfc) check_pfc(*profile.chip.pfc, section);
    check_pools(profile.chip.pools, profile.chip.pfc.value_or(fabric::PfcConfig{}), section);
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
    const Section program = section.child("program");
    profile.program = programs::read_program(program);
    check_pipelines(*profile.program, profile.chip, program);
    check_chip(*profile.program, profile.chip, program);
    dump.update(tofino::ChipConfig::schema().dump(profile.chip));
    dump["program"] = profile.program->config();
    profile.rtl = read_register_hardware(section, dump);
    out = profile;
  } else if (kind == "switch") {
    const auto config = section.read<fabric::SwitchConfig>(also);
    check_at(section, "balance", [&] { policy::make_load_balancer(config.balance, 0, ""); });
    if (const auto idle = policy::find_idle_parameter(
            policy::named_parameters(policy::load_balancers()), config.balance, config.balancing)) {
      throw section.error(idle->key, fmt::format("{} is of balance = \"{}\"; here it is \"{}\"",
                                                 idle->key, idle->policy, config.balance));
    }
    check_at(section, section.has("balance_rtl") ? "balance_rtl" : "balance_level", [&] {
      rtl::check_balancer({config.balance, config.balancing});
    });
    check_ecn(config.red, section);
    check_pfc(config.pfc, section);
    check_classes(config, section);
    if (config.pools) fabric::check_pools(*config.pools, config.buffer, section);
    check_pools(config.pools, config.pfc, section);
    fabric::check_class_maps(config.maps, section);
    if (config.pfc.dynamic() && config.buffer.count() == 0) {
      throw section.child("pfc").error(
          "alpha", "alpha is a share of the free buffer; expected a 'buffer' beside it");
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
    check_full_queues(config, section);
    dump.update(fabric::SwitchConfig::schema().dump(config));
    out = config;
  } else if (kind == "host") {
    const Schema<HostProfile> schema("host", std::string(host_doc));
    section.read(schema, also);
    out = HostProfile{};
  } else {
    std::vector<std::string> names = profile_kinds();
    for (const fabric::ModuleKind& module : fabric::module_kinds()) {
      if (!module.end_point) continue;
      names.emplace_back(module.name);
      if (module.name != kind) continue;
      HostProfile host{module.read(section, also)};
      dump.update(host.end_point->config());
      out = std::move(host);
      return dump;
    }
    throw section.error("kind", fmt::format("unknown kind '{}'{}", kind, suggestion(kind, names)));
  }
  return dump;
}

const std::vector<std::string>& profile_kinds() {
  static const std::vector<std::string> kinds = {"rnic", "tofino", "switch", "host"};
  return kinds;
}

}  // namespace horae::config
