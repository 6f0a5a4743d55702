// The readers of the folder's files (internal to the room).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "horae/p4/json.hpp"
#include "horae/p4/report.hpp"

namespace horae::p4 {

/// dep.json: the first graph of each gress that is not placed.
TableGraph read_table_graph(const Json& file);

/// resources.json.
StageUsage read_stage_usage(const Json& file);

/// power.json: cycles by gress.
std::array<std::uint32_t, 2> read_latency(const Json& file);

/// The assembler file.
std::vector<AssemblerTable> read_assembler_file(const std::string& path);

/// Header vector, parser and deparser of the assembler file.
HeaderVector read_header_vector(const std::string& path);

/// "ingress" or "egress"; nothing for "ghost". InputError for anything else.
std::optional<dataplane::Gress> read_gress(const Json& value);

}  // namespace horae::p4
