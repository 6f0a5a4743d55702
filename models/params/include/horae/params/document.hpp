// A TOML document with what the command line changes in it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/params/section.hpp"

namespace horae {

/// A TOML document with `--set` overrides applied. An override is KEY=VALUE: KEY a dotted path such
/// as `link[0].delay` (an index one past the end appends), VALUE a TOML value, or else taken as a
/// bare text (`nic.rate=200Gbps`). A later override wins over an earlier one.
class Document {
 public:
  /// Reads a file. InputError when it cannot be read, is not TOML, or an override is malformed.
  static Document load(const std::string& path, const std::vector<std::string>& overrides = {});
  /// Reads a text; `name` stands for the file in messages. InputError as for `load`.
  static Document parse(std::string_view text, const std::string& name,
                        const std::vector<std::string>& overrides = {});

  Section root() const { return root_; }

 private:
  explicit Document(Section root) : root_(std::move(root)) {}

  Section root_;
};

}  // namespace horae
