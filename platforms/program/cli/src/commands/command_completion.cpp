// horae completion: the shells' half of completion; and horae complete, which they ask.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "command_line.hpp"
#include "completion_scripts.hpp"
#include "horae/cli/command.hpp"
#include "horae/core/error.hpp"
#include "horae/results/exit_code.hpp"

namespace horae::cli {
namespace {

/// A command line as a shell splits it, its last word being the one to complete (empty after a
/// blank).
Words split(const std::string& line) {
  Words words(1);
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? '\0' : c;
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

int complete(const CLI::App& app, const std::string& line) {
  const Words words = split(line);
  const std::string& typed = words.back();
  Words found;
  try {
    found = CommandLine(app, words).candidates();
  } catch (const InputError&) {
    return results::exit_done;  // of a file that cannot be read nothing is known
  }
  std::erase_if(found, [&](const std::string& word) {
    return !word.starts_with(typed) || word.find_first_of(" \t\n") != std::string::npos;
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  for (const auto& word : found) fmt::print("{}\n", word);
  return results::exit_done;
}

int print_script(const std::string& shell) {
  const auto& scripts = completion_scripts();
  const auto it = scripts.find(shell);
  if (it == scripts.end()) {
    Words shells;
    for (const auto& [name, script] : scripts) shells.push_back(name);
    throw InputError(
        fmt::format("completion: unknown shell '{}'{}", shell, suggestion(shell, shells)));
  }
  fmt::print("{}", it->second);
  return results::exit_done;
}

}  // namespace

Command add_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = add_command(
      app, "completion", "Print a shell's completion of commands, flags, files, keys and names.",
      "Examples: eval \"$(horae completion bash)\"      # in ~/.bashrc\n"
      "          eval \"$(horae completion zsh)\"       # in ~/.zshrc, after compinit\n"
      "          horae completion fish | source       # in ~/.config/fish/config.fish");
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->type_name("SHELL");
  return {command, [shell] { return print_script(*shell); }};
}

Command add_complete(CLI::App& app) {
  const auto line = std::make_shared<std::string>();
  CLI::App* command = add_command(app, "complete", "What can follow a command line.", "");
  command->group("");  // for shells: no help shows it
  command->add_option("line", *line, "the command line up to the cursor")->required();
  return {command, [line, &app] { return complete(app, *line); }};
}

}  // namespace horae::cli
