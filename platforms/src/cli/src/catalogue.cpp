#include "horae/cli/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "horae/config/generated_networks.hpp"
#include "horae/config/platform.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/design_file.hpp"
#include "horae/explain/files.hpp"
#include "horae/flows/traffic_config.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/catalogue.hpp"
#include "horae/rnic/nic_spec.hpp"
#include "horae/traffic/workload.hpp"

namespace horae::cli {
namespace {

using nlohmann::ordered_json;

ordered_json parameters_of(const std::vector<ParamInfo>& infos) {
  ordered_json out = ordered_json::array();
  for (const auto& p : infos) {
    ordered_json entry = {{"key", p.path}, {"type", p.type}};
    if (!p.default_text.empty()) entry["default"] = p.default_text;
    if (!p.range_text.empty()) entry["range"] = p.range_text;
    if (p.required) entry["required"] = true;
    if (!p.doc.empty()) entry["doc"] = p.doc;
    if (!p.source.empty()) entry["source"] = p.source;
    if (!p.verified) entry["verified"] = false;
    out.push_back(entry);
  }
  return out;
}

template <class T>
ordered_json table_of() {
  const Schema<T>& s = T::schema();
  return {{"name", s.name()}, {"doc", s.doc()}, {"parameters", parameters_of(s.describe())}};
}

ordered_json list_platforms(const std::string& dir) {
  ordered_json out = ordered_json::array();
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(dir, error)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    try {
      const Section root = Document::load(file.string()).root();
      if (!root.has("platform")) continue;
      const auto about = root.child("platform").read<config::AboutConfig>();
      out.push_back({{"name", about.name}, {"file", file.string()}, {"doc", about.description}});
    } catch (const InputError& e) {
      out.push_back({{"name", file.stem().string()},
                     {"file", file.string()},
                     {"doc", std::string("cannot be read: ") + e.what()}});
    }
  }
  return out;
}

ordered_json list_devices() {
  return ordered_json::array({
      {{"name", "rnic"}, {"doc", rnic::RnicConfig::schema().doc()}},
      {{"name", "tofino"}, {"doc", tofino::ChipConfig::schema().doc()}},
      {{"name", "switch"}, {"doc", fabric::SwitchConfig::schema().doc()}},
      {{"name", "host"}, {"doc", std::string(config::host_doc)}},
  });
}

ordered_json list_programs() {
  ordered_json out = ordered_json::array();
  for (const auto& p : programs::programs()) {
    out.push_back({{"name", p.name}, {"doc", p.doc}, {"parameters", parameters_of(p.describe())}});
  }
  return out;
}

ordered_json list_chips() {
  ordered_json out = ordered_json::array();
  for (const auto& name : dataplane::ChipSpec::shipped()) {
    const auto chip = dataplane::ChipSpec::find({name, {}});
    out.push_back({{"name", name}, {"doc", chip.description}});
  }
  return out;
}

/// Values of a NIC file by dotted key, with what it says of each.
void append_values(const ordered_json& table, const std::string& prefix, const rnic::NicSpec& spec,
                   ordered_json& out) {
  static const auto parameters = rnic::RnicConfig::schema().describe();
  for (const auto& [key, value] : table.items()) {
    const std::string path = prefix + key;
    if (value.is_object()) {
      append_values(value, path + ".", spec, out);
      continue;
    }
    ordered_json entry = {{"key", path}};
    for (const auto& p : parameters) {
      if (p.path == path) entry["type"] = p.type;
    }
    entry["default"] = value.is_string() ? value.get<std::string>() : value.dump();
    for (const auto& range : spec.ranges) {
      if (range.key.value == path) entry["range"] = range.low.value + " .. " + range.high.value;
    }
    if (const auto source = spec.source_of(path); !source.empty()) entry["source"] = source;
    out.push_back(entry);
  }
}

ordered_json list_nics() {
  ordered_json out = ordered_json::array();
  for (const auto& name : rnic::NicSpec::shipped()) {
    const auto spec = rnic::NicSpec::find({name, {}});
    ordered_json values = ordered_json::array();
    append_values(spec.nic.to_json(), "", spec, values);
    out.push_back({{"name", name}, {"doc", spec.description}, {"parameters", values}});
  }
  return out;
}

ordered_json list_workloads() {
  ordered_json out = ordered_json::array();
  for (const auto& name : traffic::SizeDistribution::shipped()) {
    const auto sizes = traffic::SizeDistribution::find({name, {}});
    out.push_back({{"name", name},
                   {"doc", fmt::format("{}; mean {} bytes; source: {}", sizes.file().description,
                                       sizes.mean_q16() >> 16, sizes.file().source)}});
  }
  return out;
}

ordered_json list_policies() {
  ordered_json out = ordered_json::array();
  for (const auto& seam : policy::policy_seams()) {
    for (const auto& p : seam.policies)
      out.push_back({{"name", p.name}, {"seam", seam.name}, {"doc", p.doc}});
  }
  return out;
}

ordered_json list_parameters() {
  ordered_json out = ordered_json::array();
  out.push_back(table_of<config::AboutConfig>());
  out.push_back(table_of<config::SimConfig>());
  out.push_back(table_of<rnic::RnicConfig>());
  out.push_back(table_of<tofino::ChipConfig>());
  for (const auto& p : programs::programs()) {
    out.push_back({{"name", fmt::format("program = \"{}\"", p.name)},
                   {"doc", p.doc},
                   {"parameters", parameters_of(p.describe())}});
  }
  out.push_back(table_of<fabric::SwitchConfig>());
  out.push_back(table_of<config::DeviceSpec>());
  out.push_back(table_of<config::LinkDefault>());
  out.push_back(table_of<config::LinkSpec>());
  out.push_back(table_of<config::ImpairmentSpec>());
  out.push_back(table_of<config::LeafSpineConfig>());
  out.push_back(table_of<config::FatTreeConfig>());
  out.push_back(table_of<config::JellyfishConfig>());
  out.push_back(table_of<config::RoutingConfig>());
  out.push_back(table_of<config::FailuresConfig>());
  auto messages = table_of<flows::MessagesConfig>();
  messages["name"] = "traffic, kind = \"messages\"";
  out.push_back(messages);
  auto packets = table_of<flows::PacketsConfig>();
  packets["name"] = "traffic, kind = \"packets\"";
  out.push_back(packets);
  auto collective = table_of<flows::CollectiveTraffic>();
  collective["name"] = "traffic, kind = \"collective\"";
  out.push_back(collective);
  auto flows = table_of<flows::FlowTraffic>();
  flows["name"] = "traffic, kind = \"flows\"";
  out.push_back(flows);
  auto incast = table_of<flows::IncastTraffic>();
  incast["name"] = "traffic, kind = \"incast\"";
  out.push_back(incast);
  auto list = table_of<flows::FlowListTraffic>();
  list["name"] = "traffic, kind = \"flow_list\"";
  out.push_back(list);
  out.push_back(table_of<config::SweepConfig>());
  out.push_back(table_of<config::SizeConfig>());
  out.push_back(table_of<config::ExplainConfig>());
  out.push_back(table_of<explain::ObservationsFile>());
  out.push_back(table_of<explain::HypothesesFile>());
  for (const auto& [name, parameters] : dataplane::describe_design_file()) {
    out.push_back({{"name", fmt::format("objects file: {}", name)},
                   {"doc", "horae size --objects"},
                   {"parameters", parameters_of(parameters)}});
  }
  return out;
}

void append_entry(std::string& text, const ordered_json& e) {
  const auto get = [&](const char* key) {
    return e.contains(key) ? e[key].get<std::string>() : std::string();
  };
  text += fmt::format("  {:<14} {}{}\n", get("name"),
                      e.contains("seam") ? "[" + get("seam") + "] " : "", get("doc"));
  if (e.contains("file")) text += fmt::format("  {:<14} {}\n", "", get("file"));
  if (!e.contains("parameters")) return;
  for (const auto& p : e["parameters"]) {
    const auto text_of = [&](const char* key) {
      return p.contains(key) ? p[key].get<std::string>() : std::string();
    };
    text += fmt::format("      {:<28} {}", text_of("key"), text_of("type"));
    if (p.contains("required")) text += ", required";
    if (p.contains("default")) text += ", default " + text_of("default");
    if (p.contains("range")) text += ", " + text_of("range");
    text += "\n";
    if (p.contains("doc")) text += fmt::format("      {:<28}   {}\n", "", text_of("doc"));
    if (p.contains("source"))
      text += fmt::format("      {:<28}   source: {}\n", "", text_of("source"));
    if (p.contains("verified"))
      text += fmt::format("      {:<28}   UNVERIFIED: a modeller's assumption\n", "");
  }
}

}  // namespace

const std::vector<std::string>& catalogue_sections() {
  static const std::vector<std::string> all = {"platforms", "devices",  "chips",    "nics",
                                               "workloads", "programs", "policies", "parameters"};
  return all;
}

ordered_json catalogue(const std::string& section, const std::string& platform_dir) {
  const auto& all = catalogue_sections();
  if (!section.empty() && std::find(all.begin(), all.end(), section) == all.end()) {
    throw InputError(
        fmt::format("list: unknown section '{}'{}", section, suggestion(section, all)));
  }
  const auto wanted = [&](const char* name) { return section.empty() || section == name; };
  ordered_json out = ordered_json::object();
  if (wanted("platforms")) out["platforms"] = list_platforms(platform_dir);
  if (wanted("devices")) out["devices"] = list_devices();
  if (wanted("chips")) out["chips"] = list_chips();
  if (wanted("nics")) out["nics"] = list_nics();
  if (wanted("workloads")) out["workloads"] = list_workloads();
  if (wanted("programs")) out["programs"] = list_programs();
  if (wanted("policies")) out["policies"] = list_policies();
  if (wanted("parameters")) out["parameters"] = list_parameters();
  return out;
}

std::string catalogue_text(const ordered_json& catalogue) {
  std::string text;
  for (const auto& [section, entries] : catalogue.items()) {
    text += section + "\n";
    for (const auto& e : entries) append_entry(text, e);
    text += "\n";
  }
  return text;
}

}  // namespace horae::cli
