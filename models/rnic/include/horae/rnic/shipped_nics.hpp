// The NIC files that come with the sources.
#pragma once

#include <span>

#include "horae/params/shipped_file.hpp"

namespace horae::rnic {

/// The files of platforms/nics. This room only reads them: a program that links it defines them,
/// ours with the library horae::shipped.
extern const std::span<const ShippedFile> shipped_nics;

}  // namespace horae::rnic
