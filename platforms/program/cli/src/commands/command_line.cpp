#include "command_line.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "completion_scripts.hpp"
#include "horae/cli/catalogue.hpp"
#include "horae/cli/command.hpp"
#include "horae/cli/complete_keys.hpp"
#include "horae/params/document.hpp"
#include "horae/workload/read_platform.hpp"

namespace horae::cli {
namespace {

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

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

void append(Words& to, const Words& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

CommandLine::CommandLine(const CLI::App& app, Words words)
    : command_(&app), current_(words.back()) {
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

Words CommandLine::candidates() const {
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

const CLI::App* CommandLine::command_of(const std::string& word) const {
  for (const auto* sub : command_->get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == word) return sub;
  }
  return nullptr;
}

const CLI::Option* CommandLine::option_of(const std::string& word) const {
  for (const auto* option : command_->get_options()) {
    if (option->check_name(word)) return option;
  }
  return nullptr;
}

Words CommandLine::commands() const {
  Words names;
  for (const auto* sub : command_->get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) names.push_back(sub->get_name());
  }
  return names;
}

Words CommandLine::flags() const {
  Words names;
  for (const auto* option : command_->get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Words CommandLine::positional(const CLI::Option& option) const {
  if (!positionals_.empty()) return {};
  if (option.get_type_name() == "PLATFORM.toml") return platform_files(current_);
  if (option.get_name() == "section") return catalogue_sections();
  if (option.get_name() == "shell") {
    Words shells;
    for (const auto& [shell, script] : completion_scripts()) shells.push_back(shell);
    return shells;
  }
  return files(current_, "");
}

Words CommandLine::values(const CLI::Option& option, const std::string& typed) const {
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

config::PlatformConfig CommandLine::platform() const {
  Words overrides;
  if (const auto it = given_.find("--set"); it != given_.end()) overrides = it->second;
  return workload::read_platform(Document::load(positionals_.front(), overrides));
}

Words CommandLine::settings(const std::string& typed, const std::string& after,
                            bool with_values) const {
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

Words CommandLine::labels() const {
  Words found;
  if (positionals_.empty()) return found;
  for (const auto& point : platform().sweep.points) found.push_back(point.label.value);
  return found;
}

}  // namespace horae::cli
