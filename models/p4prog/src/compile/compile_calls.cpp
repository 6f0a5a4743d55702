// Calls: functions, tables, methods of headers, stacks and packets.
#include <algorithm>

#include "compiler.hpp"

namespace horae::p4prog {

using p4lang::Callee;
using p4lang::ExprKind;
using p4lang::TypeKind;

void Compiler::call(std::uint32_t d, const Expr& e) {
  switch (e.callee) {
    case Callee::function:
      function_call(d, e);
      return;
    case Callee::extern_method:
      extern_method(d, e);
      return;
    case Callee::extern_function:
      extern_function(d, e);
      return;
    case Callee::apply_table:
      apply_table(allocate(2), e.index);
      return;
    case Callee::is_valid:
      is_valid(d, e);
      return;
    case Callee::set_valid:
      set_valid(e, true);
      return;
    case Callee::set_invalid:
      set_valid(e, false);
      return;
    case Callee::push_front:
      stack_shift(e, Op::push_front);
      return;
    case Callee::pop_front:
      stack_shift(e, Op::pop_front);
      return;
    case Callee::extract:
      extract(e);
      return;
    case Callee::advance: {
      std::uint32_t by = value(e.operands[0]);
      emit(Op::advance, 0, 0, by);
      return;
    }
    case Callee::lookahead:
      look_ahead(d, e);
      return;
    case Callee::packet_length:
      emit(Op::packet_length, 32, d);
      return;
    case Callee::verify: {
      const std::uint32_t condition = value(e.operands[0]);
      const Expr& error = e.operands.at(1);
      if (error.kind != ExprKind::constant) refuse(e.place, "verify() of an error that is no name");
      emit(Op::error, 0, 0, condition, 0, static_cast<std::uint32_t>(error.value));
      return;
    }
    case Callee::emit: {
      const Expr& header = e.operands.at(0);
      if (header.type->kind != TypeKind::header)
        refuse(e.place, "only headers are emitted, not " + type_text(*header.type));
      if (!is_ref(header)) {
        emit(Op::emit, 0, value(header), 0, 0, header_code(*header.type));
        return;
      }
      const Ref r = ref(header);
      emit(Op::emit, 0, r.word, r.offset, 0, header_code(*header.type));
      return;
    }
    case Callee::none:
    case Callee::minimum_size:
      refuse(e.place, "this call is not supported");
  }
}

void Compiler::function_call(std::uint32_t d, const Expr& e) {
  const p4lang::Function& f = block_->functions.at(e.index);
  std::vector<std::pair<Ref, std::uint32_t>> back;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> in;  // parameter, value
  for (std::size_t i = 0; i < f.parameters.size() && i < e.operands.size(); ++i) {
    const std::uint32_t parameter = f.parameters[i];
    const auto direction = block_->variables[parameter].direction;
    const Expr& argument = e.operands[i];
    const bool out = direction == p4lang::Direction::out || direction == p4lang::Direction::inout;
    if (out && argument.kind != ExprKind::absent) back.emplace_back(ref(argument), parameter);
    if (direction != p4lang::Direction::out && argument.kind != ExprKind::absent)
      in.emplace_back(parameter, value(argument));
  }
  for (const auto& [parameter, at] : in)
    emit(Op::move, 0, variables_[parameter], at, 0, size_of(*block_->variables[parameter].type));
  calls_.emplace_back(emit(Op::call, 0, 0), e.index);
  const bool gives = f.result->kind != TypeKind::none;
  if (gives) emit(Op::move, 0, d, function_result_[e.index], 0, size_of(*f.result));
  for (const auto& [to, parameter] : back) store(to, variables_[parameter]);
  if (exited_ && exits_[e.index]) stop_if_exited();
}

void Compiler::apply_table(std::uint32_t d, std::uint32_t table) {
  const p4lang::Table& source = block_->tables.at(table);
  TableSite site;
  site.table = table_at_[table];
  for (std::uint32_t i = 0; i < source.keys.size(); ++i) {
    const p4lang::Key& key = source.keys[i];
    std::vector<Piece> parts;
    pieces(parts, key.value);
    if (key.match_kind == "selector") {
      site.selector.insert(site.selector.end(), parts.begin(), parts.end());
    } else if (key.match_kind == "dleft_hash") {
      site.digest.insert(site.digest.end(), parts.begin(), parts.end());
    } else {
      if (parts.size() != 1) refuse(key.value.place, "a key of several fields is not supported");
      site.keys.push_back(parts[0]);
      site.key_numbers.push_back(i);
    }
  }
  site.packed_keys = pack_plan(site.keys);
  site.packed_selector = pack_plan(site.selector);
  site.packed_digest = pack_plan(site.digest);
  out_.sites.push_back(std::move(site));
  emit(Op::table, 0, d, 0, 0, static_cast<std::uint32_t>(out_.sites.size() - 1));
  if (exited_ && std::ranges::any_of(source.actions,
                                     [&](const auto& action) { return exits_[action.function]; }))
    stop_if_exited();
}

bool Compiler::returns_to_exit() const {
  return exited_ && function_now_ &&
         block_->functions[*function_now_].kind != p4lang::FunctionKind::method;
}

void Compiler::stop() { emit(returns_to_exit() ? Op::give_back : Op::end, 0, 0); }

void Compiler::stop_if_exited() {
  const std::uint32_t over = emit(Op::jump_unless, 0, 0, *exited_);
  stop();
  land(over);
}

void Compiler::is_valid(std::uint32_t d, const Expr& e) {
  const Ref r = ref(e.operands[0]);
  const Type& type = *e.operands[0].type;
  if (type.kind == TypeKind::header_union) {
    emit(Op::constant, 0, d, 0, 0, 0);
    for (std::uint32_t i = 0; i < type.fields.size(); ++i)
      emit(Op::bit_or, 1, d, d, r.word + offset_of(type, i));
    return;
  }
  if (r.offset == 0)
    emit(Op::move, 0, d, r.word, 0, 1);
  else
    emit(Op::move_from, 0, d, r.word, r.offset, 1);
}

void Compiler::set_valid(const Expr& e, bool valid) {
  const Ref r = ref(e.operands[0]);
  const std::uint32_t to = number(valid ? 1 : 0);
  if (e.operands[0].kind == ExprKind::field &&
      e.operands[0].operands[0].type->kind == TypeKind::header_union && valid) {
    const Ref whole = ref(e.operands[0].operands[0]);
    const Type& type = *e.operands[0].operands[0].type;
    for (std::uint32_t i = 0; i < type.fields.size(); ++i)
      emit(Op::constant, 0, whole.word + offset_of(type, i), 0, 0, 0);
  }
  if (r.offset == 0)
    emit(Op::move, 0, r.word, to, 0, 1);
  else
    emit(Op::move_to, 0, r.word, to, r.offset, 1);
}

void Compiler::stack_shift(const Expr& e, Op op) {
  const Type& type = *e.operands[0].type;
  const auto by = static_cast<std::uint32_t>(e.operands.at(1).value);
  emit(op, type.size, ref(e.operands[0]).word, 0, std::min(by, type.size), size_of(*type.element));
}

std::uint32_t Compiler::header_code(const Type& type) {
  const auto known = std::ranges::find(header_types_, &type);
  if (known != header_types_.end())
    return static_cast<std::uint32_t>(known - header_types_.begin());
  HeaderCode code;
  code.name = type.name;
  for (std::uint32_t i = 0; i < type.fields.size(); ++i) {
    const Type& field = *type.fields[i].type;
    std::vector<Piece> parts;
    if (field.kind == TypeKind::varbit) {
      code.fields.push_back({offset_of(type, i), field.width, code.fixed_bits, true});
      code.varbit_bits = field.width;
      continue;
    }
    pieces_of(parts, offset_of(type, i), field, 0);
    for (const Piece& p : parts) {
      code.fields.push_back({p.word, p.bits, code.fixed_bits, false});
      code.fixed_bits += p.bits;
    }
  }
  code.has_origin = type.kind == TypeKind::header && code.varbit_bits == 0;
  header_types_.push_back(&type);
  out_.headers.push_back(std::move(code));
  return static_cast<std::uint32_t>(out_.headers.size() - 1);
}

void Compiler::name_field(const Type& header, std::uint32_t field) {
  auto& uses = field_uses_[header.name];
  if (uses.size() <= field) uses.resize(field + 1);
  uses[field].named = true;
}

void Compiler::write_field(const Ref& to) {
  if (to.header != nullptr) field_uses_[to.header->name].at(to.field).written = true;
}

/// Types that are taken as a whole and apart again.
void Compiler::name_all(const Type& type) {
  if (type.kind == TypeKind::stack) name_all(*type.element);
  for (std::uint32_t i = 0; i < type.fields.size(); ++i) {
    if (type.kind == TypeKind::header) name_field(type, i);
    name_all(*type.fields[i].type);
  }
}

/// Once all of the gress is compiled.
void Compiler::choose_fields(HeaderCode& code, const Type& type) const {
  if (!code.has_origin) {
    code.named = code.fields;
    code.named_windows = FieldWindows(code.named);
    return;
  }
  code.all_windows = FieldWindows(code.fields);
  code.in_windows = code.fixed_bits % 8 == 0 && code.all_windows.beyond.empty();
  const auto found = field_uses_.find(type.name);
  if (found == field_uses_.end()) return;
  for (std::uint32_t i = 0; i < found->second.size() && i < type.fields.size(); ++i) {
    const FieldUse use = found->second[i];
    const std::uint32_t first = offset_of(type, i), end = first + size_of(*type.fields[i].type);
    for (const FieldCode& f : code.fields) {
      if (f.offset < first || f.offset >= end) continue;
      if (use.named) code.named.push_back(f);
      if (use.written) code.written.push_back(f);
    }
  }
  code.named_windows = FieldWindows(code.named);
  code.written_windows = FieldWindows(code.written);
}

void Compiler::extract(const Expr& e) {
  const Expr& header = e.operands.at(0);
  if (header.kind == ExprKind::absent) {
    std::uint32_t bits = 0;
    for (const Type* t : e.type_arguments) bits += width_of(*t);
    emit(Op::advance, 1, 0, number(bits));
    return;
  }
  const Type& type = *header.type;
  if (type.kind != TypeKind::header)
    refuse(e.place, "only headers are extracted, not " + type_text(type));
  if (type.name.ends_with("egress_intrinsic_metadata_t")) out_.extracts_intrinsic = true;
  const std::uint32_t bits = e.operands.size() > 1 ? value(e.operands[1]) : 0;
  const Ref r = ref(header);
  emit(Op::extract, 0, r.word, r.offset, bits, header_code(type));
  if (header.kind == ExprKind::next) {
    const Expr& stack = header.operands[0];
    emit(Op::advance_next, stack.type->size, 0, ref(stack).word);
  }
}

void Compiler::look_ahead(std::uint32_t d, const Expr& e) {
  if (is_scalar(*e.type)) {
    emit(Op::look_ahead_bits, bits_of(*e.type), d);
    return;
  }
  // A struct is read as a header without its mark of validity: the first field lies at its start.
  emit(Op::look_ahead, e.type->kind == TypeKind::header ? 1 : 0, d, 0, 0, header_code(*e.type));
}

}  // namespace horae::p4prog
