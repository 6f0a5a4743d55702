#include "steps.hpp"

#include <algorithm>
#include <utility>

#include "concatenations.hpp"
#include "objects/names.hpp"
#include "straight_body.hpp"
#include "values.hpp"

namespace horae::p4price {
namespace {

using p4lang::Block;
using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Function;
using p4lang::FunctionKind;
using p4lang::Op;
using p4lang::Program;
using p4lang::Stmt;
using p4lang::StmtKind;
using p4lang::TypeKind;

class Walker {
 public:
  Walker(const Program& program, const Block& block)
      : block_(block), known_(program, block), straight_(block, known_) {}

  std::vector<Step> control() {
    Values values(block_);
    bool ends = false;
    return steps(block_.body, values, ends);
  }

 private:
  /// A table that is applied in several places has no place's values as its keys.
  bool applied_once(std::uint32_t table) {
    if (applied_.empty()) {
      applied_.resize(block_.tables.size());
      count_applied(block_.body);
    }
    return applied_.at(table) <= 1;
  }
  void count_applied(const Expr& e) {
    if (e.kind == ExprKind::table_hit ||
        (e.kind == ExprKind::call && e.callee == Callee::apply_table))
      ++applied_.at(e.index);
    for (const Expr& part : e.operands) count_applied(part);
  }
  void count_applied(const std::vector<Stmt>& body) {
    for (const Stmt& s : body) {
      count_applied(s.value);
      if (s.kind == StmtKind::by_action) ++applied_.at(s.index);
      count_applied(s.body);
      count_applied(s.otherwise);
      for (const auto& c : s.cases) count_applied(c.body);
    }
  }

  Step table_step(const Expr& call, Values& values) {
    Step out;
    out.kind = StepKind::table;
    out.place = call.place;
    out.index = call.index;
    const auto& table = block_.tables.at(call.index);
    for (const auto& key : table.keys) {
      out.keys.push_back(key.value);
      if (applied_once(call.index)) values.put_into_key(out.keys.back());
    }
    for (const auto& action : table.actions)
      known_.forget_written(block_.functions.at(action.function).body, values);
    return out;
  }

  /// The table whose hit a condition asks, or nothing. `negated`: for its miss.
  static const Expr* hit_in(const Expr& e, bool& negated) {
    if (e.kind == ExprKind::table_hit) return &e;
    if (e.kind == ExprKind::unary && e.op == Op::logical_not) {
      const Expr* inner = hit_in(e.operands[0], negated);
      if (inner != nullptr) negated = !negated;
      return inner;
    }
    if (e.kind == ExprKind::binary && (e.op == Op::equal || e.op == Op::not_equal)) {
      for (const std::size_t i : {0u, 1u}) {
        const Expr& constant = e.operands[1 - i];
        if (constant.kind != ExprKind::constant) continue;
        const Expr* inner = hit_in(e.operands[i], negated);
        if (inner != nullptr && (constant.value != 0) != (e.op == Op::equal)) negated = !negated;
        if (inner != nullptr) return inner;
      }
    }
    return nullptr;
  }

  /// Tables applied somewhere in a condition come first; it asks a bit that they leave.
  void tables_in(Expr& e, Values& values, std::vector<Step>& out) {
    if (e.kind == ExprKind::table_hit) out.push_back(table_step(e, values));
    for (Expr& part : e.operands) tables_in(part, values, out);
  }

  struct Flow {
    Values values;
    bool ends = false;
  };

  Arm arm(Arm::When when, const std::vector<Stmt>& body, Flow& flow) {
    Arm out;
    out.when = when;
    out.steps = steps(body, flow.values, flow.ends);
    return out;
  }

  /// Puts the arms of several ways together; false where all of them end the control.
  static bool join(std::vector<Flow>& flows, Values& values) {
    bool first = true;
    for (Flow& f : flows) {
      if (f.ends) continue;
      if (first)
        values = std::move(f.values);
      else
        values.meet(f.values);
      first = false;
    }
    return !first;
  }

  std::vector<Step> steps(const std::vector<Stmt>& body, Values& values, bool& ends) {
    std::vector<Step> out;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const Stmt& s = body[i];
      const std::size_t before = out.size();
      bool done = false;
      add(s, values, out, done);
      if (done) {
        ends = true;
        break;
      }
      // Where one way of a branch ends the control, the rest runs on the others alone.
      if (out.size() == before || i + 1 >= body.size()) continue;
      Step& last = out.back();
      if (last.arms.size() != 2 || (last.kind != StepKind::branch && last.kind != StepKind::table))
        continue;
      const auto ended = [](const Arm& a) { return !a.steps.empty() && a.steps.back().ends; };
      if (ended(last.arms[0]) == ended(last.arms[1])) continue;
      Arm& open = ended(last.arms[0]) ? last.arms[1] : last.arms[0];
      bool rest_ends = false;
      auto rest =
          steps({body.begin() + static_cast<std::ptrdiff_t>(i) + 1, body.end()}, values, rest_ends);
      std::move(rest.begin(), rest.end(), std::back_inserter(open.steps));
      ends = rest_ends;
      break;
    }
    return out;
  }

  void add(const Stmt& s, Values& values, std::vector<Step>& out, bool& done) {
    switch (s.kind) {
      case StmtKind::assign:
        return add_assign(s, values, out);
      case StmtKind::reset: {
        Stmt copy = s;
        known_.take_effect(copy, values);
        return;
      }
      case StmtKind::call:
        return add_call(s, values, out);
      case StmtKind::branch:
        return add_branch(s, values, out, done);
      case StmtKind::by_action:
      case StmtKind::by_value:
        return add_cases(s, values, out, done);
      case StmtKind::inlined: {
        bool inner = false;
        auto steps_in = steps(s.body, values, inner);
        const bool exits = !steps_in.empty() && steps_in.back().ends && exits_ && inner;
        if (!steps_in.empty() && !exits) steps_in.back().ends = false;
        std::move(steps_in.begin(), steps_in.end(), std::back_inserter(out));
        return;
      }
      case StmtKind::leave:
      case StmtKind::exit: {
        exits_ = s.kind == StmtKind::exit;
        Step step;
        step.place = s.place;
        step.statements = {s};
        step.ends = true;
        out.push_back(std::move(step));
        done = true;
        return;
      }
    }
  }

  void add_assign(const Stmt& s, Values& values, std::vector<Step>& out) {
    bool negated = false;
    if (const Expr* hit = hit_in(s.value, negated)) {
      // The bit is set in one way, cleared in the other.
      Step step = table_step(*hit, values);
      for (const bool holds : {true, false}) {
        Arm a;
        a.when = holds ? Arm::When::holds : Arm::When::otherwise;
        Stmt set = s;
        set.value = constant(s.target, holds != negated);
        set.value.place = s.place;
        Step one;
        one.place = s.place;
        one.statements = {set};
        a.steps.push_back(std::move(one));
        step.arms.push_back(std::move(a));
      }
      out.push_back(std::move(step));
      if (const std::string name = name_of(s.target, block_); !name.empty()) values.forget(name);
      return;
    }
    if (s.target.type->kind == TypeKind::structure && !name_of(s.target, block_).empty() &&
        (!name_of(s.value, block_).empty() || s.value.kind == ExprKind::list))
      return add_fields(s, values, out);
    Stmt whole = s;
    tables_in(whole.value, values, out);
    for (Stmt& part : by_parts(whole)) {
      values.put_into(part.value, true);
      if (!name_of(part.value, block_).empty() &&
          name_of(part.target, block_) == name_of(part.value, block_))
        continue;
      known_.take_effect(part, values);
      Step step;
      step.place = s.place;
      step.statements = {std::move(part)};
      out.push_back(std::move(step));
    }
  }

  /// A struct is assigned field by field: what is copied in and out of a sub-control for nothing
  /// comes to nothing so.
  void add_fields(const Stmt& s, Values& values, std::vector<Step>& out) {
    const auto field = [](const Expr& of, std::uint32_t i) {
      Expr part;
      part.kind = ExprKind::field;
      part.index = i;
      part.type = of.type->fields[i].type;
      part.place = of.place;
      part.operands = {of};
      return part;
    };
    for (std::uint32_t i = 0; i < s.target.type->fields.size(); ++i) {
      Stmt one = s;
      one.target = field(s.target, i);
      if (s.value.kind != ExprKind::list)
        one.value = field(s.value, i);
      else if (i < s.value.operands.size())
        one.value = Expr(s.value.operands[i]);
      add_assign(one, values, out);
    }
  }

  static Expr constant(const Expr& like, bool value) {
    Expr out;
    out.kind = ExprKind::constant;
    out.type = like.type;
    out.value = value ? 1 : 0;
    return out;
  }

  void add_call(const Stmt& s, Values& values, std::vector<Step>& out) {
    const Expr& call = s.value;
    if (call.kind == ExprKind::table_hit || call.callee == Callee::apply_table) {
      out.push_back(table_step(call, values));
      return;
    }
    Step step;
    step.place = s.place;
    if (call.callee == Callee::function) {
      const Function& function = block_.functions.at(call.index);
      std::vector<Expr> arguments = call.operands;
      for (Expr& a : arguments) values.put_into(a);
      step.statements = straight_.of_call(function, arguments);
      step.index = call.index;
      if (function.kind != FunctionKind::action) {
        for (Stmt& inner : step.statements) {
          known_.take_effect(inner, values);
          Step one;
          one.place = s.place;
          one.statements = {std::move(inner)};
          out.push_back(std::move(one));
        }
        return;
      }
      step.kind = StepKind::action;
      for (const Stmt& inner : step.statements) {
        known_.take_effect(inner, values);
        // Values within an action are its own: what it wrote is not known outside.
        if (inner.kind == StmtKind::assign) values.forget(written_name(inner, block_));
      }
      out.push_back(std::move(step));
      return;
    }
    Stmt copy = s;
    values.put_into(copy.value);
    known_.take_effect(copy, values);
    step.statements = {std::move(copy)};
    out.push_back(std::move(step));
  }

  void add_branch(const Stmt& s, Values& values, std::vector<Step>& out, bool& done) {
    bool negated = false;
    Step step;
    step.place = s.value.place.line != 0 ? s.value.place : s.place;
    if (const Expr* hit = hit_in(s.value, negated)) {
      step = table_step(*hit, values);
    } else {
      step.kind = StepKind::branch;
      step.condition = s.value;
      tables_in(step.condition, values, out);
      values.put_into(step.condition);
      if (step.condition.kind == ExprKind::constant) {
        auto rest = steps(step.condition.value != 0 ? s.body : s.otherwise, values, done);
        std::move(rest.begin(), rest.end(), std::back_inserter(out));
        return;
      }
    }
    std::vector<Flow> flows(2, Flow{values});
    step.arms.push_back(arm(negated ? Arm::When::otherwise : Arm::When::holds, s.body, flows[0]));
    step.arms.push_back(
        arm(negated ? Arm::When::holds : Arm::When::otherwise, s.otherwise, flows[1]));
    done = !join(flows, values);
    step.ends = done;
    out.push_back(std::move(step));
  }

  void add_cases(const Stmt& s, Values& values, std::vector<Step>& out, bool& done) {
    Step step;
    step.place = s.place;
    if (s.kind == StmtKind::by_action) {
      Expr call;
      call.index = s.index;
      call.place = s.place;
      step = table_step(call, values);
    } else {
      step.kind = StepKind::branch;
      step.condition = s.value;
      values.put_into(step.condition);
    }
    std::vector<Flow> flows(s.cases.size() + 1, Flow{values});
    bool all = false;
    for (std::size_t i = 0; i < s.cases.size(); ++i) {
      const auto& c = s.cases[i];
      all |= c.values.empty() && c.actions.empty();
      step.arms.push_back(arm(Arm::When::action, c.body, flows[i]));
    }
    if (all) flows.pop_back();
    done = !join(flows, values);
    step.ends = done;
    out.push_back(std::move(step));
  }

  const Block& block_;
  KnownValues known_;
  StraightBody straight_;
  std::vector<std::uint32_t> applied_;  ///< of each table: in how many places
  bool exits_ = false;                  ///< what ended last was an exit, not a return
};

}  // namespace

std::vector<Step> steps_of(const Program& program, const Block& block) {
  return Walker(program, block).control();
}

std::vector<Stmt> action_body(const Program& program, const Block& block, const Function& function,
                              const std::vector<Expr>& arguments) {
  KnownValues known(program, block);
  return StraightBody(block, known).of_call(function, arguments);
}

}  // namespace horae::p4price
