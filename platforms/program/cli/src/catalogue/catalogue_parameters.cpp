#include "catalogue_parameters.hpp"

#include <fmt/format.h>

#include <string>

#include "horae/config/platform.hpp"
#include "horae/config/plugins.hpp"
#include "horae/dataplane/design/design_file.hpp"
#include "horae/fabric/module_kind.hpp"
#include "horae/fabric/topology_kind.hpp"
#include "horae/params/schema.hpp"
#include "horae/question/files.hpp"
#include "horae/rnic/nic_spec.hpp"
#include "horae/workload/traffic_kind.hpp"

namespace horae::cli {
namespace {

using nlohmann::ordered_json;

template <class T>
ordered_json table_of() {
  const Schema<T>& s = T::schema();
  return {{"name", s.name()}, {"doc", s.doc()}, {"parameters", parameters_of(s.describe())}};
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

}  // namespace

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

ordered_json list_parameters() {
  ordered_json out = ordered_json::array();
  out.push_back(table_of<config::TopConfig>());
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
  out.push_back(table_of<config::ImpairmentGroup>());
  for (const auto& kind : fabric::topology_kinds()) {
    out.push_back(
        {{"name", kind.name}, {"doc", kind.doc}, {"parameters", parameters_of(kind.describe())}});
  }
  out.push_back(table_of<config::ModuleSpec>());
  out.push_back(table_of<config::MemorySpec>());
  out.push_back(table_of<config::EventSpec>());
  for (const auto& kind : fabric::module_kinds()) {
    out.push_back({{"name", fmt::format("{}, kind = \"{}\"", kind.end_point ? "profile" : "module",
                                        kind.name)},
                   {"doc", kind.doc},
                   {"parameters", parameters_of(kind.describe())}});
  }
  for (const auto& kind : rnic::memory_kinds()) {
    out.push_back({{"name", fmt::format("host_memory, kind = \"{}\"", kind.name)},
                   {"doc", kind.doc},
                   {"parameters", parameters_of(kind.describe())}});
  }
  out.push_back(table_of<config::RoutingConfig>());
  out.push_back(table_of<config::ClassesConfig>());
  out.push_back(table_of<config::FailuresConfig>());
  for (const auto& kind : workload::traffic_kinds()) {
    out.push_back({{"name", fmt::format("traffic, kind = \"{}\"", kind.name)},
                   {"doc", kind.doc},
                   {"parameters", parameters_of(kind.describe())}});
  }
  out.push_back(table_of<config::SweepConfig>());
  out.push_back(table_of<config::SizeConfig>());
  out.push_back(table_of<config::ExplainConfig>());
  out.push_back(table_of<question::ObservationsFile>());
  out.push_back(table_of<question::HypothesesFile>());
  for (const auto& [name, parameters] : dataplane::describe_design_file()) {
    out.push_back({{"name", fmt::format("objects file: {}", name)},
                   {"doc", "horae size --objects"},
                   {"parameters", parameters_of(parameters)}});
  }
  return out;
}

}  // namespace horae::cli
