// A platform with its traffic.
#pragma once

#include "horae/config/platform.hpp"

namespace horae::workload {

/// Reads and checks a platform, its traffic placed on its devices. InputError on anything that
/// cannot be built.
config::PlatformConfig read_platform(const Document& document);

}  // namespace horae::workload
