// Passes of a program without a chip: what they do that its objects do not say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horae/programs/program.hpp"

namespace horae::programs {

/// Something that a program does in its passes and that none of its objects is charged for.
struct Unpriced {
  enum class Kind : std::uint8_t {
    rewrite,   ///< a header field changes in a pass that runs no action
    metadata,  ///< likewise what a packet carries to a later pass
    branch,    ///< an object runs in some passes only, and no gateway or table decides in which
  };
  Kind kind = Kind::branch;
  dataplane::Gress gress = dataplane::Gress::ingress;
  std::string what;  ///< the field, or the object
};
std::string_view kind_name(Unpriced::Kind kind);  ///< "rewrite", "metadata", "branch"
/// A line that says what is not priced and what would be.
std::string unpriced_text(const Unpriced& unpriced);

/// Passes of a program that were tried.
struct Rehearsal {
  std::vector<Unpriced> unpriced;
  std::uint64_t passes = 0;
  std::string stopped;  ///< the message of the object that ended it; empty: none did
};

/// Has packets of connections each way pass through a program that has seen none: data in and out
/// of order, marked and retransmitted, ACKs, NACKs and CNPs, and the copies that it makes of them.
/// Every pass is checked, and compared with the objects that it used. The program is not as new
/// afterwards.
///
/// A lower bound: what no such packet meets is not found, and what a pass's actions write besides
/// what they are for is not either.
Rehearsal rehearse(Program& program, const dataplane::Pipeline& pipeline, const Routes& routes);

}  // namespace horae::programs
