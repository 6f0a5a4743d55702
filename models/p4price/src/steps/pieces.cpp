#include "pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace horae::p4price {

using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Stmt;
using p4lang::StmtKind;

namespace {

using Path = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

bool is_hash_get(const Expr& e, const p4lang::Program& program) {
  return e.kind == ExprKind::call && e.callee == Callee::extern_method && e.name == "get" &&
         program.externs.at(e.index).type->name == "Hash";
}

/// The file's name without folder and ending, as the open compiler begins names of tables that it
/// makes of statements (p4c midend/actionSynthesis.cpp).
std::string stem(const std::string& file) {
  const auto slash = file.find_last_of('/');
  std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  name = name.substr(0, name.find('.'));
  std::string out;
  for (const char c : name) {
    if (out.empty() && std::isalpha(static_cast<unsigned char>(c)) == 0) continue;
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') out += c;
  }
  if (!out.empty() && std::isdigit(static_cast<unsigned char>(out.back())) != 0) out += 'l';
  return out.empty() ? "act" : out;
}

std::string last_part(const std::string& name) {
  const auto dot = name.find_last_of('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

}  // namespace

std::vector<const Use*> Piece::crossbar() const {
  std::vector<const Use*> out;
  for (const Use& u : key_reads) out.push_back(&u);
  for (const auto& a : actions)
    for (const Use& u : a.crossbar) out.push_back(&u);
  return out;
}
std::vector<const Use*> Piece::reads() const {
  std::vector<const Use*> out;
  for (const auto& a : actions)
    for (const Use& u : a.reads) out.push_back(&u);
  return out;
}
std::vector<const Use*> Piece::writes() const {
  std::vector<const Use*> out;
  for (const auto& a : actions)
    for (const Use& u : a.writes) out.push_back(&u);
  return out;
}

bool exclusive(const Piece& a, const Piece& b) {
  for (std::size_t i = 0; i < a.path.size() && i < b.path.size(); ++i) {
    if (a.path[i].first != b.path[i].first) return false;
    if (a.path[i].second != b.path[i].second) return true;
  }
  return false;
}

Pieces::Pieces(const p4lang::Program& program, const p4lang::Block& block, std::string pipe)
    : program_(program), block_(block), pipe_(std::move(pipe)) {
  for (const auto& f : block.functions) {
    if (f.kind != p4lang::FunctionKind::action || !f.name.starts_with(block.name + ".")) continue;
    const std::string own = f.name.substr(block.name.size() + 1) + ".";
    for (const auto& v : block.variables)
      if (v.name.starts_with(own)) local_.insert(v.name);
  }
  add(steps_of(program, block), {});
}

std::string Pieces::unique(std::string name) {
  std::string out = name;
  for (int i = 0; std::ranges::find(names_, out) != names_.end(); ++i)
    out = fmt::format("{}_{}", name, i);
  names_.push_back(out);
  return out;
}

std::string Pieces::line_name(const p4lang::Place& place) const {
  const std::string file = place.file < program_.files.size() ? program_.files[place.file] : "";
  return fmt::format("{}{}", stem(file), place.line);
}

bool Pieces::names_extern(const Expr& e) const {
  if (e.kind == ExprKind::call && e.callee == Callee::extern_method &&
      program_.externs.at(e.index).type->name != "Hash")
    return true;
  return std::ranges::any_of(e.operands, [&](const Expr& part) { return names_extern(part); });
}

/// Which statements share a table: those that read nothing that one before wrote (a hash's result
/// apart, which the same action takes from the hash), and only one that uses an extern (p4c
/// backends/tofino/bf-p4c/midend/action_synthesis_policy.h).
bool Pieces::may_join(const std::vector<Stmt>& group, const Stmt& s) const {
  const auto uses_extern = [&](const Stmt& t) { return names_extern(t.value); };
  if (uses_extern(s) && std::ranges::any_of(group, uses_extern)) return false;
  const auto names = [&](const std::string& written) {
    std::uint32_t of_object = p4lang::no_block;
    const auto refers = [&](const auto& self, const Expr& e) -> bool {
      if (const std::string own = name_of(e, block_); !own.empty())
        return own == written || (own.starts_with(written) && own.size() > written.size() &&
                                  (own[written.size()] == '.' || own[written.size()] == '['));
      if (e.kind == ExprKind::call && e.callee == Callee::extern_method) {
        const std::uint32_t outer = std::exchange(of_object, e.index);
        bool read = false;
        for (const auto& m : program_.externs.at(e.index).methods) {
          if (outer == e.index) break;  // a body that calls a method of its own object
          for (const Stmt& inner : block_.functions.at(m.function).body)
            read = read || self(self, inner.value) || self(self, inner.target);
        }
        of_object = outer;
        if (read) return true;
      }
      return std::ranges::any_of(e.operands, [&](const Expr& part) { return self(self, part); });
    };
    return refers(refers, s.value) || refers(refers, s.target);
  };
  for (const Stmt& g : group) {
    if (g.kind == StmtKind::assign && !is_hash_get(g.value, program_)) {
      Expr base = g.target;
      while (base.kind == ExprKind::slice) base = Expr(base.operands[0]);
      if (const std::string name = name_of(base, block_); !name.empty() && names(name))
        return false;
    }
    if (g.kind != StmtKind::call) continue;
    for (std::size_t i = 0; i < g.value.operands.size() && i < g.value.is_out.size(); ++i) {
      if (!g.value.is_out[i]) continue;
      if (const std::string name = name_of(g.value.operands[i], block_);
          !name.empty() && names(name))
        return false;
    }
  }
  return true;
}

void Pieces::add(const std::vector<Step>& steps, const Path& path) {
  std::vector<Stmt> group;
  p4lang::Place first;
  const auto close = [&] {
    if (!group.empty()) add_group(std::move(group), first, "", path);
    group.clear();
  };
  for (const Step& step : steps) {
    if (step.kind == StepKind::statement) {
      const Stmt& s = step.statements.front();
      if (s.kind == StmtKind::leave) continue;
      if (!group.empty() && !may_join(group, s)) close();
      if (group.empty()) first = step.place;
      group.push_back(s);
      continue;
    }
    close();
    if (step.kind == StepKind::action) {
      add_group(step.statements, step.place, last_part(block_.functions.at(step.index).name), path);
      continue;
    }
    const std::uint32_t decides =
        step.kind == StepKind::table ? add_table(step, path) : add_condition(step, path);
    for (std::uint32_t arm = 0; arm < step.arms.size(); ++arm) {
      Path inner = path;
      inner.emplace_back(decides, arm);
      add(step.arms[arm].steps, inner);
    }
  }
  close();
}

std::uint32_t Pieces::add_group(std::vector<Stmt> group, const p4lang::Place& place,
                                std::string name, const Path& path) {
  Piece piece;
  piece.name = unique("tbl_" + (name.empty() ? line_name(place) : name));
  piece.place = place;
  piece.path = path;
  PieceAction action;
  action.name = piece.name;
  action.statements = std::move(group);
  find_effects(action);
  piece.actions.push_back(std::move(action));
  pieces_.push_back(std::move(piece));
  return static_cast<std::uint32_t>(pieces_.size() - 1);
}

std::uint32_t Pieces::add_table(const Step& step, const Path& path) {
  const p4lang::Table& table = block_.tables.at(step.index);
  Piece piece;
  piece.kind = table.keys.empty() ? PieceKind::keyless : PieceKind::match;
  piece.name = unique(without_pipe(table.name, pipe_));
  piece.place = table.place;
  piece.table = step.index;
  piece.path = path;
  piece.keys = step.keys;
  for (const Expr& key : step.keys) collect_reads(key, piece.key_reads);
  for (std::size_t i = 0; i < table.actions.size(); ++i) {
    const auto& of = table.actions[i];
    // A keyless table runs its default alone, unless the control plane may change it.
    if (piece.kind == PieceKind::keyless && table.const_default && table.default_action.action != i)
      continue;
    const auto& function = block_.functions.at(of.function);
    PieceAction action;
    action.name = of.name;
    std::vector<Expr> bound = of.bound;
    const bool fixed = piece.kind == PieceKind::keyless && table.default_action.action == i;
    if (fixed)
      bound.insert(bound.end(), table.default_action.arguments.begin(),
                   table.default_action.arguments.end());
    action.statements = action_body(program_, block_, function, bound);
    for (std::size_t p = bound.size(); p < function.parameters.size(); ++p)
      action.data.push_back(function.parameters[p]);
    find_effects(action);
    piece.actions.push_back(std::move(action));
  }
  pieces_.push_back(std::move(piece));
  return static_cast<std::uint32_t>(pieces_.size() - 1);
}

std::uint32_t Pieces::add_condition(const Step& step, const Path& path) {
  Piece piece;
  piece.kind = PieceKind::condition;
  piece.name = unique("if_" + line_name(step.place));
  piece.place = step.place;
  piece.path = path;
  piece.condition = step.condition;
  collect_reads(step.condition, piece.key_reads);
  pieces_.push_back(std::move(piece));
  return static_cast<std::uint32_t>(pieces_.size() - 1);
}

}  // namespace horae::p4price
