#include "horae/params/file_content.hpp"

#include <fmt/format.h>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fstream>

#include "horae/core/error.hpp"

namespace horae {

std::string content_hash(const std::string& path) {
  constexpr std::size_t piece = 65536;
  // "horae.content.v1"
  boost::uuids::uuid hash = {{0x68, 0x6f, 0x72, 0x61, 0x65, 0x2e, 0x63, 0x6f, 0x6e, 0x74, 0x65,
                              0x6e, 0x74, 0x2e, 0x76, 0x31}};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  std::string bytes(piece, '\0');
  do {
    file.read(bytes.data(), static_cast<std::streamsize>(piece));
    const auto n = static_cast<std::size_t>(file.gcount());
    hash = boost::uuids::name_generator_sha1(hash)(bytes.data(), n);
  } while (file);
  if (file.bad()) throw InputError(fmt::format("{}: cannot be read", path));
  return boost::uuids::to_string(hash);
}

void take_content(const std::string& path, std::optional<Located<std::string>>& content) {
  const std::string found = content_hash(path);
  if (content && content->value != found) {
    throw input_error(content->where,
                      fmt::format("content = \"{}\": that of {} is \"{}\"; expected the same "
                                  "(leave content out to take the file as it is)",
                                  content->value, path, found));
  }
  if (!content) content.emplace(Located<std::string>{found, {}});
}

}  // namespace horae
