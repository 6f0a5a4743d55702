// Versions of the compiler's schemas (internal to the room).
#pragma once

#include <string_view>

#include "horae/p4/json.hpp"

namespace horae::p4 {

/// Refuses a file whose schema is of another model than `model`, or of a later revision than
/// `revision`: MODEL.REVISION.ADDITION (SchemaVer; each of the back end's schema files says which
/// it is). An addition breaks no reader. InputError.
void check_schema(const Json& file, std::string_view schema, int model, int revision);

}  // namespace horae::p4
