// The ordering engine that a configuration asks for, at the level it asks for.
#pragma once

#include "horae/policy/ordering/ordering.hpp"
#include "horae/rtl/lockstep.hpp"
#include "horae/rtl/ordering_block.hpp"

namespace horae::rtl {

/// Whether hardware descriptions are part of this program (CMake: HORAE_RTL).
bool built_with_rtl();

/// Refuses, as make_ordering does, what cannot be made.
void check_ordering(const policy::OrderingConfig& config);

/// policy::make_ordering_engine for level `model`; an OrderingRtl for `rtl`; an OrderingLockstep
/// for `both`. The hardware is the variant of Eunomia or the block outside the tree that
/// `config.rtl` names; the first that fits where it names none. An InputError when the engine has
/// no RTL, none with these parameters was built, or the program was built without RTL. Null for
/// engine `none`.
std::unique_ptr<policy::OrderingEngine> make_ordering(const policy::OrderingConfig& config,
                                                      const LockstepOptions& options = {});

/// The variant's parameters as a configuration of the model.
policy::OrderingConfig config_of(const EunomiaShape& shape);

}  // namespace horae::rtl
