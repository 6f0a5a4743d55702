#include "schema_version.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "horae/core/error.hpp"

namespace horae::p4 {

void check_schema(const Json& file, std::string_view schema, int model, int revision) {
  const Json& version = file.at("schema_version");
  const std::string& text = version.text();
  char* rest = nullptr;
  const long found_model = std::strtol(text.c_str(), &rest, 10);
  const long found_revision = *rest == '.' ? std::strtol(rest + 1, &rest, 10) : -1;
  if (*rest != '.' || found_model != model || found_revision < 0 || found_revision > revision) {
    throw input_error(version.where(),
                      fmt::format("{} schema {}: expected {}.0 to {}.{} (bf-p4c 9.13.4)", schema,
                                  version.described(), model, model, revision));
  }
}

}  // namespace horae::p4
