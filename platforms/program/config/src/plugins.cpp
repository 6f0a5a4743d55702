#include "horae/config/plugins.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/core/demangle.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/params/file_content.hpp"
#include "horae/params/schema.hpp"
#include "horae/params/shipped_file.hpp"
#include "plugin_abi.hpp"

namespace horae::config {
namespace {

using Field = std::array<char, 16>;

std::string text_of(const Field& field) {
  return {field.begin(), std::find(field.begin(), field.end(), '\0')};
}

/// Reads the file's own description without running it. InputError where it is no plug-in.
PluginAbi abi_of(const std::string& path, const Located<std::string>& name) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  constexpr PluginAbi ours = PluginAbi::here();
  const std::size_t at = bytes.find(std::string_view(ours.mark.data(), ours.mark.size()));
  if (at == std::string::npos || bytes.size() - at < sizeof(PluginAbi)) {
    throw input_error(name.where,
                      fmt::format("{}: no plug-in of Horae (no 'horae_plugin_abi' in it); expected "
                                  "a library that horae_add_plugin() builds",
                                  path));
  }
  PluginAbi abi;
  std::memcpy(&abi, bytes.data() + at, sizeof abi);
  return abi;
}

void require_same(const PluginAbi& theirs, const std::string& path,
                  const Located<std::string>& name) {
  constexpr PluginAbi ours = PluginAbi::here();
  const auto refuse = [&](std::string_view what, const std::string& found,
                          const std::string& expected) {
    throw input_error(name.where, fmt::format("{}: built with {} {}, this program has {}; build "
                                              "the plug-in against this installation",
                                              path, what, found, expected));
  };
  if (theirs.version != ours.version)
    refuse("Horae", text_of(theirs.version), text_of(ours.version));
  if (theirs.digest != ours.digest) refuse("headers", text_of(theirs.digest), text_of(ours.digest));
  for (std::size_t i = 0; i < ours.numbers.size(); ++i) {
    if (theirs.numbers[i] != ours.numbers[i])
      refuse(PluginAbi::names[i], std::to_string(theirs.numbers[i]),
             std::to_string(ours.numbers[i]));
  }
}

/// The loader's complaint, with names as in C++.
std::string loader_message() {
  std::string text = ::dlerror();
  constexpr std::string_view undefined = "undefined symbol: ";
  const std::size_t at = text.find(undefined);
  if (at == std::string::npos) return text;
  const std::string symbol = text.substr(at + undefined.size());
  return std::string(undefined) + boost::core::demangle(symbol.c_str());
}

/// The address that a library has under a name.
void* symbol_of(const std::string& path, const Located<std::string>& name, const char* symbol,
                const char* expected) {
  require_same(abi_of(path, name), path, name);
  const std::string file = std::filesystem::absolute(path).string();  // no search by name
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw input_error(name.where, fmt::format("{}: cannot be loaded: {}", path, loader_message()));
  void* const found = ::dlsym(library, symbol);
  if (found == nullptr) throw input_error(name.where, fmt::format("{}: has no {}", path, expected));
  return found;
}

void load(const std::string& path, const Located<std::string>& name) {
  auto* const fill = reinterpret_cast<void (*)()>(
      symbol_of(path, name, "horae_plugin",
                "function 'horae_plugin'; expected extern \"C\" void horae_plugin()"));
  try {
    fill();
  } catch (const InputError& e) {
    throw input_error(name.where, fmt::format("{}: {}", path, e.what()));
  }
}

}  // namespace

const Schema<TopConfig>& TopConfig::schema() {
  static const Schema<TopConfig> s =
      Schema<TopConfig>("top level", "Above all tables of a platform file.")
          .field("plugins", &TopConfig::plugins,
                 {.doc = "libraries that add load balancers, programs, ...; beside this "
                         "file"})
          .field("plugins_content", &TopConfig::plugins_content,
                 {.doc = "hash of each library's bytes, as `horae config` prints it: a file with "
                         "others is refused. Absent: the files as they are"});
  return s;
}

void load_plugins(const Section& root, nlohmann::ordered_json& effective) {
  if (!root.has("plugins")) {
    if (root.has("plugins_content"))
      throw root.error("plugins_content", "plugins_content without 'plugins'; expected both");
    return;
  }
  const auto config = root.read<TopConfig>(root.keys());
  const std::size_t given = config.plugins_content ? config.plugins_content->size() : 0;
  if (config.plugins_content && given != config.plugins.size()) {
    throw root.error("plugins_content", fmt::format("plugins_content of {} files, but plugins of "
                                                    "{}; expected one of each",
                                                    given, config.plugins.size()));
  }
  auto files = nlohmann::ordered_json::array();
  auto contents = nlohmann::ordered_json::array();
  static std::set<std::string> loaded;  // libraries stay for as long as the process
  for (std::size_t i = 0; i < config.plugins.size(); ++i) {
    const auto& name = config.plugins[i];
    const std::string path = find_file(name, "plugins");
    std::optional<Located<std::string>> content;
    if (config.plugins_content) content = (*config.plugins_content)[i];
    take_content(path, content);
    files.push_back(name.value);
    contents.push_back(content->value);
    const std::string file = std::filesystem::canonical(path).string();
    if (loaded.contains(file)) continue;
    load(file, name);
    loaded.insert(file);
  }
  effective["plugins"] = std::move(files);
  effective["plugins_content"] = std::move(contents);
}

const p4prog::CompiledProgram& load_p4_program(const Located<std::string>& name) {
  return *static_cast<const p4prog::CompiledProgram*>(
      symbol_of(find_file(name, "compiled"), name, "horae_p4_program",
                "'horae_p4_program'; expected a library of what horae p4 compile prints"));
}

}  // namespace horae::config
