// The parameters of a linear hash, as platform files give them.
#pragma once

#include "horae/core/linear_hash.hpp"
#include "horae/params/located.hpp"

namespace horae {

/// Keys of a table such as [tor.program.hash]: offset and seed of the CRC.
const Schema<LinearHashConfig>& linear_hash_schema();

}  // namespace horae
