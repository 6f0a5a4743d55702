#include "jumps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace horae::p4price {
namespace {

using p4lang::Block;
using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Stmt;
using p4lang::StmtKind;

enum class Ends : std::uint8_t { no, maybe, yes };

const p4lang::Type& flag_type() {
  static const p4lang::Type type = [] {
    p4lang::Type t;
    t.kind = p4lang::TypeKind::boolean;
    t.width = 1;
    return t;
  }();
  return type;
}

/// One kind of jump within one body.
class Flags {
 public:
  Flags(Block& block, StmtKind jump, std::string name)
      : block_(block), jump_(jump), name_(std::move(name)) {}

  void run(std::vector<Stmt>& body) {
    if (jump_ == StmtKind::exit) find_exiting();
    guard(body);
    if (flag_ == none) return;
    replace(body);
    if (jump_ != StmtKind::exit) return;
    for (const std::uint32_t f : exiting_) replace(block_.functions.at(f).body);
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  bool is_call_that_exits(const Expr& e) const {
    if (e.kind == ExprKind::table_hit ||
        (e.kind == ExprKind::call && e.callee == Callee::apply_table))
      return table_exits(e.index);
    if (e.kind == ExprKind::call && e.callee == Callee::function) return exiting_.contains(e.index);
    return std::ranges::any_of(e.operands, [&](const Expr& p) { return is_call_that_exits(p); });
  }
  bool table_exits(std::uint32_t table) const {
    return std::ranges::any_of(block_.tables.at(table).actions,
                               [&](const auto& a) { return exiting_.contains(a.function); });
  }

  void find_exiting() {
    for (std::size_t round = 0; round <= block_.functions.size(); ++round) {
      const std::size_t known = exiting_.size();
      for (std::uint32_t f = 0; f < block_.functions.size(); ++f)
        if (ends(block_.functions[f].body) != Ends::no) exiting_.insert(f);
      if (exiting_.size() == known) return;
    }
  }

  Ends ends(const std::vector<Stmt>& body) const {
    Ends out = Ends::no;
    for (const Stmt& s : body) {
      out = std::max(out, ends(s));
      if (out == Ends::yes) break;
    }
    return out;
  }

  Ends ends(const Stmt& s) const {
    switch (s.kind) {
      case StmtKind::exit:
        return jump_ == StmtKind::exit ? Ends::yes : Ends::no;
      case StmtKind::leave:
        return jump_ == StmtKind::leave ? Ends::yes : Ends::no;
      case StmtKind::inlined:  // its returns are its own
        return jump_ == StmtKind::leave ? Ends::no : ends(s.body);
      case StmtKind::branch: {
        const Ends a = ends(s.body), b = ends(s.otherwise);
        if (a == b && !is_call_that_exits(s.value)) return a;
        return Ends::maybe;
      }
      case StmtKind::by_action:
      case StmtKind::by_value: {
        const bool any =
            std::ranges::any_of(s.cases, [&](const auto& c) { return ends(c.body) != Ends::no; });
        return any || (s.kind == StmtKind::by_action && table_exits(s.index)) ? Ends::maybe
                                                                              : Ends::no;
      }
      default:
        return is_call_that_exits(s.value) ? Ends::maybe : Ends::no;
    }
  }

  static std::vector<Stmt> take_rest(std::vector<Stmt>& list, std::size_t after) {
    const auto from = list.begin() + static_cast<std::ptrdiff_t>(after) + 1;
    std::vector<Stmt> rest(std::make_move_iterator(from), std::make_move_iterator(list.end()));
    list.erase(from, list.end());
    return rest;
  }

  void guard(std::vector<Stmt>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool more = i + 1 < list.size();
      if (list[i].kind == StmtKind::branch && more) {
        const Ends a = ends(list[i].body), b = ends(list[i].otherwise);
        if ((a == Ends::yes) != (b == Ends::yes)) {
          auto rest = take_rest(list, i);
          auto& open = a == Ends::yes ? list[i].otherwise : list[i].body;
          std::move(rest.begin(), rest.end(), std::back_inserter(open));
        }
      }
      const Ends here = ends(list[i]);
      if (!(jump_ == StmtKind::leave && list[i].kind == StmtKind::inlined)) {
        guard(list[i].body);
        guard(list[i].otherwise);
        for (auto& c : list[i].cases) guard(c.body);
      }
      if (here != Ends::maybe || i + 1 >= list.size()) continue;
      Stmt asked;
      asked.kind = StmtKind::branch;
      asked.place = list[i].place;
      asked.value.kind = ExprKind::unary;
      asked.value.op = p4lang::Op::logical_not;
      asked.value.type = &flag_type();
      asked.value.place = list[i].place;
      asked.value.operands = {flag(list[i].place)};
      asked.body = take_rest(list, i);
      list.push_back(std::move(asked));
    }
  }

  Expr flag(const p4lang::Place& place) {
    if (flag_ == none) {
      flag_ = static_cast<std::uint32_t>(block_.variables.size());
      p4lang::Variable v;
      v.name = name_;
      v.type = &flag_type();
      v.place = place;
      block_.variables.push_back(std::move(v));
    }
    Expr out;
    out.kind = ExprKind::variable;
    out.type = &flag_type();
    out.place = place;
    out.index = flag_;
    return out;
  }

  /// The flag is set in front of the jump, which ends its own way as before.
  void replace(std::vector<Stmt>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].kind == jump_) {
        Stmt set;
        set.place = list[i].place;
        set.target = flag(list[i].place);
        set.value.kind = ExprKind::constant;
        set.value.type = &flag_type();
        set.value.place = list[i].place;
        set.value.value = 1;
        list[i] = std::move(set);
        continue;
      }
      if (jump_ == StmtKind::leave && list[i].kind == StmtKind::inlined) continue;
      replace(list[i].body);
      replace(list[i].otherwise);
      for (auto& c : list[i].cases) replace(c.body);
    }
  }

  Block& block_;
  StmtKind jump_;
  std::string name_;
  std::set<std::uint32_t> exiting_;  ///< functions that may exit
  std::uint32_t flag_ = none;
};

void in_bodies(Block& block, std::vector<Stmt>& body, std::size_t& made) {
  for (Stmt& s : body) {
    in_bodies(block, s.body, made);
    in_bodies(block, s.otherwise, made);
    for (auto& c : s.cases) in_bodies(block, c.body, made);
    if (s.kind == StmtKind::inlined)
      Flags(block, StmtKind::leave, fmt::format("hasReturned_{}", made++)).run(s.body);
  }
}

}  // namespace

void put_flags(p4lang::Program& program, bool exit_is_direct) {
  for (Block& block : program.blocks) {
    if (block.kind != p4lang::BlockKind::control) continue;
    std::size_t made = 0;
    in_bodies(block, block.body, made);
    Flags(block, StmtKind::leave, "hasReturned").run(block.body);
    if (!exit_is_direct) Flags(block, StmtKind::exit, "hasExited").run(block.body);
  }
}

}  // namespace horae::p4price
