// Hardware in the place of a register's stateful ALU.
#pragma once

#include <string>
#include <vector>

#include "horae/dataplane/objects/stateful_trace.hpp"

namespace horae::dataplane {

/// Told of every access by an action, and asked what the ALU leaves and gives.
class RegisterAlu {
 public:
  virtual ~RegisterAlu() = default;
  /// `action`: its number in the order in which the program declares them. `model`: what the action
  /// does in C++. What is returned is what happens.
  virtual stateful::AluOutcome run(unsigned action, const stateful::AluInput& in,
                                   const stateful::AluOutcome& model) = 0;
};

/// A register, for who puts hardware into it.
class AluSeat {
 public:
  virtual ~AluSeat() = default;
  /// From now on; the caller keeps it alive. Accesses that are no actions stay in C++.
  virtual void set_alu(RegisterAlu& alu) = 0;
  /// Names of its actions.
  virtual const std::vector<std::string>& action_names() const = 0;
};

}  // namespace horae::dataplane
