#include "horae/config/effective.hpp"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

namespace horae::config {

using nlohmann::ordered_json;

const ordered_json* find_value(const ordered_json& effective, std::string_view key) {
  const ordered_json* at = &effective;
  while (!key.empty() && at != nullptr) {
    const std::size_t end = key.find_first_of(".[");
    const auto it = at->is_object() ? at->find(std::string(key.substr(0, end))) : at->end();
    if (it == at->end()) return nullptr;
    at = &*it;
    key.remove_prefix(end == std::string_view::npos ? key.size() : end);
    while (key.starts_with('[')) {
      std::size_t index = 0;
      const char* first = key.data() + 1;
      const auto parsed = std::from_chars(first, key.data() + key.size(), index);
      if (parsed.ec != std::errc() || parsed.ptr == key.data() + key.size() || *parsed.ptr != ']' ||
          !at->is_array() || index >= at->size()) {
        return nullptr;
      }
      at = &(*at)[index];
      key.remove_prefix(static_cast<std::size_t>(parsed.ptr + 1 - key.data()));
    }
    if (key.starts_with('.')) key.remove_prefix(1);
  }
  return at;
}

std::string folder_name(const std::string& label) {
  std::string out;
  for (const char c : label) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    out += plain || (c == '.' && !out.empty()) ? c : '_';  // no "..", no hidden folder
  }
  return out;
}

std::string hash_of(const ordered_json& effective) {
  // A fixed namespace of our own for RFC 4122 name-based UUIDs.
  constexpr boost::uuids::uuid space = {{0x68, 0x6f, 0x72, 0x61, 0x65, 0x2e, 0x63, 0x6f, 0x6e, 0x66,
                                         0x69, 0x67, 0x2e, 0x76, 0x31, 0x00}};
  return boost::uuids::to_string(boost::uuids::name_generator_sha1(space)(effective.dump()));
}

}  // namespace horae::config
