#include "compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/p4prog/wide.hpp"
#include "packing.hpp"

namespace horae::p4prog {

using p4lang::Block;
using p4lang::ExprKind;
using p4lang::Integer;
using p4lang::TypeKind;

namespace {

/// Words of constants, before those of variables.
constexpr std::uint32_t constant_region = 2048;
/// Words behind them that are zero before a pass, so that most programs have one range of those.
constexpr std::uint32_t cleared_region = 4096;

bool is_intrinsic(const p4lang::Type& type) {
  return type.name.find("intrinsic_metadata") != std::string::npos ||
         type.name == "standard_metadata_t";  // of v1model
}

bool asks_predicate(const p4lang::Expr& e) {
  return (e.callee == p4lang::Callee::extern_method && e.name == "predicate") ||
         std::ranges::any_of(e.operands,
                             [](const p4lang::Expr& part) { return asks_predicate(part); });
}

bool asks_predicate(const std::vector<p4lang::Stmt>& list) {
  return std::ranges::any_of(list, [](const p4lang::Stmt& s) {
    return asks_predicate(s.value) || asks_predicate(s.body) || asks_predicate(s.otherwise);
  });
}

}  // namespace

Compiler::Compiler(const p4lang::Program& program, GressCode& out)
    : program_(program),
      out_(out),
      next_cleared_(constant_region),
      next_word_(constant_region + cleared_region) {
  out_.present = true;
  out_.constant_words = constant_region;
  for (const p4lang::Annotation& a : program.annotations)
    metadata_is_zero_ = metadata_is_zero_ || a.name == "pa_auto_init_metadata";
}

void Compiler::refuse(const p4lang::Place& place, const std::string& what) const {
  throw InputError(program_.place_text(place) + ": " + what);
}

std::uint32_t Compiler::allocate(std::uint32_t words) {
  const std::uint32_t at = next_word_;
  next_word_ += words;
  return at;
}

/// Allocates words that are zero before a pass.
std::uint32_t Compiler::cleared(std::uint32_t words) {
  auto& all = out_.cleared;
  const bool has_room = next_cleared_ + words <= constant_region + cleared_region;
  const std::uint32_t at =
      has_room ? std::exchange(next_cleared_, next_cleared_ + words) : allocate(words);
  if (all.empty() || all.back().first + all.back().second != at) all.emplace_back(at, 0);
  all.back().second += words;
  return at;
}

std::vector<std::uint64_t> Compiler::words(const Integer& value, std::uint32_t bits) const {
  std::vector<std::uint64_t> out(words_of(bits));
  Integer rest = value;
  if (rest < 0) rest += Integer(1) << (64 * out.size());
  for (auto& word : out) {
    word = static_cast<std::uint64_t>(rest & ~std::uint64_t{0});
    rest >>= 64;
  }
  if (bits % 64 != 0) out.back() &= (std::uint64_t{1} << bits % 64) - 1;
  return out;
}

std::uint32_t Compiler::constant(const Integer& value, std::uint32_t bits) {
  const auto wanted = words(value, bits);
  if (wanted == std::vector<std::uint64_t>{0}) return 0;
  const auto found = constants_.find(wanted);
  if (found != constants_.end()) return found->second;
  const auto at = static_cast<std::uint32_t>(1 + out_.constants.size());
  if (at + wanted.size() > constant_region)
    throw InputError(fmt::format("{}: more than {} words of constants in a gress",
                                 block_ == nullptr ? "" : program_.place_text(block_->place),
                                 constant_region));
  for (std::uint32_t i = 0; i < wanted.size(); ++i) out_.constants.emplace_back(at + i, wanted[i]);
  constants_.emplace(wanted, at);
  return at;
}

std::uint32_t Compiler::emit(Op op, std::uint32_t width, std::uint32_t d, std::uint32_t a,
                             std::uint32_t b, std::uint32_t n) {
  if (op == Op::move && n == 1) op = Op::move_word;
  if (op == Op::move_word && takes_over(d, a)) return here() - 1;
  out_.code.push_back({op, width, d, a, b, n, wide::low_mask(std::min(width, 64u))});
  out_.places.push_back(place_);
  return here() - 1;
}

/// A temporary that the instruction before has made, and that is copied now: it goes where it is
/// wanted at once. No jump comes here.
bool Compiler::takes_over(std::uint32_t d, std::uint32_t temporary) {
  if (here() == landed_ || temporary < constant_region || is_cleared(temporary)) return false;
  if (out_.code.empty() || out_.code.back().d != temporary) return false;
  Instruction& last = out_.code.back();
  const bool of_one_word =
      last.op <= Op::extend_sign
          ? last.op != Op::insert
          : last.op == Op::move_word || last.op == Op::hash || last.op == Op::update_checksum;
  if (of_one_word) last.d = d;
  return of_one_word;
}

bool Compiler::is_cleared(std::uint32_t word) const {
  return std::ranges::any_of(out_.cleared,
                             [&](const auto& range) { return word - range.first < range.second; });
}

void Compiler::begin(const Block& block) {
  block_ = &block;
  variables_.assign(block.variables.size(), 0);
  std::uint32_t shared = 0;
  for (std::uint32_t i = 0; i < block.variables.size(); ++i) {
    const Type& type = *block.variables[i].type;
    if (i >= block.parameters) {
      variables_[i] = cleared(size_of(type));
      open_words(variables_[i], type, block.variables[i].name, true);
    } else if (is_intrinsic(type)) {
      auto found = std::ranges::find(out_.intrinsic, type.name, &GressCode::Intrinsic::type_name);
      if (found == out_.intrinsic.end())
        found = out_.intrinsic.insert(found, {type.name, &type, cleared(size_of(type))});
      variables_[i] = found->word;
    } else {
      if (shared == shared_.size()) {
        shared_.push_back({&type, cleared(size_of(type))});
        open_words(shared_.back().second, type, block.variables[i].name, true);
      }
      if (shared_[shared].second == 0 || size_of(*shared_[shared].first) != size_of(type))
        refuse(block.variables[i].place,
               fmt::format("{} is {} here, but {} in the gress's parser", block.variables[i].name,
                           type_text(type), type_text(*shared_[shared].first)));
      variables_[i] = shared_[shared++].second;
    }
  }
  functions();
}

/// Parts of a value that P4 leaves open. Lengths of varbits, validity and indices are not.
void Compiler::open_words(std::uint32_t word, const Type& type, const std::string& name,
                          bool metadata) {
  switch (type.kind) {
    case TypeKind::header:
      metadata = false;
      [[fallthrough]];
    case TypeKind::structure:
    case TypeKind::tuple:
    case TypeKind::header_union:
      for (std::uint32_t i = 0; i < type.fields.size(); ++i)
        open_words(word + offset_of(type, i), *type.fields[i].type,
                   name + "." + type.fields[i].name, metadata);
      return;
    case TypeKind::stack:
      for (std::uint32_t i = 0; i < type.size; ++i)
        open_words(word + 1 + i * size_of(*type.element), *type.element,
                   fmt::format("{}[{}]", name, i), metadata);
      return;
    case TypeKind::bit:
    case TypeKind::signed_bit:
    case TypeKind::boolean:
    case TypeKind::enumeration: {
      if (metadata && metadata_is_zero_) return;
      const std::uint32_t bits = bits_of(type);
      for (std::uint32_t done = 0; done < bits; done += 64)
        out_.open.push_back({word + done / 64, std::min(64u, bits - done), name});
      return;
    }
    default:
      return;
  }
}

/// A way of a LearnAction has matched or learned if its action wrote the cell.
void Compiler::mark_learned_cells() {
  marks_.clear();
  for (const p4lang::ExternObject& object : program_.externs) {
    if (!object.type->name.starts_with("LearnAction") || object.block == p4lang::no_block ||
        &program_.blocks[object.block] != block_)
      continue;
    const std::uint32_t apply = method_of(object, "apply");
    if (apply != p4lang::no_block && !block_->functions[apply].parameters.empty())
      marks_[block_->functions[apply].parameters[0]] = cleared(1);
  }
}

/// Which functions may exit. One that is given something out or inout hands it back before that
/// (P4-16, 12.5 exit), so all of them return, with a mark for whoever called them.
void Compiler::find_exits() {
  exits_.assign(block_->functions.size(), false);
  exited_.reset();
  const std::function<bool(const Expr&)> calls_one = [&](const Expr& e) {
    return (e.kind == ExprKind::call && e.callee == p4lang::Callee::function && exits_[e.index]) ||
           std::ranges::any_of(e.operands, calls_one);
  };
  const std::function<bool(const std::vector<Stmt>&)> one_in = [&](const std::vector<Stmt>& body) {
    return std::ranges::any_of(body, [&](const Stmt& s) {
      return s.kind == StmtKind::exit || calls_one(s.target) || calls_one(s.value) ||
             one_in(s.body) || one_in(s.otherwise) ||
             std::ranges::any_of(s.cases, [&](const auto& c) { return one_in(c.body); });
    });
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < exits_.size(); ++i) {
      if (exits_[i] || !one_in(block_->functions[i].body)) continue;
      exits_[i] = more = true;
    }
  }
  for (std::size_t i = 0; i < exits_.size(); ++i) {
    const bool gives_back = std::ranges::any_of(block_->functions[i].parameters, [&](auto p) {
      const auto direction = block_->variables[p].direction;
      return direction == p4lang::Direction::out || direction == p4lang::Direction::inout;
    });
    if (exits_[i] && gives_back && !exited_) exited_ = cleared(1);
  }
}

void Compiler::functions() {
  mark_learned_cells();
  find_exits();
  function_at_.assign(block_->functions.size(), 0);
  function_result_.assign(block_->functions.size(), 0);
  table_at_.clear();
  for (std::uint32_t i = 0; i < block_->functions.size(); ++i)
    function_result_[i] = cleared(size_of(*block_->functions[i].result));
  const auto first_table = static_cast<std::uint32_t>(out_.tables.size());
  for (std::uint32_t i = 0; i < block_->tables.size(); ++i) table_at_.push_back(first_table + i);
  out_.tables.resize(first_table + block_->tables.size());
  const auto first_set = static_cast<std::uint32_t>(out_.value_sets.size());
  value_set_base_ = first_set;
  for (const auto& set : block_->value_sets) {
    ValueSetCode code{&set, {}};
    std::vector<Piece> parts;
    pieces_of(parts, 0, *set.type, 0);
    for (const Piece& p : parts) code.bits.push_back(p.bits);
    out_.value_sets.push_back(std::move(code));
  }
  for (std::uint32_t i = 0; i < block_->functions.size(); ++i) function(i);
  tables();
}

void Compiler::function(std::uint32_t index) {
  function_at_[index] = here();
  function_now_ = index;
  temporary_ = next_word_;
  begin_conditions(index);
  statements(block_->functions[index].body);
  emit(Op::give_back, 0, 0);
  function_now_.reset();
}

/// A stateful ALU compares the cell as it was, whatever the action writes first.
void Compiler::begin_conditions(std::uint32_t index) {
  begin_conditions_.clear();
  const p4lang::Function& f = block_->functions[index];
  if (f.kind != p4lang::FunctionKind::method || !asks_predicate(f.body)) return;
  std::vector<const Expr*> found;
  comparisons(found, f.body);
  asked_of_predicates(found, f.body);
  for (const Expr* e : found) {
    const std::uint32_t word = allocate(1);
    into(word, *e);
    begin_conditions_.emplace_back(e, word);
  }
}

/// An action with bound arguments begins with code that gives it those and calls it.
void Compiler::tables() {
  for (std::uint32_t t = 0; t < block_->tables.size(); ++t) {
    const p4lang::Table& source = block_->tables[t];
    TableCode code;
    code.source = &source;
    for (const p4lang::TableAction& action : source.actions) {
      const p4lang::Function& f = block_->functions[action.function];
      const std::uint32_t entry = action.bound.empty() ? function_at_[action.function] : here();
      ActionCode a{action.name, entry, {}, {}, action.table_only, action.default_only};
      for (std::size_t p = 0; p < action.bound.size(); ++p) {
        const auto variable = f.parameters.at(p);
        if (block_->variables[variable].direction != p4lang::Direction::out)
          into(variables_[variable], action.bound[p]);
      }
      if (!action.bound.empty()) calls_.emplace_back(emit(Op::call, 0, 0), action.function);
      for (std::size_t p = 0; p < action.bound.size(); ++p) {
        const auto variable = f.parameters.at(p);
        const auto direction = block_->variables[variable].direction;
        if (direction == p4lang::Direction::out || direction == p4lang::Direction::inout)
          store(ref(action.bound[p]), variables_[variable]);
      }
      if (!action.bound.empty()) emit(Op::give_back, 0, 0);
      for (std::size_t p = action.bound.size(); p < f.parameters.size(); ++p) {
        const auto& variable = block_->variables[f.parameters[p]];
        const auto dot = variable.name.rfind('.');
        a.data.push_back({dot == std::string::npos ? variable.name : variable.name.substr(dot + 1),
                          variables_[f.parameters[p]], bits_of(*variable.type), variable.type});
        for (std::uint32_t w = 0; w < words_of(bits_of(*variable.type)); ++w)
          a.data_words.push_back(variables_[f.parameters[p]] + w);
      }
      code.actions.push_back(std::move(a));
    }
    out_.tables[table_at_[t]] = std::move(code);
  }
}

/// Calls get their targets: all functions of the block are compiled.
void Compiler::close() {
  for (const auto& [at, f] : calls_) out_.code[at].n = function_at_[f];
  calls_.clear();
  for (const Fix& fix : extern_fixes_) {
    ExternCode& code = out_.externs[fix.number];
    (fix.overflow ? code.overflow : code.entry) = function_at_[fix.function];
  }
  extern_fixes_.clear();
}

std::uint32_t Compiler::control(const Block& block) {
  begin(block);
  const std::uint32_t entry = here();
  temporary_ = next_word_;
  leaves_.clear();
  statements(block.body);
  for (const std::uint32_t jump : leaves_) land(jump);
  leaves_.clear();
  emit(Op::end, 0, 0);
  close();
  return entry;
}

std::uint32_t Compiler::deparser(const Block& block) {
  const std::uint32_t entry = control(block);
  bool emitted = false;
  for (std::uint32_t at = entry; at < here(); ++at) {
    const Instruction& i = out_.code[at];
    emitted = emitted || i.op == Op::emit;
    const bool of_temporaries = (i.op <= Op::extend_sign || i.op == Op::constant ||
                                 i.op == Op::move_word || i.op == Op::element_offset) &&
                                !is_cleared(i.d);
    if (emitted && i.op != Op::emit && i.op != Op::end && !is_jump(i.op) && !of_temporaries)
      out_.emits_at_once = true;
  }
  return entry;
}

std::uint32_t Compiler::parser(const Block& block) {
  begin(block);
  const std::uint32_t entry = here();
  temporary_ = next_word_;
  // An `out` parameter begins as zero: all words but constants are zero before a pass.
  statements(block.prologue);
  state_at_.assign(block.states.size(), 0);
  state_jumps_.clear();
  const auto first_select = out_.selects.size();
  for (std::uint32_t i = 0; i < block.states.size(); ++i) state(i);
  accept_at_ = emit(Op::end, 0, 0);
  // On the chip `reject` ends the parser as `accept` does: what is to be dropped is dropped for an
  // error (measured: cases of the vendor's that fill a FIFO by packets their parser rejects).
  reject_at_ = accept_at_;
  for (const auto& [at, next] : state_jumps_) out_.code[at].n = state_target(next);
  for (auto s = first_select; s < out_.selects.size(); ++s) {
    SelectCode& select = out_.selects[s];
    for (CaseCode& c : select.cases) c.next = state_target(c.next);
    const auto has_no_sets = [](const CaseCode& c) { return c.sets.empty(); };
    if (select.packed.words > 1 || !std::ranges::all_of(select.cases, has_no_sets)) continue;
    for (const CaseCode& c : select.cases)
      select.short_cases.push_back({c.value[0], c.mask[0], c.next});
  }
  close();
  return entry;
}

std::uint32_t Compiler::state_target(std::uint32_t state) {
  if (state == p4lang::accept_state) return accept_at_;
  return state == p4lang::reject_state ? reject_at_ : state_at_.at(state);
}

void Compiler::state(std::uint32_t index) {
  const p4lang::State& s = block_->states[index];
  place_ = s.place;
  state_at_[index] = here();
  temporary_ = next_word_;
  statements(s.statements);
  if (s.select.empty()) {
    const std::uint32_t next = s.cases.empty() ? p4lang::reject_state : s.cases.front().next;
    state_jumps_.emplace_back(emit(Op::jump, 0, 0), next);
    return;
  }
  SelectCode code;
  for (const Expr& e : s.select) code.on.push_back({value(e), bits_of(*e.type), 0});
  code.packed = pack_plan(code.on);
  for (const p4lang::SelectCase& c : s.cases) {
    CaseCode out;
    out.next = c.next;
    out.value.resize(code.packed.words);
    out.mask.resize(out.value.size());
    if (c.keys.size() > code.on.size()) refuse(s.place, "a case of more sets than are selected on");
    for (std::uint32_t i = 0; i < c.keys.size(); ++i) add_set(out, c.keys[i], i, code);
    code.cases.push_back(std::move(out));
  }
  out_.selects.push_back(std::move(code));
  emit(Op::select, 0, 0, 0, 0, static_cast<std::uint32_t>(out_.selects.size() - 1));
}

void Compiler::add_set(CaseCode& out, const p4lang::KeySet& set, std::uint32_t on,
                       const SelectCode& select) const {
  using p4lang::SetKind;
  const std::uint32_t bits = select.on[on].bits;
  switch (set.kind) {
    case SetKind::any:
      return;
    case SetKind::exact:
    case SetKind::mask: {
      std::uint32_t at = 0;
      for (std::uint32_t i = 0; i < on; ++i) at += select.on[i].bits;
      const auto mask = set.kind == SetKind::exact ? words(-1, bits) : words(set.other, bits);
      pack(out.value, at, words(set.value, bits), bits);
      pack(out.mask, at, mask, bits);
      return;
    }
    case SetKind::range:
    case SetKind::value_set:
      out.sets.push_back({set.kind, words(set.value, bits), words(set.other, bits),
                          set.index + value_set_base_, on});
      return;
  }
}

/// Finds whether the code of a table's action only copies words and data.
void Compiler::find_copies(ActionCode& action) const {
  for (std::uint32_t at = action.entry;; ++at) {
    const Instruction& i = out_.code[at];
    if (i.op == Op::give_back) break;
    const auto& data = action.data_words;
    if (i.op != Op::move_word || std::ranges::find(data, i.d) != data.end()) {
      action.copies.clear();
      return;
    }
    const auto of = static_cast<std::uint32_t>(std::ranges::find(data, i.a) - data.begin());
    const bool is_data = of < data.size();
    action.copies.push_back({i.d, is_data ? of : i.a, is_data});
  }
  action.only_copies = true;
}

void Compiler::finish() {
  out_.words = next_word_;
  for (TableCode& table : out_.tables) {
    for (ActionCode& action : table.actions) find_copies(action);
  }
  for (std::size_t i = 0; i < header_types_.size(); ++i)
    choose_fields(out_.headers[i], *header_types_[i]);
}

namespace {

/// A V1Switch: one pass from the parser to the deparser (p4lang/p4c, v1model.p4).
PipeCode v1_code(const p4lang::Program& program, const p4lang::Pipe& pipe) {
  PipeCode out;
  out.v1model = true;
  GressCode& gress = out.gress[0];
  Compiler compiler(program, gress);
  const auto block = [&](const char* role) -> const Block& {
    const Block* found = program.block(pipe, role);
    if (found == nullptr)
      throw InputError(
          fmt::format("{}: the V1Switch has no part '{}'", program.place_text(pipe.place), role));
    return *found;
  };
  gress.parser = compiler.parser(block("p"));
  gress.before_control = {compiler.control(block("vr"))};
  gress.control = compiler.control(block("ig"));
  gress.after_control = {compiler.control(block("eg")), compiler.control(block("ck"))};
  gress.deparser = compiler.deparser(block("dep"));
  compiler.finish();
  return out;
}

}  // namespace

PipeCode code_of(const p4lang::Program& program, const p4lang::Pipe& pipe) {
  if (program.architecture == "v1model") return v1_code(program, pipe);
  if (program.architecture != "tna" && program.architecture != "t2na")
    throw InputError(fmt::format("{}: a program for {}, expected one for tna or t2na",
                                 program.place_text(pipe.place), program.architecture));
  PipeCode out;
  static constexpr const char* roles[2][3] = {{"ingress_parser", "ingress", "ingress_deparser"},
                                              {"egress_parser", "egress", "egress_deparser"}};
  for (int g = 0; g < 2; ++g) {
    const Block* blocks[3];
    for (int i = 0; i < 3; ++i) blocks[i] = program.block(pipe, roles[g][i]);
    if (blocks[0] == nullptr || blocks[1] == nullptr || blocks[2] == nullptr) {
      if (g == 0)
        throw InputError(
            fmt::format("{}: {} has no ingress parser, control and deparser; "
                        "expected a Pipeline of tna.p4 or t2na.p4",
                        program.place_text(pipe.place), pipe.name));
      continue;
    }
    Compiler compiler(program, out.gress[g]);
    out.gress[g].parser = compiler.parser(*blocks[0]);
    out.gress[g].control = compiler.control(*blocks[1]);
    out.gress[g].deparser = compiler.deparser(*blocks[2]);
    if (const Block* ghost = g == 0 ? program.block(pipe, "ghost") : nullptr)
      out.gress[g].ghost = compiler.control(*ghost);
    compiler.finish();
  }
  return out;
}

ProgramCode code_of(const p4lang::Program& program) {
  ProgramCode out;
  for (const p4lang::Pipe& pipe : program.pipes)
    out.push_back(std::make_unique<PipeCode>(code_of(program, pipe)));
  return out;
}

}  // namespace horae::p4prog
