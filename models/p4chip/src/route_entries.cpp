#include "route_entries.hpp"

#include <fmt/format.h>

#include "horae/core/codec.hpp"
#include "horae/core/error.hpp"

namespace horae::p4chip {
namespace {

std::string text_of(const MacAddress& a) {
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", a[0], a[1], a[2], a[3], a[4],
                     a[5]);
}

std::string text_of(const Ipv4Address& a) {
  return fmt::format("{}.{}.{}.{}", a[0], a[1], a[2], a[3]);
}

/// Gives a refusal without a place that of the key whose value is to blame.
template <class What>
void at(const Located<std::string>& value, const What& what) {
  try {
    what();
  } catch (const InputError& e) {
    throw input_error(value.where, e.what());
  }
}

}  // namespace

const Schema<RoutesConfig>& RoutesConfig::schema() {
  static const Schema<RoutesConfig> s =
      Schema<RoutesConfig>("routes",
                           "A table of the program that has an entry for each NIC, and follows the "
                           "network's routes, also after failures.")
          .required("table", &RoutesConfig::table, {.doc = "the table, by its name in the program"})
          .required("key", &RoutesConfig::key,
                    {.doc = "the field of its key that a NIC's address is compared with"})
          .choice("address", &RoutesConfig::address,
                  {{"ipv4", RoutesConfig::Address::ipv4}, {"mac", RoutesConfig::Address::mac}},
                  {.doc = "which address: NIC n has 10.0.0.n+1 and 02:00:00:00:00:00 + n+1"})
          .required("action", &RoutesConfig::action, {.doc = "the action of these entries"})
          .required("port", &RoutesConfig::port,
                    {.doc = "the action's parameter that takes the number of the port"})
          .field("mac", &RoutesConfig::mac,
                 {.doc = "the action's parameter that takes the MAC address of the NIC; absent: "
                         "there is none"});
  return s;
}

std::string RouteEntries::address_of(NodeId node) const {
  return config_.address == RoutesConfig::Address::ipv4 ? text_of(ipv4_of(node))
                                                        : text_of(mac_of(node));
}

void RouteEntries::check(p4prog::ControlPlane& control) const {
  const std::string& table = config_.table.value;
  const std::string& action = config_.action.value;
  at(config_.table, [&] { control.check_table(table); });
  at(config_.key, [&] { control.check_key(table, {config_.key.value, address_of(0)}); });
  at(config_.action, [&] { control.check_action(table, action); });
  at(config_.port, [&] { control.check_parameter(table, action, {config_.port.value, "0"}); });
  if (config_.mac)
    at(*config_.mac, [&] {
      control.check_parameter(table, action, {config_.mac->value, text_of(mac_of(0))});
    });
}

void RouteEntries::write(p4prog::ControlPlane& control, const programs::Routes& routes,
                         const PortNumbers& ports) const {
  for (const auto& route : routes.entries) {
    const std::vector<p4prog::NamedValue> keys = {{config_.key.value, address_of(route.node)}};
    if (route.ports.empty()) {
      control.remove(config_.table.value, std::nullopt, keys);
      continue;
    }
    const unsigned port = route.ports[route.node % route.ports.size()];
    std::vector<p4prog::NamedValue> data = {
        {config_.port.value, std::to_string(ports.number_of(port))}};
    if (config_.mac) data.push_back({config_.mac->value, text_of(mac_of(route.node))});
    at(config_.table,
       [&] { control.add(config_.table.value, std::nullopt, keys, config_.action.value, data); });
  }
}

}  // namespace horae::p4chip
