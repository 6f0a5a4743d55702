// A P4 program as a switch program of a chip.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "horae/p4prog/compiled_pass.hpp"
#include "horae/p4prog/entries.hpp"
#include "horae/params/located.hpp"
#include "horae/programs/program.hpp"

namespace horae::p4chip {

/// Runs scripts of a control plane on what p4prog::script_view() says: files, in their order, and
/// the name of the host that they are told (empty: the machine's).
using ScriptRunner = std::vector<p4prog::ControlStep> (*)(
    const nlohmann::ordered_json& view, const std::vector<Located<std::string>>& files,
    const std::string& hostname);

/// Finds the compiled program of a library that a platform names. InputError, at the name, where it
/// is none.
using CompiledLoader = const p4prog::CompiledProgram& (*)(const Located<std::string>& name);

/// Functions that the program gives to the entry. Platforms that ask for what is not there are
/// refused.
struct P4Host {
  ScriptRunner scripts = nullptr;
  CompiledLoader compiled = nullptr;
};

/// The entry `p4` of the registry of programs; the host is that of the last entry that was made.
programs::ProgramEntry p4_entry(const P4Host& host = {});

}  // namespace horae::p4chip
