// The Python files that scripts of a control plane run in.
#pragma once

#include <span>
#include <string_view>

#include "horae/core/cxx20.hpp"

namespace horae::control {

/// A file that comes with the program, as script.py.
struct ShippedFile {
  std::string_view name;
  std::string_view text;
};

/// Files of the folder `python` of this room. Defined by the library horae::shipped_bfrt.
extern const std::span<const ShippedFile> shipped_bfrt;

}  // namespace horae::control
