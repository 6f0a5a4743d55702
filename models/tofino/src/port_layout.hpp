// Which pipeline each port of a chip belongs to.
#pragma once

#include <string>
#include <vector>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/tofino/chip_config.hpp"

namespace horae::tofino {

/// The pipeline of each of the `ports` in use. InputError, of the chip `name`, for more ports than
/// the configuration gives it, for a pipeline that is not there, and for more queues of programs
/// than `chip` has for a pipeline.
std::vector<unsigned> pipelines_of_ports(const ChipConfig& config, const dataplane::ChipSpec& chip,
                                         unsigned ports, const std::string& name);

}  // namespace horae::tofino
