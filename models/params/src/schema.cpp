#include "horae/params/schema.hpp"

#include <fmt/format.h>

#include "path.hpp"

namespace horae::detail {

void refuse_missing(const Section& section, std::string_view key, std::string_view doc) {
  const std::string_view colon = doc.empty() ? "" : ": ";
  const std::string in = section.path().empty() ? "at" : "in";
  throw input_error(section.where(), fmt::format("missing key '{}' {} {}{}{}", key, in,
                                                 section.title(), colon, doc));
}

void refuse_unknown(const Section& section, const Entry& entry,
                    const std::vector<std::string>& valid) {
  const std::string in = section.path().empty() ? "at" : "in";
  throw input_error(entry.where, fmt::format("unknown key '{}' {} {}{}", printable(entry.key), in,
                                             section.title(), suggestion(entry.key, valid)));
}

void refuse_schema(std::string_view schema, std::string_view field, std::string_view why) {
  throw ModelError(fmt::format("schema {}: field '{}': {}", schema, field, why));
}

Section sub_section(const Section& parent, std::string_view key) {
  if (parent.has(key)) return parent.child(key);
  return Section(nullptr, join_path(parent.path(), key), parent.where());
}

}  // namespace horae::detail
