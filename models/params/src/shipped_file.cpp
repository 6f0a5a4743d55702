#include "horae/params/shipped_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "horae/core/error.hpp"

namespace horae {

std::vector<std::string> names_of(std::span<const ShippedFile> files) {
  std::vector<std::string> names;
  for (const auto& file : files) names.emplace_back(file.name);
  return names;
}

std::string find_file(const Located<std::string>& name, std::string_view key) {
  const std::filesystem::path beside = name.where.override_key.empty()
                                           ? std::filesystem::path(name.where.file).parent_path()
                                           : std::filesystem::path();
  auto path = (beside / name.value).string();
  if (!std::filesystem::is_regular_file(path))
    throw input_error(name.where, fmt::format("{} = \"{}\": no such file", key, path));
  return path;
}

Document find_document(const Located<std::string>& name, std::span<const ShippedFile> files,
                       std::string_view key, std::string_view folder) {
  if (name.value.ends_with(".toml")) {
    return Document::load(find_file(name, key));
  }
  for (const auto& file : files) {
    if (file.name == name.value)
      return Document::parse(file.toml, fmt::format("{}/{}.toml", folder, file.name));
  }
  const auto names = names_of(files);
  throw input_error(name.where,
                    fmt::format("{} = \"{}\" is none of {} and no .toml file{}", key, name.value,
                                fmt::join(names, ", "), suggestion(name.value, names)));
}

}  // namespace horae
