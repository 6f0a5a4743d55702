// View that a script of the control plane has of a program: its tables and objects, with their
// fields.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "horae/p4prog/control_plane.hpp"

namespace horae::p4prog {

/// Metadata that an ingress parser takes from in front of packets, by their port.
struct PortMetadata {
  std::string name;  ///< "pipe.IgParser.$PORT_METADATA", as bf-p4c calls the table
  const p4lang::Type* type = nullptr;
};

/// One for each parser that calls port_metadata_unpack().
std::vector<PortMetadata> port_metadata_of(const p4lang::Program& program);

/// Names, kinds, sizes and fields of all that the control plane reaches, by the names that bf-p4c
/// gives them in bf-rt.json. Tables that no gress applies are not there. `pipes`: how many values a
/// register's cell is read as.
nlohmann::ordered_json script_view(const p4lang::Program& program, const ControlPlane& control,
                                   const std::string& name, bool tofino2, unsigned pipes);

}  // namespace horae::p4prog
