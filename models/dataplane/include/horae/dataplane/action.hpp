// A keyless action.
#pragma once

#include <string>

#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// VLIW instructions that a program executes without a table: rewriting header fields, choosing a
/// port. Run at most once per pass.
class Action final : public Object {
 public:
  Action(Pipeline& pipeline, Gress gress, const std::string& name, const ActionSpec& spec = {},
         const Needs& needs = {})
      : Object(pipeline, gress, name, spec, needs) {}

  /// Marks that the pass executes it; `f()` does what it does to the header.
  template <class F>
  void run(const PassKind auto& pass, F&& f) {
    check_single_access(pass);
    f();
  }
};

}  // namespace horae::dataplane
