// Objects of a list that stand for several (internal to the room).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "horae/dataplane/design.hpp"

namespace horae::dataplane {

/// How often each object is there; those not named: once, under their own name.
using Copies = std::map<std::string, std::uint32_t>;

/// Puts NAME[0], NAME[1] ... in the place of each object with copies. Who names NAME means all of
/// them; of two that belong together the first copy belongs to the first. InputError when those are
/// not as many.
void make_copies(Design& design, const Copies& copies);

}  // namespace horae::dataplane
