// Effects of statements on the values that are known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/p4lang/program.hpp"
#include "values.hpp"

namespace horae::p4price {

/// Whether an expression applies a table or calls anything that may write.
bool has_call(const p4lang::Expr& e);

/// The name of what an assignment writes, whole or in part; empty where it has none.
std::string written_name(const p4lang::Stmt& s, const p4lang::Block& block);

class KnownValues {
 public:
  KnownValues(const p4lang::Program& program, const p4lang::Block& block)
      : program_(program), block_(block) {}

  /// The effect of a statement.
  void take_effect(const p4lang::Stmt& s, Values& values);
  /// Forgets the values of all that a body may write.
  void forget_written(const std::vector<p4lang::Stmt>& body, Values& values);

 private:
  void forget_calls(const p4lang::Expr& e, Values& values);

  const p4lang::Program& program_;
  const p4lang::Block& block_;
  std::uint32_t of_object_ = p4lang::no_block;  ///< whose method's body is looked at
};

}  // namespace horae::p4price
