#include "refuse.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"

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

}  // namespace horae::detail
