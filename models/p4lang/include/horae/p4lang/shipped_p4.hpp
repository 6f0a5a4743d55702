// The P4 files that come with the program.
#pragma once

#include <span>
#include <string_view>

#include "horae/core/cxx20.hpp"

namespace horae::p4lang {

/// A file that comes with the program, as core.p4.
struct ShippedFile {
  std::string_view name;
  std::string_view text;
};

/// core.p4, tna.p4, t2na.p4 and what they include. Defined by the library horae::shipped_p4.
extern const std::span<const ShippedFile> shipped_p4;

}  // namespace horae::p4lang
