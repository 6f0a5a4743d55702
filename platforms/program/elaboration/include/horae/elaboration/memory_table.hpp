// Charges of a MemoryMeter as a table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "horae/elaboration/memory_meter.hpp"

namespace horae::elaboration {

/// A line for each part: how many, bytes of each and of all; then what else the program takes of
/// the machine's memory: its code, libraries, and what was given back and is kept.
std::string memory_text(const MemoryMeter& meter);
/// {"schema": 1, "parts": [{"what", "count", "bytes"}], "resident_bytes"}.
nlohmann::ordered_json memory_json(const MemoryMeter& meter);

}  // namespace horae::elaboration
