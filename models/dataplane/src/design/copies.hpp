// Objects of a list that stand for several (internal to the room).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "horae/dataplane/design/design.hpp"

namespace horae::dataplane {

/// How often each object is there; those not named: once, under their own name.
using Copies = std::map<std::string, std::uint32_t>;

/// Names of the form NAME[i]: for each copy of the object, the copy of the same number.
using Pairs = std::map<std::string, std::set<std::string>>;

/// The name without "[i]" at its end; whether it was there.
bool take_pair(std::string& name);

/// Puts NAME[0], NAME[1] ... in the place of each object with copies. Who names NAME means all of
/// them, unless the two are among `pairs`; of two that belong together the first copy belongs to
/// the first. Fields named NAME[i] are as many. InputError when two that go together are not as
/// many.
void make_copies(Design& design, const Copies& copies, const Pairs& pairs);

}  // namespace horae::dataplane
