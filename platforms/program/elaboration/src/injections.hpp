// [[event]]: harm to chosen packets, put on the ports that send them.
#pragma once

#include "horae/elaboration/connections.hpp"
#include "horae/elaboration/devices.hpp"

namespace horae::elaboration {

/// Once connections are there, as an event names their queue pairs. InputError where it names none.
void inject(const config::PlatformConfig& platform, const Devices& devices,
            const Connections& connections);

}  // namespace horae::elaboration
