// A command line that is being typed, and what can follow it.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"

namespace horae::cli {

using Words = std::vector<std::string>;

/// A command line up to the word to complete.
class CommandLine {
 public:
  CommandLine(const CLI::App& app, Words words);

  /// All that its last word could be, whatever of it is typed. InputError of a file that cannot be
  /// read.
  Words candidates() const;

 private:
  const CLI::App* command_of(const std::string& word) const;
  const CLI::Option* option_of(const std::string& word) const;

  Words commands() const;
  Words flags() const;

  Words positional(const CLI::Option& option) const;

  /// Possible values of an option, by its name or by the word for its value in the help.
  Words values(const CLI::Option& option, const std::string& typed) const;

  config::PlatformConfig platform() const;

  /// KEY, or of a key that is there KEY=VALUE.
  Words settings(const std::string& typed, const std::string& after, bool with_values) const;

  Words labels() const;

  const CLI::App* command_;
  std::string current_;
  const CLI::Option* open_ = nullptr;  ///< whose value is to be completed
  Words positionals_;
  std::map<std::string, Words> given_;  ///< values by option
};

}  // namespace horae::cli
