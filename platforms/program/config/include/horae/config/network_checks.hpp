// Whether the network of a platform can be built and reached.
#pragma once

#include "horae/config/platform.hpp"

namespace horae::config {

/// InputError unless the ends are two, and each outage ends after it begins.
void check_link(const LinkSpec& spec, const Section& section);
void check_link(const ImpairmentSpec& spec, const Section& section);
/// InputError unless each outage ends after it begins, and either a share or a count is given.
void check_group(const ImpairmentGroup& group, const Section& section);

/// InputError for what the platform's network or clock cannot be: no devices, a device without a
/// link or with more than it has ports, end points that cannot reach each other, a window longer
/// than the shortest link, a timeout shorter than the window.
void check_network(const PlatformConfig& platform, const Section& root);

/// InputError where a NIC listens to telemetry and a switch adds none, or a link's rate has no
/// code.
void check_telemetry(const PlatformConfig& platform, const Section& root);

/// InputError where [routing], `section`, asks for what a device does not do.
void check_routing(const PlatformConfig& platform, const Section& section);

}  // namespace horae::config
