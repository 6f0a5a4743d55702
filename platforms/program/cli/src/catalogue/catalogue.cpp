#include "horae/cli/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "catalogue_parameters.hpp"
#include "horae/config/platform.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/chip_spec.hpp"
#include "horae/fabric/module_kind.hpp"
#include "horae/params/document.hpp"
#include "horae/policy/catalogue.hpp"
#include "horae/question/quantities.hpp"
#include "horae/rnic/memory_module.hpp"
#include "horae/run/result_names.hpp"
#include "horae/traffic/workload.hpp"
#include "named.hpp"

namespace horae::cli {
namespace {

using nlohmann::ordered_json;

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

ordered_json list_modules() {
  ordered_json out = ordered_json::array();
  const auto add = [&](const auto& kind) {
    out.push_back(
        {{"name", kind.name}, {"doc", kind.doc}, {"parameters", parameters_of(kind.describe())}});
  };
  std::ranges::for_each(fabric::module_kinds(), add);
  std::ranges::for_each(rnic::memory_kinds(), add);
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

/// Quantities of observations: readings of publications, then results of runs.
ordered_json list_quantities() {
  ordered_json out = ordered_json::array();
  for (const auto& q : question::quantities())
    out.push_back({{"name", q.name}, {"unit", q.unit}, {"doc", q.doc}});
  for (const auto& q : run::result_names())
    out.push_back({{"name", q.name}, {"unit", q.unit}, {"doc", q.meaning}});
  return out;
}

/// `width` is that of the column of names.
void append_entry(std::string& text, const ordered_json& e, std::size_t width) {
  const auto get = [&](const char* key) {
    return e.contains(key) ? e[key].get<std::string>() : std::string();
  };
  text += fmt::format("  {:<{}} {}{}\n", get("name"), width,
                      e.contains("seam")   ? "[" + get("seam") + "] "
                      : e.contains("unit") ? "[" + get("unit") + "] "
                                           : "",
                      get("doc"));
  if (e.contains("file")) text += fmt::format("  {:<{}} {}\n", "", width, get("file"));
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
  static const std::vector<std::string> all = {"platforms",  "devices",   "chips",    "nics",
                                               "workloads",  "programs",  "policies", "modules",
                                               "parameters", "quantities"};
  return all;
}

ordered_json catalogue(const std::string& section, const std::string& platform_dir,
                       const std::string& name) {
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
  if (wanted("modules")) out["modules"] = list_modules();
  if (wanted("parameters")) out["parameters"] = list_parameters();
  if (wanted("quantities")) out["quantities"] = list_quantities();
  return name.empty() ? out : named(out, name);
}

std::string catalogue_text(const ordered_json& catalogue) {
  std::string text;
  for (const auto& [section, entries] : catalogue.items()) {
    text += section + "\n";
    std::size_t width = 14;
    for (const auto& e : entries) width = std::max(width, e["name"].get<std::string>().size());
    for (const auto& e : entries) append_entry(text, e, width);
    text += "\n";
  }
  return text;
}

}  // namespace horae::cli
