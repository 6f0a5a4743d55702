// Features that the devices of a platform do without, where nothing in its file says so.
#pragma once

#include <string>

#include "horae/config/platform.hpp"

namespace horae::config {

/// One line on what real networks have and this platform's devices do not: limits of the buffer,
/// ECN and PFC of plain switches; congestion control of NICs. Where only some of the profiles do
/// without, their names follow. Empty where none does.
std::string plain_devices(const PlatformConfig& platform);

}  // namespace horae::config
