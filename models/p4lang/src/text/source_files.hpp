// The files of a program: where includes are searched, what was read (internal to the room).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "horae/p4lang/compile.hpp"

namespace horae::p4lang {

/// Files by index, as Place::file names them.
class SourceFiles {
 public:
  SourceFiles(const Options& options, std::vector<std::string>& names)
      : options_(options), names_(names) {}

  /// The file of a path, or nothing.
  std::optional<std::uint32_t> open(const std::string& path);
  /// The file that an include finds: in quotes beside the including file first, then in the
  /// include folders, then among what is shipped.
  std::optional<std::uint32_t> include(const std::string& name, bool quoted, std::uint32_t from);
  const std::string& text(std::uint32_t file) const { return texts_[file]; }
  const std::string& name(std::uint32_t file) const { return names_[file]; }

 private:
  std::uint32_t add(const std::string& name, std::string text);
  const Options& options_;
  std::vector<std::string>& names_;
  std::vector<std::string> texts_;
  std::map<std::string, std::uint32_t> known_;
};

}  // namespace horae::p4lang
