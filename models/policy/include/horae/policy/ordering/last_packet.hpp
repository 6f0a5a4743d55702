// The packet marked as a connection's last.
#pragma once

#include "horae/core/psn.hpp"

namespace horae::policy {

/// The highest PSN among tracked packets that were marked, until it is passed.
class LastPacket {
 public:
  void note(Psn psn) {
    if (known_ && !psn.after(psn_)) return;
    known_ = true;
    psn_ = psn;
  }
  /// Whether everything up to it has arrived now that `expected` is missing; forgets it then.
  bool passed(Psn expected) {
    if (!known_ || !expected.after(psn_)) return false;
    known_ = false;
    return true;
  }

 private:
  bool known_ = false;
  Psn psn_;
};

}  // namespace horae::policy
