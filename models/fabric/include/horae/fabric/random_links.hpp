// Random graphs of switches.
#pragma once

#include <utility>
#include <vector>

#include "horae/core/random.hpp"

namespace horae::fabric {

/// Links of a random graph (Jellyfish: Singla et al., NSDI 2012, section 3): switch i has
/// `ports[i]` ports for other switches. Random pairs that are not joined yet are joined as long as
/// there are any; what is left is put into random links that are split for it. The graph is simple
/// and connected, and uses every port, but for one where their sum is odd. InputError where there
/// is no such graph, or none is found in a hundred attempts.
std::vector<std::pair<unsigned, unsigned>> random_links(const std::vector<unsigned>& ports,
                                                        RandomStream stream);

}  // namespace horae::fabric
