// One trial of a search.
#pragma once

#include <cstdint>
#include <string>

#include "horae/size/size.hpp"

namespace horae::size {

/// The request with one more override.
SizeRequest with(SizeRequest request, const std::string& key, std::int64_t value);

enum class Trial : std::uint8_t { fits, does_not_fit, refused };
/// Refused: the file's own rules do not take it, so it says nothing of what fits.
Trial trial(const SizeRequest& request);
/// Whether everything fits; a value that the file's own rules refuse does not.
bool fits(const SizeRequest& request);

}  // namespace horae::size
