#include "horae/config/network_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "horae/config/failures.hpp"
#include "horae/core/error.hpp"

namespace horae::config {
namespace {

template <class T>
std::vector<std::string> names_of(const T& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

}  // namespace

void NetworkReader::check_name(const char* what, const std::string& name,
                               const Location& where) const {
  const auto valid = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ||
      !std::all_of(name.begin(), name.end(), valid)) {
    throw input_error(where, fmt::format("'{}' is no {} name: expected letters, digits and _, "
                                         "not starting with a digit",
                                         name, what));
  }
  constexpr std::size_t longest = 200;  // files are called after devices; 255 is the system's limit
  if (name.size() > longest) {
    throw input_error(where, fmt::format("a {} name of {} characters: expected at most {}", what,
                                         name.size(), longest));
  }
  if (name == "clock") {
    throw input_error(where, fmt::format("'clock' is no {} name: the simulator has one", what));
  }
  if (platform_.topology.find(name) >= 0) {
    throw input_error(where, fmt::format("device '{}' is there already", name));
  }
  for (const auto& m : platform_.modules) {
    if (m.name == name) throw input_error(where, fmt::format("module '{}' is there already", name));
  }
  for (const auto& m : platform_.memories) {
    if (m.name == name)
      throw input_error(where, fmt::format("host memory '{}' is there already", name));
  }
}

unsigned NetworkReader::add_device(const std::string& name, const Located<std::string>& profile,
                                   const Location& where) {
  const auto it = platform_.profiles.find(profile.value);
  if (it == platform_.profiles.end()) {
    throw input_error(profile.where,
                      fmt::format("unknown profile '{}'{}", profile.value,
                                  suggestion(profile.value, names_of(platform_.profiles))));
  }
  check_name("device", name, where);
  platform_.devices.push_back({name, profile.value, where});
  return is_endpoint(it->second) ? platform_.topology.add_endpoint(name)
                                 : platform_.topology.add_switch(name);
}

void NetworkReader::add_link(unsigned a, unsigned b, const LinkSpec& spec, const Location& where) {
  platform_.topology.add_edge(a, b);
  fabric::LinkConfig link;
  link.rate = spec.rate.value_or(defaults_.rate);
  link.delay = spec.delay.value_or(defaults_.delay);
  link.loss = spec.loss.value_or(defaults_.loss);
  link.whole_nanoseconds =
      spec.whole_nanoseconds.value_or(defaults_.whole_nanoseconds.value_or(false));
  for (const auto& o : spec.outages) link.outages.push_back({o.from, o.to});
  platform_.links.push_back({link, link, where});
}

void withdraw(PlatformConfig& platform, std::size_t link, const LinkChange& change) {
  if (!change.converge) return;
  for (const auto& o : change.outages) {
    platform.route_changes.push_back({o.from + *change.converge, link, true});
    platform.route_changes.push_back({o.to + *change.converge, link, false});
  }
}

void NetworkReader::impair(const ImpairmentSpec& spec, const Section& section) {
  const unsigned a = find(spec.between[0]), b = find(spec.between[1]);
  bool found = false;
  for (std::size_t i = 0; i < platform_.links.size(); ++i) {
    const auto& edge = platform_.topology.edges()[i];
    const bool straight = edge.a == a && edge.b == b;
    if (!straight && !(edge.a == b && edge.b == a)) continue;
    found = true;
    LinkInstance& link = platform_.links[i];
    for (auto* direction : {&link.config, &link.backward}) {
      const bool forward = (direction == &link.config) == straight;
      if (!forward && spec.direction == ImpairmentSpec::Direction::forward) continue;
      spec.apply(*direction);
    }
    withdraw(platform_, i, spec);
  }
  if (!found) {
    throw section.error("between", fmt::format("there is no link between '{}' and '{}'",
                                               spec.between[0].value, spec.between[1].value));
  }
}

unsigned NetworkReader::find(const Located<std::string>& name) const {
  const int i = platform_.topology.find(name.value);
  if (i < 0) {
    std::vector<std::string> names;
    for (const auto& d : platform_.devices) names.push_back(d.name);
    constexpr std::size_t most_listed = 16;
    const std::string near = nearest_name(name.value, names);
    throw input_error(name.where,
                      fmt::format("unknown device '{}'{}", name.value,
                                  near.empty() && names.size() > most_listed
                                      ? fmt::format("; it is none of the {} devices", names.size())
                                      : suggestion(name.value, names)));
  }
  return static_cast<unsigned>(i);
}

}  // namespace horae::config
