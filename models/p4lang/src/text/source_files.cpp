#include "source_files.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace horae::p4lang {
namespace {

/// A file's bytes; nothing for what is not there, a folder, or one that cannot be read.
std::optional<std::string> from_disk(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) &&
      !std::filesystem::is_character_file(path, error) && !std::filesystem::is_fifo(path, error))
    return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string beside(const std::string& file, const std::string& name) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? name : file.substr(0, slash + 1) + name;
}

}  // namespace

std::uint32_t SourceFiles::add(const std::string& name, std::string text) {
  const auto index = static_cast<std::uint32_t>(texts_.size());
  names_.push_back(name);
  texts_.push_back(std::move(text));
  known_.emplace(name, index);
  return index;
}

std::optional<std::uint32_t> SourceFiles::open(const std::string& path) {
  if (const auto it = known_.find(path); it != known_.end()) return it->second;
  auto text = options_.read ? options_.read(path) : from_disk(path);
  if (!text) return std::nullopt;
  return add(path, std::move(*text));
}

std::optional<std::uint32_t> SourceFiles::include(const std::string& name, bool quoted,
                                                  std::uint32_t from) {
  if (name.starts_with('/')) return open(name);
  if (quoted && !names_[from].starts_with('<')) {
    if (auto file = open(beside(names_[from], name))) return file;
  }
  for (const auto& folder : options_.include_folders) {
    if (auto file = open(folder + (folder.ends_with('/') ? "" : "/") + name)) return file;
  }
  const std::string shown = "<" + name + ">";
  if (const auto it = known_.find(shown); it != known_.end()) return it->second;
  for (const auto& shipped : options_.shipped) {
    if (shipped.name == name) return add(shown, std::string(shipped.text));
  }
  return std::nullopt;
}

}  // namespace horae::p4lang
