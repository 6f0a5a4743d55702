// Entries of a table of the program that follow the network's routes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "horae/p4prog/control_plane.hpp"
#include "horae/params/located.hpp"
#include "horae/params/schema.hpp"
#include "horae/programs/program.hpp"
#include "port_numbers.hpp"

namespace horae::p4chip {

/// `[X.program.routes]`: the table, and the names that an entry for a NIC takes.
struct RoutesConfig {
  enum class Address : std::uint8_t { ipv4, mac };
  Located<std::string> table;
  Located<std::string> key;
  Address address = Address::ipv4;
  Located<std::string> action;
  Located<std::string> port;
  std::optional<Located<std::string>> mac;

  static const Schema<RoutesConfig>& schema();
};

/// An entry for each NIC that the network's routes reach: its address as the key, the number of the
/// port as data of the action. Of several shortest paths NIC n takes number n modulo their number,
/// in the order of ports.
class RouteEntries {
 public:
  explicit RouteEntries(RoutesConfig config) : config_(std::move(config)) {}

  /// Writes the entries anew; NICs without a route have none. InputError with the place of the name
  /// that the program does not have.
  void write(p4prog::ControlPlane& control, const programs::Routes& routes,
             const PortNumbers& ports) const;
  /// The same refusals, before there is a network.
  void check(p4prog::ControlPlane& control) const;

 private:
  std::string address_of(NodeId node) const;

  RoutesConfig config_;
};

}  // namespace horae::p4chip
