// The ordering engine that a configuration asks for, at the level it asks for.
#pragma once

#include "horae/policy/ordering/ordering.hpp"
#include "horae/rtl/lockstep.hpp"

namespace horae::rtl {

/// Whether hardware descriptions are part of this program (CMake: HORAE_RTL).
bool built_with_rtl();

/// Refuses, as make_ordering does, what cannot be made.
void check_ordering(const policy::OrderingConfig& config);

/// policy::make_ordering_engine for level `model`; EunomiaRtl for `rtl`; LockstepEngine for `both`.
/// An InputError when the engine has no RTL, no variant with these parameters was built, or the
/// program was built without RTL. `variant` asks for one by name; otherwise it is the first
/// that fits. Null for engine `none`.
std::unique_ptr<policy::OrderingEngine> make_ordering(const policy::OrderingConfig& config,
                                                      const LockstepOptions& options = {},
                                                      const std::string& variant = {});

/// The variant's parameters as a configuration of the model.
policy::OrderingConfig config_of(const EunomiaShape& shape);

}  // namespace horae::rtl
