// Files that are part of the program, found by name; a user's own are found by path.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horae/params/document.hpp"
#include "horae/params/located.hpp"

namespace horae {

/// A file that comes with the sources, compiled in.
struct ShippedFile {
  std::string_view name;  ///< without .toml
  std::string_view toml;  ///< its text
};

std::vector<std::string> names_of(std::span<const ShippedFile> files);

/// The path of a user's file: relative to the file that `name` was given in, or to the current
/// folder where `--set` gave it. InputError when it is no regular file.
std::string find_file(const Located<std::string>& name, std::string_view key);

/// The shipped file of that name, or, when `name` ends in ".toml", the user's own, relative to the
/// file that `name` was given in. `key` is what gave the name, `folder` what messages say shipped
/// files lie in. InputError when there is none.
Document find_document(const Located<std::string>& name, std::span<const ShippedFile> files,
                       std::string_view key, std::string_view folder);

}  // namespace horae
