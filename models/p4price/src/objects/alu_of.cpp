#include "alu_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/dataplane/objects/stateful_trace.hpp"
#include "names.hpp"

namespace horae::p4price {
namespace {

using dataplane::stateful::Exploration;
using dataplane::stateful::Flag;
using dataplane::stateful::Word;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Op;
using p4lang::Stmt;
using p4lang::StmtKind;

/// Thrown where the rules have no words.
struct Unknown {};

class AluRun {
 public:
  AluRun(const p4lang::Block& block, const p4lang::Function& function)
      : block_(block), function_(function) {
    for (const std::uint32_t p : function.parameters) names_.push_back(block.variables.at(p).name);
    const auto& cell = *block.variables.at(function.parameters.front()).type;
    words_ = cell.kind == p4lang::TypeKind::structure ? cell.fields.size() : 1;
    if (words_ == 0 || words_ > 2) throw Unknown{};
    if (cell.kind == p4lang::TypeKind::structure) {
      for (const auto& f : cell.fields) cell_names_.push_back(names_[0] + "." + f.name);
    } else {
      cell_names_ = {names_[0]};
    }
  }

  void explore(Exploration& ex) {
    ex_ = &ex;
    while (ex.begin()) {
      values_.clear();
      flags_.clear();
      for (std::size_t w = 0; w < words_; ++w)
        values_.insert_or_assign(cell_names_[w], ex.before(static_cast<unsigned>(w)));
      returned_ = false;
      run(function_.body);
      dataplane::stateful::Path path;
      for (const auto& name : cell_names_) path.cell.push_back(values_.at(name).node());
      for (std::size_t o = 1; o < names_.size(); ++o) {
        const auto given = values_.find(names_[o]);
        path.words.push_back(given == values_.end() ? Word(0).node() : given->second.node());
      }
      ex.end(std::move(path));
    }
  }
  unsigned operands() const { return static_cast<unsigned>(operands_.size()); }

 private:
  void run(const std::vector<Stmt>& body) {
    for (const Stmt& s : body) {
      if (returned_) return;
      switch (s.kind) {
        case StmtKind::assign:
          assign(s.target, s.value);
          break;
        case StmtKind::branch:
          run(holds(s.value) ? s.body : s.otherwise);
          break;
        case StmtKind::inlined:
          run(s.body);
          break;
        case StmtKind::leave:
          returned_ = true;
          break;
        case StmtKind::reset:
          break;
        default:
          throw Unknown{};
      }
    }
  }

  void assign(const Expr& target, const Expr& from) {
    const std::string name = name_of(target, block_);
    if (name.empty() || target.kind == ExprKind::slice) throw Unknown{};
    if (target.type->kind == p4lang::TypeKind::boolean) {
      flags_.insert_or_assign(name, holds(from));
    } else if (target.type->kind == p4lang::TypeKind::structure) {
      // A copy of the whole cell.
      const std::string other = name_of(from, block_);
      for (const auto& field : target.type->fields) {
        const auto known = values_.find(other + "." + field.name);
        if (other.empty() || known == values_.end()) throw Unknown{};
        const Word word = known->second;
        values_.insert_or_assign(name + "." + field.name, word);
      }
    } else {
      values_.insert_or_assign(name, value(from));
    }
  }

  static std::int64_t constant(const Expr& e) {
    // Words wrap at their width: a large constant is a small negative one.
    p4lang::Integer v = e.value;
    const std::uint32_t bits = width_of(*e.type);
    if (bits > 0 && bits <= 64 && v >= p4lang::Integer(1) << (bits - 1))
      v -= p4lang::Integer(1) << bits;
    if (v > INT64_MAX || v < INT64_MIN) throw Unknown{};
    return static_cast<std::int64_t>(v);
  }

  Word operand(const std::string& name) {
    const auto at = std::ranges::find(operands_, name);
    const auto index = static_cast<unsigned>(at - operands_.begin());
    if (at == operands_.end()) operands_.push_back(name);
    return ex_->operand(index);
  }

  Word value(const Expr& e) {
    switch (e.kind) {
      case ExprKind::constant:
        return Word(constant(e));
      case ExprKind::cast: {
        if (e.operands[0].type->kind == p4lang::TypeKind::boolean) throw Unknown{};
        const Word inner = value(e.operands[0]);
        if (width_of(*e.type) < width_of(*e.operands[0].type)) throw Unknown{};
        return inner;
      }
      case ExprKind::slice: {
        const auto bits = bits_of_lvalue(e, block_);
        if (bits.size() != 1 || values_.contains(bits[0].field)) throw Unknown{};
        return operand(fmt::format("{}[{}:{}]", bits[0].field, bits[0].high, bits[0].low));
      }
      case ExprKind::choice:
        return holds(e.operands[0]) ? value(e.operands[1]) : value(e.operands[2]);
      case ExprKind::binary:
        return binary(e);
      case ExprKind::call:
        if (e.callee == p4lang::Callee::extern_function && (e.name == "min" || e.name == "max"))
          return Word::combine(e.name == "min" ? 'm' : 'M', value(e.operands[0]),
                               value(e.operands[1]));
        throw Unknown{};
      default:
        break;
    }
    const std::string name = name_of(e, block_);
    if (name.empty() || e.type->kind == p4lang::TypeKind::boolean) throw Unknown{};
    if (const auto known = values_.find(name); known != values_.end()) return known->second;
    // A result that was not written is zero.
    if (std::ranges::find(names_, name) != names_.end()) return Word(0);
    return operand(name);
  }

  Word binary(const Expr& e) {
    const auto op = [&]() -> char {
      switch (e.op) {
        case Op::add:
          return '+';
        case Op::subtract:
          return '-';
        case Op::bit_and:
          return '&';
        case Op::bit_or:
          return '|';
        case Op::bit_xor:
          return '^';
        case Op::saturating_add:
          return 's';
        case Op::saturating_subtract:
          return 'd';
        default:
          throw Unknown{};
      }
    }();
    // An inverted source belongs to the operation.
    for (const Expr& side : e.operands)
      if (side.kind == ExprKind::unary) throw Unknown{};
    return Word::combine(op, value(e.operands[0]), value(e.operands[1]));
  }

  /// A side of a comparison: sums only; what else it may hold is not in the rules.
  static void expect_sum(const Expr& e) {
    if (e.kind == ExprKind::binary && e.op != Op::add && e.op != Op::subtract) throw Unknown{};
    if (e.kind == ExprKind::unary || e.kind == ExprKind::call || e.kind == ExprKind::choice)
      throw Unknown{};
    if (e.kind == ExprKind::slice || e.kind == ExprKind::field) return;
    for (const Expr& part : e.operands) expect_sum(part);
  }

  bool holds(const Expr& e) {
    if (e.kind == ExprKind::constant) return e.value != 0;
    if (e.kind == ExprKind::unary && e.op == Op::logical_not) return !holds(e.operands[0]);
    if (const auto known = flags_.find(name_of(e, block_)); known != flags_.end())
      return known->second;
    if (e.kind != ExprKind::binary) throw Unknown{};
    if (e.op == Op::logical_and) return holds(e.operands[0]) && holds(e.operands[1]);
    if (e.op == Op::logical_or) return holds(e.operands[0]) || holds(e.operands[1]);
    for (const Expr& side : e.operands) expect_sum(side);
    const Word a = value(e.operands[0]), b = value(e.operands[1]);
    switch (e.op) {
      case Op::equal:
        return bool(a == b);
      case Op::not_equal:
        return bool(a != b);
      case Op::less:
        return bool(a < b);
      case Op::less_equal:
        return bool(a <= b);
      case Op::greater:
        return bool(a > b);
      case Op::greater_equal:
        return bool(a >= b);
      default:
        throw Unknown{};
    }
  }

  const p4lang::Block& block_;
  const p4lang::Function& function_;
  std::vector<std::string> names_, cell_names_, operands_;
  std::size_t words_ = 1;
  std::map<std::string, Word> values_;
  std::map<std::string, bool> flags_;
  Exploration* ex_ = nullptr;
  bool returned_ = false;
};

}  // namespace

std::optional<dataplane::ActionFacts> alu_of(const p4lang::Program& program,
                                             const p4lang::Block& block, std::uint32_t object,
                                             const dataplane::ChipSpec& chip) {
  const auto& action = program.externs.at(object);
  const std::string& type = action.type->name;
  if ((type != "RegisterAction" && type != "DirectRegisterAction") || action.methods.size() != 1 ||
      action.methods[0].name != "apply")
    return std::nullopt;
  const auto& function = block.functions.at(action.methods[0].function);
  if (function.parameters.empty()) return std::nullopt;
  const auto& cell = *block.variables.at(function.parameters.front()).type;
  const std::uint32_t width = cell.kind == p4lang::TypeKind::structure && !cell.fields.empty()
                                  ? width_of(*cell.fields[0].type)
                                  : width_of(cell);
  try {
    AluRun run(block, function);
    Exploration ex;
    run.explore(ex);
    std::string fault;
    auto facts = ex.facts(action.name, width, run.operands(), fault);
    const auto refuse = [&](const std::string& what) {
      throw InputError(fmt::format("{}: register action {}: {}", program.place_text(action.place),
                                   action.name, what));
    };
    // Only this form has no other reading: outputs of several sources and more comparisons are
    // found in programs that the compiler takes.
    if (fault.starts_with("computes")) refuse(fault);
    if (!fault.empty() || facts.compares > chip.stateful.compares ||
        facts.outputs > chip.stateful.outputs)
      return std::nullopt;
    return facts;
  } catch (const Unknown&) {
    return std::nullopt;
  }
}

}  // namespace horae::p4price
