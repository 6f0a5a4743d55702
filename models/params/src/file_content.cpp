#include "horae/params/file_content.hpp"

#include <fmt/format.h>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fstream>
#include <sstream>

#include "horae/core/error.hpp"

namespace horae {

namespace {

std::string hash_of(std::istream& in) {
  constexpr std::size_t piece = 65536;
  // "horae.content.v1"
  boost::uuids::uuid hash = {{0x68, 0x6f, 0x72, 0x61, 0x65, 0x2e, 0x63, 0x6f, 0x6e, 0x74, 0x65,
                              0x6e, 0x74, 0x2e, 0x76, 0x31}};
  std::string bytes(piece, '\0');
  do {
    in.read(bytes.data(), static_cast<std::streamsize>(piece));
    const auto n = static_cast<std::size_t>(in.gcount());
    hash = boost::uuids::name_generator_sha1(hash)(bytes.data(), n);
  } while (in);
  return boost::uuids::to_string(hash);
}

}  // namespace

std::string content_hash(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  std::string out = hash_of(file);
  if (file.bad()) throw InputError(fmt::format("{}: cannot be read", path));
  return out;
}

std::string content_hash_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  return hash_of(in);
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
