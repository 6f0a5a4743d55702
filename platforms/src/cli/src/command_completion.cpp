// horae completion: the shells' half of completion; and horae complete, which they ask.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "horae/cli/catalogue.hpp"
#include "horae/cli/command.hpp"
#include "horae/cli/complete_keys.hpp"
#include "horae/core/error.hpp"
#include "horae/flows/read_platform.hpp"
#include "horae/params/document.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/run/run.hpp"

namespace horae::cli {

namespace {

using Words = std::vector<std::string>;

// Candidates that end in one of /=. are to be continued: no blank after them.
const std::map<std::string, std::string> scripts = {
    {"bash", R"sh(# Completion of horae in bash:  eval "$(horae completion bash)"
_horae() {
  local line=${COMP_LINE:0:COMP_POINT} candidate
  local word=${line##*[[:space:]]} cut=
  # bash completes what is behind the last word break only
  [[ $COMP_WORDBREAKS == *=* ]] && cut=${word%"${word##*=}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=${candidate#"$cut"}
    # bash puts it into the line as it is: what has quotes in it is quoted
    [[ $candidate == *\"* ]] && printf -v candidate %q "$candidate"
    COMPREPLY+=("$candidate")
  done < <("${COMP_WORDS[0]}" complete "$line" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *[/=.] ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _horae horae
)sh"},
    {"zsh", R"sh(#compdef horae
# Completion of horae in zsh:  eval "$(horae completion zsh)", after compinit
_horae() {
  local -a found whole open
  found=("${(@f)$(${words[1]} complete "${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
  open=(${(M)found:#*[/=.]})
  whole=(${found:#*[/=.]})
  (( ${#whole} )) && compadd -- "${whole[@]}"
  (( ${#open} )) && compadd -S '' -- "${open[@]}"
}
compdef _horae horae
)sh"},
    {"fish", R"sh(# Completion of horae in fish:  horae completion fish | source
complete -c horae -f -a '(horae complete (commandline -cp) 2>/dev/null)'
)sh"}};

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

/// Files below what is typed so far whose names end so, and folders; `ending` "/": folders only.
Words files(const std::string& typed, const std::string& ending) {
  namespace fs = std::filesystem;
  const std::size_t slash = typed.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : typed.substr(0, slash + 1);
  Words found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.')) continue;
    if (entry.is_directory(error)) {
      found.push_back(folder + name + "/");
    } else if (name.ends_with(ending)) {
      found.push_back(folder + name);
    }
  }
  return found;
}

Words platform_files(const std::string& typed) {
  Words found = files(typed, ".toml");
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(platform_dir(), error)) {
    if (entry.path().extension() == ".toml") found.push_back(entry.path().string());
  }
  return found;
}

Words names_in(const char* section) {
  Words names;
  const auto all = catalogue(section, platform_dir());
  for (const auto& entry : all.at(section)) names.push_back(entry.at("name"));
  return names;
}

/// A command line up to the word to complete.
class CommandLine {
 public:
  CommandLine(const CLI::App& app, Words words) : command_(&app), current_(words.back()) {
    words.pop_back();
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (const CLI::App* inner = command_of(word)) {
        command_ = inner;
        given_.clear();
        continue;
      }
      const CLI::Option* option = word.starts_with('-') ? option_of(word) : nullptr;
      if (option == nullptr) {
        if (!word.starts_with('-')) positionals_.push_back(word);
      } else if (takes_value(*option)) {
        if (i + 1 == words.size()) {
          open_ = option;
        } else {
          given_[option->get_name()].push_back(words[++i]);
        }
      }
    }
  }

  Words candidates() const {
    if (open_ != nullptr) return values(*open_, current_);
    const std::size_t equals = current_.find('=');
    if (current_.starts_with('-') && equals != std::string::npos) {
      const CLI::Option* option = option_of(current_.substr(0, equals));
      if (option == nullptr) return {};
      Words found = values(*option, current_.substr(equals + 1));
      for (auto& value : found) value = current_.substr(0, equals + 1) + value;
      return found;
    }
    if (current_.starts_with('-')) return flags();
    Words found = commands();
    for (const auto* option : command_->get_options()) {
      if (option->get_positional()) append(found, positional(*option));
    }
    return found;
  }

 private:
  static bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }
  static void append(Words& to, const Words& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  const CLI::App* command_of(const std::string& word) const {
    for (const auto* sub : command_->get_subcommands([](const CLI::App*) { return true; })) {
      if (sub->get_name() == word) return sub;
    }
    return nullptr;
  }
  const CLI::Option* option_of(const std::string& word) const {
    for (const auto* option : command_->get_options()) {
      if (option->check_name(word)) return option;
    }
    return nullptr;
  }

  Words commands() const {
    Words names;
    for (const auto* sub : command_->get_subcommands([](const CLI::App*) { return true; })) {
      if (!sub->get_group().empty()) names.push_back(sub->get_name());
    }
    return names;
  }
  Words flags() const {
    Words names;
    for (const auto* option : command_->get_options()) {
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
  }

  Words positional(const CLI::Option& option) const {
    if (!positionals_.empty()) return {};
    if (option.get_type_name() == "PLATFORM.toml") return platform_files(current_);
    if (option.get_name() == "section") return catalogue_sections();
    if (option.get_name() == "shell") {
      Words shells;
      for (const auto& [shell, script] : scripts) shells.push_back(shell);
      return shells;
    }
    return files(current_, "");
  }

  /// What an option's value can be, by its name or by what its help calls the value.
  Words values(const CLI::Option& option, const std::string& typed) const {
    const std::string name = option.get_name(), type = option.get_type_name();
    if (name == "--reading")
      return {"rate=l1", "rate=l2", "ratio=unique", "ratio=payload", "nacks=sender", "nacks=both"};
    if (name == "--set") return settings(typed, "=", true);
    if (type == "KEY=A,B,C") return settings(typed, "=", false);
    if (type == "KEY") return settings(typed, "", false);
    if (type == "LABEL") return labels();
    if (type == "PLATFORM.toml") return platform_files(typed);
    if (type == "DIR") return files(typed, "/");
    if (type == "FILE") return files(typed, "");
    Words found;
    if (type == "CHIP") found = names_in("chips");
    if (type == "NIC") found = names_in("nics");
    if (!found.empty()) append(found, files(typed, ".toml"));
    return found;
  }

  config::PlatformConfig platform(const Words& without_last = {}) const {
    Words overrides = without_last;
    if (const auto it = given_.find("--set"); it != given_.end()) overrides = it->second;
    return flows::read_platform(Document::load(positionals_.front(), overrides));
  }

  /// KEY, or of a key that is there KEY=VALUE.
  Words settings(const std::string& typed, const std::string& after, bool with_values) const {
    Words found;
    const std::size_t equals = typed.find('=');
    if (given_.contains("--nic")) {
      found = equals == std::string::npos ? nic_keys() : Words{};
    } else if (!positionals_.empty() && equals == std::string::npos) {
      found = keys_of(platform());
    } else if (!positionals_.empty() && with_values) {
      const std::string key = typed.substr(0, equals);
      for (const auto& value : values_of(platform(), key)) found.push_back(key + "=" + value);
      return found;
    }
    for (auto& key : found) key += after;
    return found;
  }

  Words labels() const {
    Words found;
    if (positionals_.empty()) return found;
    for (const auto& point : platform().sweep.points) found.push_back(point.label.value);
    return found;
  }

  const CLI::App* command_;
  std::string current_;
  const CLI::Option* open_ = nullptr;  ///< whose value is to be completed
  Words positionals_;
  std::map<std::string, Words> given_;  ///< values by option
};

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
