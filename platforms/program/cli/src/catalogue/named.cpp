#include "named.hpp"

#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"

namespace horae::cli {
namespace {

using nlohmann::ordered_json;

/// Whether a parameter is wanted, by the name of its entry and its key.
using IsWanted = std::function<bool(std::string_view entry, std::string_view key)>;

std::string text_of(const ordered_json& object, const char* key) {
  return object.at(key).get<std::string>();
}

/// Sections with the entries that `keep` leaves something of.
template <class Keep>
ordered_json kept(const ordered_json& catalogue, Keep keep) {
  ordered_json out = ordered_json::object();
  for (const auto& [section, entries] : catalogue.items()) {
    ordered_json left = ordered_json::array();
    for (const auto& entry : entries) keep(entry, left);
    if (!left.empty()) out[section] = std::move(left);
  }
  return out;
}

ordered_json entries_called(const ordered_json& catalogue, const std::string& name) {
  return kept(catalogue, [&](const ordered_json& entry, ordered_json& left) {
    if (entry.at("name") == name) left.push_back(entry);
  });
}

/// Quantities with `name` in theirs.
ordered_json quantities_with(const ordered_json& catalogue, const std::string& name) {
  return kept(catalogue, [&](const ordered_json& entry, ordered_json& left) {
    if (entry.contains("unit") && text_of(entry, "name").find(name) != std::string::npos)
      left.push_back(entry);
  });
}

ordered_json with_parameters(const ordered_json& catalogue, const IsWanted& is_wanted) {
  return kept(catalogue, [&](const ordered_json& entry, ordered_json& left) {
    if (!entry.contains("parameters")) return;
    ordered_json parameters = ordered_json::array();
    for (const auto& p : entry.at("parameters")) {
      if (is_wanted(text_of(entry, "name"), text_of(p, "key"))) parameters.push_back(p);
    }
    if (parameters.empty()) return;
    ordered_json part = entry;
    part["parameters"] = std::move(parameters);
    left.push_back(std::move(part));
  });
}

std::vector<std::string> all_names(const ordered_json& catalogue) {
  std::vector<std::string> names;
  for (const auto& entries : catalogue) {
    for (const auto& entry : entries) {
      names.push_back(text_of(entry, "name"));
      if (!entry.contains("parameters")) continue;
      for (const auto& p : entry.at("parameters")) {
        names.push_back(text_of(p, "key"));
        names.push_back(text_of(entry, "name") + "." + text_of(p, "key"));
      }
    }
  }
  return names;
}

/// The key as a part of a platform file has it: behind the name of its entry, or alone.
bool is_key(std::string_view entry, std::string_view key, std::string_view name) {
  return key == name || (name.size() == entry.size() + 1 + key.size() && name.starts_with(entry) &&
                         name[entry.size()] == '.' && name.ends_with(key));
}

/// A key of the table `name`, or of an element of the list.
bool is_below(std::string_view key, std::string_view name) {
  return key.size() > name.size() && key.starts_with(name) &&
         (key[name.size()] == '.' || key[name.size()] == '[');
}

}  // namespace

ordered_json named(const ordered_json& catalogue, const std::string& whole) {
  // Shipped platforms call the profile of an rnic so.
  const std::string profile = "nic.";
  const std::string name = whole.starts_with(profile) ? whole.substr(profile.size()) : whole;
  const std::vector<IsWanted> ways = {[&](std::string_view entry, std::string_view key) {
                                        return is_key(entry, key, name) || is_below(key, name);
                                      },
                                      [&](std::string_view, std::string_view key) {
                                        return key.find(name) != std::string_view::npos;
                                      }};
  if (auto entries = entries_called(catalogue, name); !entries.empty()) return entries;
  for (const auto& way : ways) {
    if (auto found = with_parameters(catalogue, way); !found.empty()) return found;
  }
  if (auto found = quantities_with(catalogue, whole); !found.empty()) return found;
  const std::string nearest = nearest_name(whole, all_names(catalogue));
  throw InputError(fmt::format("list: nothing is called '{}'{}", printable(whole),
                               nearest.empty() ? "; horae list names everything"
                                               : fmt::format(", did you mean '{}'?", nearest)));
}

}  // namespace horae::cli
