// Values in the place of what stands for them: of variables, and of a function's parameters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "horae/p4lang/program.hpp"

namespace horae::p4price {

/// Whether a value costs nothing wherever it stands: a constant, a field, a part of one.
bool is_plain(const p4lang::Expr& e, const p4lang::Block& block);

/// A part of a constant or of a part is one itself.
void fold_slice(p4lang::Expr& e);

/// Values that variables are known to have.
class Values {
 public:
  explicit Values(const p4lang::Block& block) : block_(&block) {}

  void forget(const std::string& name);
  void know(const std::string& name, p4lang::Expr value) {
    of_.insert_or_assign(name, std::move(value));
  }
  /// Keeps values on which both ways agree.
  void meet(const Values& other);
  void clear() { of_.clear(); }

  /// `whole`: the expression is all that is assigned, where an operation is as good as a name.
  void put_into(p4lang::Expr& e, bool whole = false) const;
  /// The same for a table's key, where a field, a part of one or a header's validity is put in and
  /// a constant is not (p4c midend/local_copyprop.cpp apply_table).
  void put_into_key(p4lang::Expr& e) const;

 private:
  const p4lang::Block* block_;
  std::map<std::string, p4lang::Expr> of_;
};

/// Expressions in the place of variables, wherever a body names them.
class Substitution {
 public:
  /// The parameters of a function replaced by what a call gives.
  Substitution(const p4lang::Function& function, const std::vector<p4lang::Expr>& arguments);
  Substitution(std::uint32_t variable, const p4lang::Expr& value) { of_[variable] = &value; }

  void put_into(p4lang::Expr& e) const;
  void put_into(std::vector<p4lang::Stmt>& body) const;

 private:
  std::map<std::uint32_t, const p4lang::Expr*> of_;
};

}  // namespace horae::p4price
