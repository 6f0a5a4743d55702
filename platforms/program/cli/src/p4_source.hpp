// The P4 program that a command names, and how it is to be read.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "horae/p4lang/compile.hpp"
#include "horae/p4prog/p4_switch.hpp"

namespace horae::cli {

/// Arguments by which every `horae p4` command reads its program.
struct P4Source {
  std::string file;
  std::string target = "tofino";
  std::vector<std::string> include_folders, defines;

  bool is_tofino2() const { return target == "tofino2"; }
  p4lang::Options options() const;
};

/// Scripts of the control plane that a command runs before the first packet.
struct P4Scripts {
  std::vector<std::string> files;
  std::string hostname;

  /// Runs them and fills the tables. Notes are warnings on standard error.
  void apply(const P4Source& source, const p4lang::Program& program, p4prog::P4Switch& chip) const;
};

/// Adds `name`, the program's file, and -I, -D and --target to a command.
void add_p4_source(CLI::App& command, P4Source& source, const char* name);

/// Adds --hostname.
void add_hostname(CLI::App& command, std::string& hostname);

/// The program's names, for scripts.
nlohmann::ordered_json p4_view(const P4Source& source, const p4lang::Program& program,
                               p4prog::P4Switch& chip);

/// Prints a JSON object: `out` with the keys of `rest` behind its own.
void print_json(nlohmann::ordered_json out, const nlohmann::ordered_json& rest);

/// The exit code of `body`. A program, or what else it reads, that it refuses (ProgramError,
/// InputError) is a line each on standard error, and in JSON, if asked for, `head` with the lines
/// as `reasons`; the code is exit_bad_input then.
int unless_refused(const nlohmann::ordered_json& head, bool json, const std::function<int()>& body);

}  // namespace horae::cli
