// The P4 program that a command names, and how it is to be read.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "horae/p4lang/compile.hpp"

namespace horae::cli {

/// Arguments by which every `horae p4` command reads its program.
struct P4Source {
  std::string file;
  std::string target = "tofino";
  std::vector<std::string> include_folders, defines;

  bool is_tofino2() const { return target == "tofino2"; }
  p4lang::Options options() const;
};

/// Adds `name`, the program's file, and -I, -D and --target to a command.
void add_p4_source(CLI::App& command, P4Source& source, const char* name);

}  // namespace horae::cli
