#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "compiler.hpp"
#include "horae/dataplane/objects/bit_string.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/v1model.hpp"

namespace horae::p4prog {

using p4lang::ExprKind;
using p4lang::ExternObject;
using p4lang::StmtKind;
using p4lang::TypeKind;
using LangOp = p4lang::Op;

namespace {

/// Whether an expression runs other code: a function, a method of an extern, a table.
bool calls(const p4lang::Expr& e) {
  const bool other = e.kind == ExprKind::call && (e.callee == p4lang::Callee::function ||
                                                  e.callee == p4lang::Callee::extern_method ||
                                                  e.callee == p4lang::Callee::apply_table);
  return other || e.kind == ExprKind::table_hit || std::ranges::any_of(e.operands, calls);
}

/// Whether statements end where they end, and run nothing else: another access would open another
/// cell meanwhile, and `exit` would leave this one open.
bool stays_within(const std::vector<p4lang::Stmt>& list) {
  return std::ranges::all_of(list, [](const p4lang::Stmt& s) {
    return s.kind != StmtKind::exit && s.kind != StmtKind::by_action && !calls(s.target) &&
           !calls(s.value) && stays_within(s.body) && stays_within(s.otherwise) &&
           std::ranges::all_of(s.cases, [](const auto& c) { return stays_within(c.body); });
  });
}

struct MethodName {
  std::string_view type, method;
  ExternKind kind;
};

/// Methods whose arguments are values alone. Open Tofino, "Tofino Native Architecture".
constexpr MethodName simple_methods[] = {
    {"Register", "read", ExternKind::register_read},
    {"Register", "write", ExternKind::register_write},
    {"Register", "clear", ExternKind::register_clear},
    {"RegisterParam", "read", ExternKind::register_parameter},
    {"MathUnit", "execute", ExternKind::math},
    {"Counter", "count", ExternKind::count},
    {"DirectCounter", "count", ExternKind::count},
    {"Meter", "execute", ExternKind::meter},
    {"DirectMeter", "execute", ExternKind::meter},
    {"Lpf", "execute", ExternKind::low_pass},
    {"DirectLpf", "execute", ExternKind::low_pass},
    {"Wred", "execute", ExternKind::early_drop},
    {"DirectWred", "execute", ExternKind::early_drop},
    {"Hash", "get", ExternKind::hash},
    {"Random", "get", ExternKind::random},
    {"Checksum", "add", ExternKind::checksum_add},
    {"Checksum", "subtract", ExternKind::checksum_subtract},
    {"Checksum", "verify", ExternKind::checksum_verify},
    {"Checksum", "get", ExternKind::checksum_get},
    {"Checksum", "update", ExternKind::checksum_update},
    {"ParserCounter", "set", ExternKind::counter_set},
    {"ParserCounter", "push", ExternKind::counter_push},
    {"ParserCounter", "pop", ExternKind::counter_pop},
    {"ParserCounter", "increment", ExternKind::counter_add},
    {"ParserCounter", "decrement", ExternKind::counter_add},
    {"ParserCounter", "is_zero", ExternKind::counter_zero},
    {"ParserCounter", "is_negative", ExternKind::counter_negative},
    {"ParserPriority", "set", ExternKind::priority},
    {"Mirror", "emit", ExternKind::mirror},
    {"Resubmit", "emit", ExternKind::resubmit},
    {"Digest", "pack", ExternKind::digest},
    {"Pktgen", "emit", ExternKind::packet_generator},
};

bool is_stateful_action(std::string_view type) {
  for (const std::string_view base : {"RegisterAction", "DirectRegisterAction", "LearnAction",
                                      "MinMaxAction", "SelectorAction"}) {
    if (type.starts_with(base) && type.size() <= base.size() + 1) return true;
  }
  return false;
}

bool is_comparison(LangOp op) {
  switch (op) {
    case LangOp::equal:
    case LangOp::not_equal:
    case LangOp::less:
    case LangOp::less_equal:
    case LangOp::greater:
    case LangOp::greater_equal:
      return true;
    default:
      return false;
  }
}

bool same(const p4lang::Expr& a, const p4lang::Expr& b) {
  return a.kind == b.kind && a.op == b.op && a.callee == b.callee && a.index == b.index &&
         a.high == b.high && a.low == b.low && a.value == b.value && a.name == b.name &&
         std::ranges::equal(a.operands, b.operands, same);
}

std::optional<CellBy> cell_by(std::string_view method, bool direct) {
  if (method == "execute") return direct ? CellBy::entry : CellBy::index;
  if (method == "execute_log") return CellBy::log;
  if (method == "enqueue") return CellBy::enqueue;
  if (method == "dequeue") return CellBy::dequeue;
  if (method == "push") return CellBy::push;
  if (method == "pop") return CellBy::pop;
  if (method == "sweep") return CellBy::sweep;
  return std::nullopt;
}

}  // namespace

void Compiler::call_extern(ExternCode code) {
  const auto number = static_cast<std::uint32_t>(out_.externs.size());
  out_.externs.push_back(std::move(code));
  const ExternCode& call = out_.externs.back();
  // Calls that most packets make have instructions of their own.
  if (call.kind == ExternKind::hash && call.pairs.empty() && call.result_bits <= 64 &&
      call.packed.bits <= dataplane::BitString::most_bits)
    emit(Op::hash, call.result_bits, call.result, 0, 0, number);
  else if (call.kind == ExternKind::checksum_update && call.result_bits <= 64)
    emit(Op::update_checksum, call.result_bits, call.result, 0, 0, number);
  else if (call.kind == ExternKind::count && call.by == CellBy::index && call.arguments.size() == 1)
    emit(Op::count, 0, 0, call.arguments[0].word, 0, number);
  else
    emit(Op::extern_call, 0, 0, 0, 0, number);
}

void Compiler::extern_method(std::uint32_t d, const Expr& e) {
  const ExternObject& object = program_.externs.at(e.index);
  const std::string& type = object.type->name;
  ExternCode code;
  code.object = e.index;
  code.result = d;
  code.result_bits = is_scalar(*e.type) ? bits_of(*e.type) : 0;
  code.place = e.place;
  if (is_stateful_action(type)) {
    if (const auto by = cell_by(e.name, type.starts_with("Direct"))) {
      register_action(d, e, *by);
      return;
    }
    if (e.name == "predicate") {
      predicate(code, e);
      return;
    }
    stateful_value(std::move(code), e);
    return;
  }
  if (type == "Checksum" && e.name == "subtract_all_and_deposit") {
    code.kind = ExternKind::checksum_rest;
    const Ref to = ref(e.operands.at(0));
    code.result = to.word;
    write_field(to);
    call_extern(std::move(code));
    return;
  }
  const auto* found = std::ranges::find_if(
      simple_methods, [&](const MethodName& m) { return m.type == type && m.method == e.name; });
  if (found == std::end(simple_methods))
    refuse(e.place, fmt::format("{}.{}() of {} is not supported", type, e.name, object.name));
  code.kind = found->kind;
  code.by = type.starts_with("Direct") ? CellBy::entry : CellBy::index;
  code.overflow = e.name == "decrement" ? 1 : 0;
  for (const Expr& argument : e.operands) {
    code.argument_begins.push_back(static_cast<std::uint32_t>(code.arguments.size()));
    pieces(code.arguments, argument);
  }
  if (code.kind == ExternKind::digest) check_room(code, 0, 47, 48);
  if (code.kind == ExternKind::mirror) check_room(code, 1, 32, 48);
  if (code.kind == ExternKind::packet_generator) check_room(code, 0, 16, 16);
  if (code.kind == ExternKind::hash) {
    code.packed = pack_plan(code.arguments);
    symmetric_pairs(code, object, e);
  }
  if (code.kind == ExternKind::checksum_update) {
    std::span<const Piece> summed = code.arguments;
    if (code.argument_begins.size() > 1) summed = summed.first(code.argument_begins[1]);
    code.packed = pack_plan(summed);
    for (const Piece& p : summed) {
      if (p.valid != 0 && std::ranges::find(code.validity, p.valid) == code.validity.end())
        code.validity.push_back(p.valid);
    }
  }
  if ((code.kind == ExternKind::counter_set || code.kind == ExternKind::counter_push) &&
      e.operands.size() >= 5)
    code.cell = bit_of_byte(e.operands[0]);
  if (code.kind == ExternKind::register_read) code.result_bits = 0;  // a cell, in words of its type
  code.cell_type = e.type;
  call_extern(std::move(code));
}

/// An argument before a packet, or in a digest, has so many bytes at most.
void Compiler::check_room(const ExternCode& code, std::size_t argument, std::uint32_t tofino,
                          std::uint32_t tofino2) const {
  if (argument >= code.argument_begins.size()) return;
  std::uint32_t bits = 0;
  for (std::size_t i = code.argument_begins[argument]; i < code.arguments.size(); ++i)
    bits += code.arguments[i].bits;
  const std::uint32_t most = program_.architecture == "tna" ? tofino : tofino2;
  if (bits > 8 * most)
    refuse(code.place, fmt::format("{} bytes for {}, expected at most {}", (bits + 7) / 8,
                                   program_.externs[code.object].name, most));
}

/// @symmetric("hdr.ipv4.src_addr", "hdr.ipv4.dst_addr"): the hash does not tell which is which.
void Compiler::symmetric_pairs(ExternCode& code, const ExternObject& object, const Expr& e) const {
  for (const p4lang::Annotation& a : object.annotations) {
    if (a.name != "symmetric" || e.operands.empty()) continue;
    std::vector<std::uint32_t> found;
    for (const std::string& name : a.words) {
      const auto& list = e.operands[0].operands;
      const auto at = std::ranges::find_if(list, [&](const Expr& part) {
        const std::string text = path_of(part);
        return text == name || text.ends_with("." + name);
      });
      if (at != list.end()) found.push_back(static_cast<std::uint32_t>(at - list.begin()));
    }
    if (found.size() != 2 || code.arguments.size() != e.operands[0].operands.size())
      refuse(e.place, "@symmetric is supported for two fields of the list that is hashed");
    code.pairs.emplace_back(found[0], found[1]);
  }
}

/// Where a field ends in its byte: the lowest bit that it has of the byte, 0 to 7.
std::uint32_t Compiler::bit_of_byte(const Expr& e) const {
  if (e.kind != ExprKind::field || e.operands[0].type->kind != TypeKind::header) return 0;
  const auto& fields = e.operands[0].type->fields;
  std::uint32_t end = 0;
  for (std::uint32_t i = 0; i <= e.index; ++i) end += p4lang::width_of(*fields[i].type);
  return (8 - end % 8) % 8;
}

std::string Compiler::path_of(const Expr& e) const {
  if (e.kind == ExprKind::variable) return block_->variables[e.index].name;
  if (e.kind != ExprKind::field) return "";
  return path_of(e.operands[0]) + "." + e.operands[0].type->fields[e.index].name;
}

/// address(), min8() and the like, within a stateful action or behind it.
void Compiler::stateful_value(ExternCode code, const Expr& e) {
  static constexpr std::pair<std::string_view, std::uint32_t> parts[] = {
      {"min8", 8}, {"max8", 8}, {"min16", 16}, {"max16", 16}};
  if (e.name == "address") {
    code.kind = ExternKind::register_address;
    for (const Expr& argument : e.operands) pieces(code.arguments, argument);
    call_extern(std::move(code));
    return;
  }
  const auto* found =
      std::ranges::find(parts, e.name, &std::pair<std::string_view, std::uint32_t>::first);
  if (found == std::end(parts)) refuse(e.place, e.name + "() is not supported");
  code.kind = e.name.starts_with("min") ? ExternKind::minimum : ExternKind::maximum;
  code.entry = found->second;
  const bool gives_index = e.operands.size() > 2 && e.operands[2].kind != ExprKind::absent;
  std::uint32_t index = 0;
  if (gives_index) {
    index = allocate(1);
    code.outputs.push_back(index);
  }
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    if (i == 2) continue;
    code.argument_begins.push_back(static_cast<std::uint32_t>(code.arguments.size()));
    pieces(code.arguments, e.operands[i]);
  }
  call_extern(std::move(code));
  if (gives_index) store(ref(e.operands[2]), index);
}

std::uint32_t Compiler::method_of(const ExternObject& object, std::string_view name) const {
  const auto found = std::ranges::find(object.methods, name, &p4lang::Method::name);
  return found == object.methods.end() ? p4lang::no_block : found->function;
}

/// The cell is read into the parameter `value` of apply(), apply() runs, the cell is written back;
/// what apply() gives goes where the caller wants it.
void Compiler::register_action(std::uint32_t d, const Expr& e, CellBy by) {
  const ExternObject& object = program_.externs.at(e.index);
  if (object.type->name == "SelectorAction" &&
      (e.operands.empty() || e.operands[0].kind == ExprKind::absent))
    refuse(e.place, object.name + ".execute() without an index is not supported");
  const std::uint32_t apply = method_of(object, "apply");
  if (apply == p4lang::no_block) refuse(object.place, object.name + " has no apply()");
  const p4lang::Function& f = block_->functions.at(apply);
  ExternCode code;
  code.kind = ExternKind::register_action;
  code.object = e.index;
  code.by = by;
  code.place = e.place;
  const bool has_index = by == CellBy::index && !e.operands.empty();
  if (has_index) pieces(code.arguments, e.operands[0]);
  std::size_t next = 0;
  if (!f.parameters.empty()) {
    code.cell = variables_[f.parameters[0]];
    code.cell_type = block_->variables[f.parameters[0]].type;
    code.cell_bits = width_of(*code.cell_type);
    if (code.cell_type->fields.size() > 1) code.second = offset_of(*code.cell_type, 1);
    next = 1;
  }
  if (object.type->name.starts_with("LearnAction")) {
    if (f.parameters.size() < 3)
      refuse(object.place, object.name + ": apply() has no digest and no bool behind its cell");
    code.by = CellBy::learn;
    code.wrote = marks_.at(f.parameters[0]);
    code.digest = variables_[f.parameters[1]];
    code.digest_bits = bits_of(*block_->variables[f.parameters[1]].type);
    code.matched = variables_[f.parameters[2]];
    next = 3;
  }
  for (std::size_t i = next; i < f.parameters.size(); ++i)
    code.outputs.push_back(variables_[f.parameters[i]]);
  const auto number = static_cast<std::uint32_t>(out_.externs.size());
  extern_fixes_.push_back({number, apply, false});
  const char* other = by == CellBy::enqueue || by == CellBy::push ? "overflow" : "underflow";
  if (const std::uint32_t f2 = method_of(object, other); f2 != p4lang::no_block) {
    extern_fixes_.push_back({number, f2, true});
    for (const std::uint32_t parameter : block_->functions.at(f2).parameters) {
      if (block_->variables[parameter].direction == p4lang::Direction::out)
        code.other_outputs.push_back(variables_[parameter]);
    }
  }
  const std::vector<std::uint32_t> outputs = code.outputs;
  // Most accesses are of one cell that the index or the entry gives: their code runs in line.
  const bool one_cell = !f.parameters.empty() && code.cell_bits != 128 &&
                        (code.by == CellBy::index || code.by == CellBy::entry) &&
                        stays_within(f.body);
  if (one_cell) {
    const std::uint32_t cell = code.cell, second = code.second == 0 ? 0 : cell + code.second;
    const std::uint32_t index = code.arguments.empty() ? 0 : code.arguments.front().word;
    out_.externs.push_back(std::move(code));
    emit(Op::open_cell, static_cast<std::uint32_t>(outputs.size()), cell, index,
         outputs.empty() ? 0 : outputs.front(), number);
    emit(Op::close_cell, 0, cell, 0, second, number);
  } else {
    call_extern(std::move(code));
  }
  const auto type_at = [&](std::size_t i) -> const Type& {
    return *block_->variables[f.parameters[next + i]].type;
  };
  if (e.type->kind != TypeKind::none) {
    if (outputs.empty())
      emit(Op::constant, 0, d, 0, 0, 0);
    else
      give(d, outputs[0], type_at(0), *e.type);
  }
  const std::size_t first_out = has_index ? 1 : 0;
  for (std::size_t i = first_out; i < e.operands.size(); ++i) {
    const std::size_t output = i - first_out + 1;
    if (e.operands[i].kind == ExprKind::absent || output >= outputs.size()) continue;
    if (is_ref(e.operands[i])) store(ref(e.operands[i]), outputs[output]);
  }
}

/// An output of an action is as wide as its parameter; the caller may want it otherwise.
void Compiler::give(std::uint32_t d, std::uint32_t from, const Type& had, const Type& wanted) {
  if (is_scalar(had) && is_scalar(wanted))
    convert(d, from, had, wanted);
  else
    emit(Op::move, 0, d, from, 0, size_of(wanted));
}

void Compiler::comparisons(std::vector<const Expr*>& out, const Expr& e) const {
  if (e.kind == ExprKind::binary && is_comparison(e.op)) {
    if (std::ranges::none_of(out, [&](const Expr* o) { return same(*o, e); })) out.push_back(&e);
    return;
  }
  for (const Expr& part : e.operands) comparisons(out, part);
}

void Compiler::comparisons(std::vector<const Expr*>& out, const std::vector<Stmt>& list) const {
  for (const Stmt& s : list) {
    comparisons(out, s.value);
    comparisons(out, s.body);
    comparisons(out, s.otherwise);
  }
}

/// Conditions that predicates name, which may be of several comparisons.
void Compiler::asked_of_predicates(std::vector<const Expr*>& out,
                                   const std::vector<Stmt>& list) const {
  const auto add = [&](auto& self, const Expr& e) -> void {
    if (e.callee == p4lang::Callee::extern_method && e.name == "predicate") {
      for (const Expr& argument : e.operands) {
        if (argument.kind != ExprKind::absent &&
            std::ranges::none_of(out, [&](const Expr* o) { return same(*o, argument); }))
          out.push_back(&argument);
      }
    }
    for (const Expr& part : e.operands) self(self, part);
  };
  for (const Stmt& s : list) {
    add(add, s.value);
    asked_of_predicates(out, s.body);
    asked_of_predicates(out, s.otherwise);
  }
}

/// One bit of 16, or of 4: the one whose number the comparisons make, the first one the lowest bit.
/// They are of the cell as it was.
void Compiler::predicate(ExternCode& code, const Expr& e) {
  std::vector<const Expr*> conditions;
  std::vector<bool> negated;
  for (const Expr& argument : e.operands) {
    if (argument.kind != ExprKind::absent) conditions.push_back(&argument);
  }
  if (conditions.empty() && function_now_)
    comparisons(conditions, block_->functions[*function_now_].body);
  if (conditions.size() > 4) refuse(e.place, "a predicate of more than four comparisons");
  code.kind = ExternKind::predicate;
  // Behind assignments the cell is no longer as it was: comparisons are made where apply() begins.
  for (const Expr* c : conditions) code.conditions.push_back(condition_at_begin(*c));
  call_extern(std::move(code));
}

std::uint32_t Compiler::condition_at_begin(const Expr& e) {
  if (!function_now_) return value(e);
  for (const auto& [known, word] : begin_conditions_) {
    if (same(*known, e)) return word;
  }
  return value(e);
}

/// Writes a field of v1model's metadata, which not every block has as a parameter.
void Compiler::standard_metadata(std::string_view field, std::uint32_t from) {
  const auto found = std::ranges::find(out_.intrinsic, std::string_view("standard_metadata_t"),
                                       &GressCode::Intrinsic::type_name);
  if (found == out_.intrinsic.end() || !has_field(*found->type, field)) return;
  emit(Op::move, 0, found->word + offset_of(*found->type, field_of(*found->type, field)), from, 0,
       1);
}

namespace {

std::string member_of(const p4lang::Expr& e) {
  for (const p4lang::Member& m : e.type->members) {
    if (m.value == e.value) return m.name;
  }
  return "";
}

}  // namespace

/// verify_checksum() and update_checksum() of v1model: condition, data, checksum, algorithm.
void Compiler::v1_checksum(const Expr& e) {
  const auto& args = e.operands;
  if (args.size() != 4 || member_of(args[3]) != "csum16")
    refuse(e.place, e.name + "() by another algorithm than csum16 is not supported");
  const std::uint32_t past = emit(Op::jump_unless, 0, 0, value(args[0]));
  ExternCode code;
  code.kind = ExternKind::checksum_update;
  code.place = e.place;
  code.argument_begins = {0};
  pieces(code.arguments, args[1]);
  code.packed = pack_plan(code.arguments);
  for (const Piece& p : code.arguments) {
    if (p.valid != 0 && std::ranges::find(code.validity, p.valid) == code.validity.end())
      code.validity.push_back(p.valid);
  }
  code.result = allocate(1);
  code.result_bits = 16;
  const std::uint32_t sum = code.result;
  call_extern(std::move(code));
  if (e.name == "update_checksum") {
    store(ref(args[2]), sum);
  } else {
    const std::uint32_t same = allocate(1);
    emit(Op::equal, 16, same, sum, value(args[2]));
    const std::uint32_t right = emit(Op::jump_if, 0, 0, same);
    standard_metadata("checksum_error", number(1));
    land(right);
  }
  land(past);
}

void Compiler::extern_function(std::uint32_t d, const Expr& e) {
  const auto& args = e.operands;
  if (e.name == "max" || e.name == "min") {
    const Type& type = *args.at(0).type;
    const std::uint32_t a = value(args[0]), b = value(args.at(1)), less = allocate(1);
    const std::uint32_t bits = bits_of(type);
    if (bits > 64) refuse(e.place, e.name + "() of more than 64 bits is not supported");
    emit(is_signed(type) ? Op::signed_less : Op::less, bits, less, a, b);
    const std::uint32_t over = emit(e.name == "min" ? Op::jump_if : Op::jump_unless, 0, 0, less);
    const std::uint32_t result = allocate(1);
    emit(Op::move, 0, result, b, 0, 1);
    const std::uint32_t past = emit(Op::jump, 0, 0);
    land(over);
    emit(Op::move, 0, result, a, 0, 1);
    land(past);
    emit(Op::move, 0, d, result, 0, 1);
  } else if (e.name == "funnel_shift_right") {
    const std::uint32_t bits = bits_of(*args.at(0).type), whole = allocate(words_of(2 * bits));
    emit(Op::wide_insert, bits, whole, value(args.at(2)), 0, 0);
    emit(Op::wide_insert, bits, whole, value(args.at(1)), 0, bits);
    const std::uint32_t out = allocate(words_of(bits));
    emit(Op::wide_slice, bits, out, whole, words_of(2 * bits),
         static_cast<std::uint32_t>(args.at(3).value));
    store(ref(args[0]), out);
  } else if (e.name == "invalidate" && is_ref(args.at(0))) {
    const Ref r = ref(args[0]);
    if (args[0].type->kind == TypeKind::header)
      emit(Op::constant, 0, r.word, 0, 0, 0);
    else if (r.mark != 0)
      emit(Op::constant, 0, r.mark, 0, 0, 0);
    else
      emit(Op::constant, 0, r.word, 0, 0, 0);
    write_field(r);
  } else if (e.name == "is_validated" && is_ref(args.at(0))) {
    const Ref r = ref(args[0]);
    const std::uint32_t of = r.mark != 0 ? r.mark : r.valid;
    if (of == 0) refuse(e.place, "is_validated() of a field that is always valid");
    emit(Op::move, 0, d, of, 0, 1);
  } else if (e.name == "mark_to_drop") {
    standard_metadata("egress_spec", number(v1_drop_port));
    standard_metadata("mcast_grp", number(0));
  } else if (e.name == "verify_checksum" || e.name == "update_checksum") {
    v1_checksum(e);
  } else if (e.name == "log_msg" || e.name == "assert" || e.name == "assume") {
    return;  // what they print or stop is the behavioral model's
  } else if (e.name == "port_metadata_unpack") {
    look_ahead(d, e);
    emit(Op::advance, 0, 0, number(program_.architecture == "tna" ? 64 : 192));
  } else {
    refuse(e.place, e.name + "() is not supported");
  }
}

}  // namespace horae::p4prog
