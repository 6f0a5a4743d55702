// Reads and writes of an action's statements, and the extern objects they use.
#include <algorithm>
#include <map>
#include <set>

#include "pieces.hpp"

namespace horae::p4price {

using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Stmt;
using p4lang::StmtKind;

namespace {

bool is_action_data(const Expr& e, const PieceAction& action) {
  const Expr* base = &e;
  while (base->kind == ExprKind::slice || base->kind == ExprKind::cast ||
         base->kind == ExprKind::field)
    base = &base->operands[0];
  return base->kind == ExprKind::variable &&
         std::ranges::find(action.data, base->index) != action.data.end();
}

void append(std::vector<Use>& to, const std::vector<Use>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

void Pieces::collect_reads(const Expr& e, std::vector<Use>& out) const {
  if (e.kind == ExprKind::call && (e.callee == Callee::is_valid || e.callee == Callee::set_valid)) {
    const std::string name = name_of(e.operands[0], block_);
    if (!name.empty()) out.push_back({{name + validity(), 0, 0}, e.place});
    return;
  }
  if (e.kind == ExprKind::slice || !name_of(e, block_).empty()) {
    const auto bits = bits_of_lvalue(e, block_);
    if (!bits.empty() || e.kind != ExprKind::slice) {
      for (const Bits& b : bits) {
        // A header's validity is not read with its fields.
        if (!b.field.ends_with(validity())) out.push_back({b, e.place});
      }
      return;
    }
  }
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    if (e.kind == ExprKind::call && i < e.is_out.size() && e.is_out[i]) continue;
    collect_reads(e.operands[i], out);
  }
  if (e.kind == ExprKind::call && e.callee == Callee::function) {
    for (const Stmt& s : block_.functions.at(e.index).body) collect_reads(s.value, out);
  }
}

/// Reads of a register action's body beside its own parameters and what it wrote itself.
void Pieces::method_reads(std::uint32_t object, PieceAction& action, ExternUse& use) const {
  for (const auto& method : program_.externs.at(object).methods) {
    const auto& function = block_.functions.at(method.function);
    std::set<std::string> own;
    for (const std::uint32_t p : function.parameters) own.insert(block_.variables.at(p).name);
    const auto visit = [&](const auto& self, const std::vector<Stmt>& body) -> void {
      for (const Stmt& s : body) {
        if (s.kind == StmtKind::assign) {
          Expr base = s.target;
          while (base.kind == ExprKind::slice) base = Expr(base.operands[0]);
          own.insert(name_of(base, block_));
        }
        self(self, s.body);
        self(self, s.otherwise);
        for (const auto& c : s.cases) self(self, c.body);
      }
    };
    visit(visit, function.body);
    std::vector<Use> reads;
    const auto collect = [&](const auto& self, const std::vector<Stmt>& body) -> void {
      for (const Stmt& s : body) {
        collect_reads(s.value, reads);
        self(self, s.body);
        self(self, s.otherwise);
        for (const auto& c : s.cases) self(self, c.body);
      }
    };
    collect(collect, function.body);
    for (const Use& u : reads) {
      const bool is_own = std::ranges::any_of(
          own, [&](const std::string& name) { return overlap(name, u.bits.field); });
      if (!is_own) use.operands.push_back(u);
    }
  }
  append(action.crossbar, use.operands);
}

void Pieces::extern_call(const Expr& call, PieceAction& action, std::uint32_t output_bits) const {
  const auto& object = program_.externs.at(call.index);
  ExternUse use;
  use.object = call.index;
  use.type = object.type->name;
  use.place = call.place;
  use.output_bits = output_bits;
  const auto takes_index = [&](std::size_t i) {
    if (i >= call.operands.size() || call.operands[i].kind == ExprKind::absent) return;
    const Expr& index = call.operands[i];
    if (is_constant(index)) {
      use.index = ExternUse::Index::constant;
    } else if (is_action_data(index, action)) {
      use.index = ExternUse::Index::data;
    } else {
      use.index = ExternUse::Index::field;
      collect_reads(index, use.index_reads);
      // A hash of the same action is the index itself.
      for (const auto& e : action.externs) {
        if (e.type != "Hash" || e.output_bits == 0) continue;
        const auto* written = action.writes.empty() ? nullptr : &action.writes;
        if (written == nullptr) continue;
        for (const Use& w : *written) {
          if (w.place.line != e.place.line || w.place.column > e.place.column) continue;
          const bool is_index = std::ranges::any_of(
              use.index_reads, [&](const Use& r) { return r.bits.meets(w.bits); });
          if (!is_index) continue;
          use.index = ExternUse::Index::hash;
          use.index_reads = e.index_reads;
          break;
        }
        if (use.index == ExternUse::Index::hash) break;
      }
    }
    append(action.crossbar, use.index_reads);
  };
  if (use.type == "Hash") {
    use.index = ExternUse::Index::hash;
    for (const Expr& e : call.operands) collect_reads(e, use.index_reads);
    append(action.crossbar, use.index_reads);
  } else if (use.type.find("Action") != std::string::npos &&
             use.type.find("Selector") == std::string::npos) {
    use.direct = use.type.starts_with("Direct");
    use.action = call.index;
    for (const Expr& a : object.arguments) {
      if (a.kind == ExprKind::instance) {
        use.object = a.index;
        break;
      }
    }
    use.type = "Register";
    if (!use.direct && call.name == "execute") takes_index(0);
    if (call.name != "execute") use.index = ExternUse::Index::constant;
    method_reads(call.index, action, use);
  } else if (use.type == "Register" || use.type == "DirectRegister") {
    use.direct = use.type == "DirectRegister";
    use.type = "Register";
    if (!use.direct) takes_index(0);
    if (call.name == "write") {
      collect_reads(call.operands.back(), use.operands);
      append(action.crossbar, use.operands);
    }
  } else if (use.type == "Counter" || use.type == "Meter") {
    takes_index(0);
  } else if (use.type == "Lpf" || use.type == "Wred") {
    takes_index(1);
    collect_reads(call.operands[0], use.operands);
    append(action.crossbar, use.operands);
  } else if (use.type.starts_with("Direct")) {
    use.direct = true;
    use.type = use.type.substr(6);
  }
  action.externs.push_back(std::move(use));
}

/// Calls in an expression, then what it reads itself.
void Pieces::value_effects(const Expr& e, PieceAction& action, std::uint32_t output_bits) const {
  if (e.kind == ExprKind::call && e.callee == Callee::extern_method)
    return extern_call(e, action, output_bits);
  if (e.kind == ExprKind::call && e.callee == Callee::extern_function) {
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      if (i < e.is_out.size() && e.is_out[i]) {
        for (const Bits& b : bits_of_lvalue(e.operands[i], block_))
          action.writes.push_back({b, e.place});
      } else if (e.name == "invalidate") {
        for (const Bits& b : bits_of_lvalue(e.operands[i], block_))
          action.writes.push_back({b, e.place});
      } else {
        collect_reads(e.operands[i], action.reads);
      }
    }
    return;
  }
  if (e.kind == ExprKind::slice || !name_of(e, block_).empty() ||
      (e.kind == ExprKind::call && e.callee != Callee::function)) {
    // Sources of an instruction, but not the data of an entry.
    if (!is_action_data(e, action)) collect_reads(e, action.reads);
    return;
  }
  for (const Expr& part : e.operands) value_effects(part, action, output_bits);
  if (e.kind == ExprKind::call && e.callee == Callee::function) {
    for (const Stmt& s : block_.functions.at(e.index).body) collect_reads(s.value, action.reads);
  }
}

void Pieces::find_effects(PieceAction& action) const {
  action.reads.clear();
  action.writes.clear();
  action.crossbar.clear();
  action.externs.clear();
  action.exits = false;
  for (const Stmt& s : action.statements) {
    if (s.kind == StmtKind::exit) action.exits = true;
    if (s.kind == StmtKind::assign) {
      value_effects(s.value, action, width_of(*s.target.type));
      for (const Bits& b : bits_of_lvalue(s.target, block_)) action.writes.push_back({b, s.place});
      continue;
    }
    if (s.kind != StmtKind::call) continue;
    const Expr& call = s.value;
    switch (call.callee) {
      case Callee::set_valid:
      case Callee::set_invalid: {
        const std::string name = name_of(call.operands[0], block_);
        if (!name.empty()) action.writes.push_back({{name + validity(), 0, 0}, s.place});
        break;
      }
      case Callee::push_front:
      case Callee::pop_front:
        collect_reads(call.operands[0], action.reads);
        for (const Bits& b : bits_of_lvalue(call.operands[0], block_))
          action.writes.push_back({b, s.place});
        break;
      default:
        value_effects(call, action, 0);
        if (call.callee == Callee::extern_method) {
          for (std::size_t i = 0; i < call.operands.size() && i < call.is_out.size(); ++i) {
            if (!call.is_out[i]) continue;
            for (const Bits& b : bits_of_lvalue(call.operands[i], block_))
              action.writes.push_back({b, s.place});
          }
        }
        break;
    }
  }
  const auto is_local = [&](const Use& u) {
    return std::ranges::any_of(
        local_, [&](const std::string& name) { return overlap(name, u.bits.field); });
  };
  for (auto* uses : {&action.reads, &action.writes, &action.crossbar})
    std::erase_if(*uses, is_local);
}

}  // namespace horae::p4price
