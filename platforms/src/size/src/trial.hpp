// One trial of a search.
#pragma once

#include <cstdint>
#include <string>

#include "horae/size/size.hpp"

namespace horae::size {

/// The request with one more override.
SizeRequest with(SizeRequest request, const std::string& key, std::int64_t value);

/// Whether everything fits; a value that the file's own rules refuse does not.
bool fits(const SizeRequest& request);

}  // namespace horae::size
