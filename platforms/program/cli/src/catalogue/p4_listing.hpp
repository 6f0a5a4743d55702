// The text of `horae p4 check` for a program (internal to the room).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "horae/p4lang/program.hpp"

namespace horae::cli {

/// Pipes with their parsers and controls, tables, registers, other extern objects, warnings.
nlohmann::ordered_json p4_listing(const p4lang::Program& program);

/// The same as text for a terminal. `target` and `file` are for its first line.
std::string p4_listing_text(const nlohmann::ordered_json& listing, const std::string& file,
                            const std::string& target);

/// Faults as JSON: file, line, column, message.
nlohmann::ordered_json p4_faults(const std::vector<p4lang::Fault>& faults);

}  // namespace horae::cli
