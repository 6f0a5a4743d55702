// A P4 program as a switch program of a chip.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "horae/p4prog/entries.hpp"
#include "horae/params/located.hpp"
#include "horae/programs/program.hpp"

namespace horae::p4chip {

/// Runs scripts of a control plane on what p4prog::script_view() says: files, in their order, and
/// the name of the host that they are told (empty: the machine's).
using ScriptRunner = std::vector<p4prog::ControlStep> (*)(
    const nlohmann::ordered_json& view, const std::vector<Located<std::string>>& files,
    const std::string& hostname);

/// The entry `p4` of the registry of programs. Without a runner platforms with scripts are refused;
/// the runner is that of the last entry that was made.
programs::ProgramEntry p4_entry(ScriptRunner runner = nullptr);

}  // namespace horae::p4chip
