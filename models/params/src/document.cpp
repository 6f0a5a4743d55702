#include "horae/params/document.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "overrides.hpp"
#include "toml_value.hpp"

namespace horae {

Document Document::parse(std::string_view text, const std::string& name,
                         const std::vector<std::string>& overrides) {
  const detail::ValuePtr root = detail::parse_toml(text, name);
  for (const auto& override_text : overrides) detail::apply_override(*root, override_text);
  return Document(Section(root, "", root->where));
}

Document Document::load(const std::string& path, const std::vector<std::string>& overrides) {
  const auto refuse = [&](std::string_view why) {
    return InputError(fmt::format("{}: cannot read: {}", path, why));
  };
  std::error_code status_error;
  if (std::filesystem::is_directory(path, status_error)) throw refuse("is a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw refuse(errno != 0 ? std::strerror(errno) : "cannot open");
  // A device without an end, or data in the place of a document, is not read to the end.
  constexpr std::size_t most = std::size_t{64} << 20;
  std::string text(64 << 10, '\0');
  std::size_t size = 0;
  while (file.read(text.data() + size, static_cast<std::streamsize>(text.size() - size))) {
    size = text.size();
    if (size >= most) throw refuse("is larger than 64 MiB, expected a TOML file");
    text.resize(2 * size);
  }
  text.resize(size + static_cast<std::size_t>(file.gcount()));
  if (file.bad()) throw refuse("input error");
  return parse(text, path, overrides);
}

}  // namespace horae
