// Shared by the commands of the program: how a command is registered, and the options many of them
// have.
//
// A command is one file, command_<name>.cpp, with one function `Command add_<name>(CLI::App&)`, its
// declaration below and its line in main.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "horae/views/view_options.hpp"

namespace horae::cli {

/// A command of the command line: its options, and what it does once they are read.
struct Command {
  CLI::App* app = nullptr;
  std::function<int()> act;  ///< returns the exit code
};

/// `horae run`: simulates a platform.
Command add_run(CLI::App& app);
/// `horae size`: prices programs against chips and queue pairs against NICs.
Command add_size(CLI::App& app);
/// `horae explain`: holds hypotheses against published numbers.
Command add_explain(CLI::App& app);
/// `horae replay`: sends captures through a switch.
Command add_replay(CLI::App& app);
/// `horae list`: what there is.
Command add_list(CLI::App& app);
/// `horae batch`: many command lines in one process.
Command add_batch(CLI::App& app);
/// `horae p4`: a user's P4 program.
Command add_p4(CLI::App& app);
/// `horae completion`: prints a shell's completion script.
Command add_completion(CLI::App& app);
/// `horae complete`, hidden: what those scripts ask.
Command add_complete(CLI::App& app);
/// `horae config`: the configuration in effect.
Command add_config(CLI::App& app);

/// A subcommand with the settings every command has; arguments left over are refused by main.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& footer);

/// PLATFORM.toml, a positional; whether it is required is the command's choice.
CLI::Option* add_platform_file(CLI::App& command, std::string& file);
/// --set KEY=VALUE, repeatable; `of` is what it overrides a value of.
CLI::Option* add_overrides(CLI::App& command, std::vector<std::string>& overrides,
                           const std::string& of = "platform");
/// --out DIR.
CLI::Option* add_out(CLI::App& command, std::optional<std::string>& out);
/// --jobs N; jobs_of() turns the 0 of "one per core" into a number.
CLI::Option* add_jobs(CLI::App& command, unsigned& jobs, const std::string& description);
/// --json.
CLI::Option* add_json(CLI::App& command, bool& json, const std::string& description);
/// --no-progress.
CLI::Option* add_no_progress(CLI::App& command, bool& no_progress);

/// Options for views of a run: --trace and the options that go with it.
void add_views(CLI::App& command, views::ViewOptions& views);

/// `jobs`, or one per core where it is 0.
unsigned jobs_of(unsigned jobs);

/// Digits only, from `least` to `most`.
CLI::Validator whole_number(unsigned most, unsigned least = 0);

/// The platforms that come with Horae: of the current directory, else of the installation (beside
/// the program's bin/), else of the sources.
std::string platform_dir();

/// A value of the option "platforms/..." that is no file here is that of `platform_dir`.
CLI::Option* shipped_file(CLI::Option* option);

}  // namespace horae::cli
