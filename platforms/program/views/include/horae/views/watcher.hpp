// All that can be watched of a run.
#pragma once

#include "horae/fabric/observer.hpp"
#include "horae/rnic/nic_observer.hpp"
#include "horae/tofino/pass_observer.hpp"

namespace horae::views {

/// Told of packets, of passes of chips and of NICs' messages and NACKs.
class Watcher : public fabric::observer, public tofino::pass_observer, public rnic::nic_observer {
 public:
  using rnic::nic_observer::stepped;
  using tofino::pass_observer::stepped;
};

}  // namespace horae::views
