#include "horae/p4prog/objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/p4prog/control_plane.hpp"
#include "horae/p4prog/layout.hpp"

namespace horae::p4prog {

using dataplane::FieldMatch;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::ExternObject;
using p4lang::Integer;
using p4lang::TypeKind;

namespace {

std::string member_name(const Expr& e) {
  for (const p4lang::Member& m : e.type->members) {
    if (m.value == e.value) return m.name;
  }
  return "";
}

std::uint64_t number(const Expr& e) {
  const Integer masked = e.value & ~std::uint64_t{0};
  return static_cast<std::uint64_t>(masked);
}

const Expr* argument(const ExternObject& object, std::string_view name, std::size_t position) {
  if (const Expr* named = object.argument(name);
      named != nullptr && named->kind != ExprKind::absent)
    return named;
  if (position < object.arguments.size() && object.arguments[position].kind != ExprKind::absent &&
      (position >= object.parameters.size() || object.parameters[position].empty()))
    return &object.arguments[position];
  return nullptr;
}

/// The first argument that is an object of a type whose name begins so.
std::optional<std::uint32_t> object_of(const p4lang::Program& program, const ExternObject& object,
                                       std::string_view type) {
  for (const Expr& e : object.arguments) {
    if (e.kind == ExprKind::instance && program.externs.at(e.index).type->name.starts_with(type))
      return e.index;
  }
  return std::nullopt;
}

FieldMatch match_of(std::string_view kind) {
  if (kind == "ternary") return FieldMatch::ternary;
  if (kind == "lpm") return FieldMatch::lpm;
  if (kind == "range") return FieldMatch::range;
  if (kind == "optional") return FieldMatch::optional;
  return FieldMatch::exact;
}

/// Words of a constant value of a cell's type.
void put_initial(std::vector<std::uint64_t>& out, const Expr& e) {
  if (e.kind == ExprKind::list) {
    for (const Expr& part : e.operands) put_initial(out, part);
  } else if (e.kind == ExprKind::cast) {
    put_initial(out, e.operands[0]);
  } else {
    out.push_back(number(e));
    if (bits_of(*e.type) > 64) out.push_back(static_cast<std::uint64_t>((e.value >> 64) & ~0ull));
  }
}

/// A number of its own for each name: FNV-1a (RFC draft-eastlake-fnv).
std::uint64_t seed_of(std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

constexpr std::uint32_t learning_ways = 4;  // stateful ALUs of a stage: Open Tofino
constexpr std::uint32_t digest_bits = 59;   // of 64: the lowest five are left to the program

}  // namespace

Objects::Objects(const p4lang::Program& program, const GressCode& code,
                 dataplane::Pipeline& pipeline, dataplane::Gress gress)
    : program_(program),
      code_(code),
      pipeline_(pipeline),
      gress_(gress),
      register_of_(program.externs.size()),
      hashes_(code.externs.size()) {
  make_tables();
  for (const ExternCode& call : code.externs) make(call);
  for (const ValueSetCode& set : code.value_sets) value_sets_.push_back({&set, {}});
}

void IdleTimes::set(std::size_t place, Picoseconds time, Picoseconds now) {
  if (place >= entries_.size()) entries_.resize(place + 1);
  entries_[place] = {time, now};
}

void IdleTimes::hit(std::size_t place, Picoseconds now) {
  if (place >= entries_.size()) return;
  Entry& e = entries_[place];
  if (e.over(now)) ++notifications_;
  e.since = now;
}

std::uint64_t IdleTimes::notifications(Picoseconds now) const { return notifications_ + idle(now); }

std::uint64_t IdleTimes::idle(Picoseconds now) const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(entries_, [&](const Entry& e) { return e.over(now); }));
}

void Objects::refuse(const p4lang::Place& place, const std::string& what) const {
  throw InputError(program_.place_text(place) + ": " + what);
}

void Objects::make_tables() {
  tables_.resize(code_.tables.size());
  for (const TableSite& site : code_.sites) {
    TableObject& t = tables_[site.table];
    if (t.code != nullptr) continue;
    t.code = &code_.tables[site.table];
    t.site = &site;
    const p4lang::Table& source = *t.code->source;
    for (const p4lang::Property& p : source.properties)
      t.direct = t.direct || p.name == "counters" || p.name == "meters" || p.name == "registers" ||
                 p.name == "filters";
    make_digest(t);
    if (site.keys.empty()) {
      t.action = std::make_unique<dataplane::Action>(pipeline_, gress_, source.name);
      continue;
    }
    std::vector<dataplane::MatchField> fields;
    for (std::size_t i = 0; i < site.keys.size(); ++i) {
      const p4lang::Key& key = source.keys[site.key_numbers[i]];
      fields.push_back({key.name, site.keys[i].bits, match_of(key.match_kind)});
    }
    std::uint32_t data_bits = 0;
    for (const ActionCode& a : t.code->actions) {
      std::uint32_t bits = 0;
      for (const ParameterCode& p : a.data) bits += p.bits;
      data_bits = std::max(data_bits, bits);
    }
    const dataplane::MatchSpec spec{.entries = std::max<std::uint64_t>(
                                        source.size.value_or(table_entries), source.entries.size()),
                                    .data_bits = data_bits,
                                    .actions = static_cast<std::uint32_t>(t.code->actions.size()),
                                    .constant = source.const_entries};
    if (const p4lang::Property* p = source.find("idle_timeout");
        p != nullptr && p->value.value != 0)
      t.idle = std::make_unique<IdleTimes>();
    t.match = std::make_unique<dataplane::MatchTable>(pipeline_, gress_, source.name,
                                                      std::move(fields), spec);
    make_implementation(t);
  }
}

/// Ways: @ways, else one for each stateful ALU of a stage.
void Objects::make_digest(TableObject& t) {
  if (t.site->digest.empty()) return;
  const p4lang::Table& source = *t.code->source;
  std::uint32_t bits = 0;
  for (const Piece& p : t.site->digest) bits += p.bits;
  t.digest = std::make_unique<dataplane::Hash>(
      pipeline_, gress_, source.name + ".digest",
      dataplane::HashSpec{.input_bits = bits, .output_bits = digest_bits},
      dataplane::RandomHash{seed_of(source.name)});
  t.ways = learning_ways;
  for (const p4lang::Annotation& a : source.annotations) {
    if (a.name == "ways" && !a.words.empty())
      t.ways = static_cast<std::uint32_t>(horae::p4prog::number_of(a.words.front(), 32).front());
  }
  if (t.ways == 0 || t.ways > learning_ways)
    refuse(source.place,
           fmt::format("{}: {} ways, expected 1 to {}", source.name, t.ways, learning_ways));
}

const TableObject* Objects::table_with(std::uint32_t object) const {
  for (const TableObject& t : tables_) {
    if (t.code == nullptr) continue;
    for (const p4lang::Property& p : t.code->source->properties) {
      if (p.value.kind == ExprKind::instance && p.value.index == object) return &t;
    }
  }
  return nullptr;
}

void Objects::make(const ExternCode& call) {
  switch (call.kind) {
    case ExternKind::register_read:
    case ExternKind::register_write:
    case ExternKind::register_clear:
      make_register(call.object);
      return;
    case ExternKind::register_action:
    case ExternKind::register_address:
      make_register_of_action(call.object);
      return;
    case ExternKind::count:
      make_counter(call.object);
      return;
    case ExternKind::meter:
      make_meter(call.object);
      return;
    case ExternKind::low_pass:
      make_average(call.object, dataplane::MeterKind::lpf);
      return;
    case ExternKind::early_drop:
      make_average(call.object, dataplane::MeterKind::wred);
      return;
    case ExternKind::hash:
      make_hash(call);
      return;
    case ExternKind::random:
      randoms_.try_emplace(call.object, pipeline_.seed(),
                           pipeline_.name() + "." + program_.externs[call.object].name);
      return;
    case ExternKind::register_parameter: {
      std::vector<std::uint64_t> initial;
      const auto& arguments = program_.externs[call.object].arguments;
      for (const Expr& e : arguments) {
        if (e.kind != ExprKind::instance && e.kind != ExprKind::absent) put_initial(initial, e);
      }
      parameters_.try_emplace(call.object, std::move(initial));
      return;
    }
    case ExternKind::math: {
      const ExternObject& object = program_.externs[call.object];
      const auto& a = object.arguments;
      if (math_.contains(call.object)) return;
      if (a.size() >= 4 && a.back().kind == ExprKind::list) {
        MathUnit::Data data{};
        for (std::size_t i = 0; i < 16 && i < a[3].operands.size(); ++i)
          data[15 - i] = static_cast<std::uint8_t>(number(a[3].operands[i]));
        math_.emplace(call.object, MathUnit(a[0].value != 0, static_cast<int>(a[1].value),
                                            static_cast<int>(a[2].value), data));
        return;
      }
      static constexpr std::pair<std::string_view, MathOp> ops[] = {
          {"MUL", MathOp::mul}, {"SQR", MathOp::sqr},   {"SQRT", MathOp::sqrt},
          {"DIV", MathOp::div}, {"RSQR", MathOp::rsqr}, {"RSQRT", MathOp::rsqrt}};
      const std::string name = a.empty() ? "" : member_name(a[0]);
      const auto* op = std::ranges::find(ops, name, &std::pair<std::string_view, MathOp>::first);
      if (op == std::end(ops) || a.size() < 2)
        refuse(object.place, object.name + ": a math unit of an operation that is not known");
      const auto factor = [&](std::size_t i) {
        return i < a.size() && a[i].kind == ExprKind::constant
                   ? static_cast<std::int64_t>(a[i].value)
                   : std::int64_t{1};
      };
      math_.emplace(call.object, MathUnit::of(op->second, factor(1), factor(2)));
      return;
    }
    default:
      return;
  }
}

void Objects::make_register_of_action(std::uint32_t object) {
  if (register_of_[object] != nullptr) return;
  const ExternObject& action = program_.externs[object];
  if (const auto selector = object_of(program_, action, "ActionSelector")) {
    make_register_of_selector(object, *selector);
    return;
  }
  std::optional<std::uint32_t> of = object_of(program_, action, "Register");
  if (!of) of = object_of(program_, action, "DirectRegister");
  if (!of) refuse(action.place, action.name + " has no register");
  make_register(*of);
  register_of_[object] = &registers_.at(*of);
  for (const p4lang::Annotation& a : action.annotations)
    if (a.name == "chain_address") register_of_[object]->chained = true;
}

void Objects::make_register(std::uint32_t object) {
  if (registers_.contains(object)) return;
  const ExternObject& source = program_.externs[object];
  const p4lang::Type& type = *source.type->type_arguments.at(0);
  RegisterObject r;
  if (is_scalar(type)) {
    r.bits = bits_of(type);
    r.wide = r.bits > 64;
    if (r.wide) r.bits = 64;
  } else {
    if (type.kind != TypeKind::structure || type.fields.empty() || type.fields.size() > 2)
      refuse(source.place, fmt::format("{}: a cell of {}, expected one value or a struct of two",
                                       source.name, type_text(type)));
    for (const p4lang::Field& f : type.fields) {
      if (!is_scalar(*f.type) || bits_of(*f.type) > 64)
        refuse(source.place, fmt::format("{}: a cell with a field of {}, expected up to 64 bits",
                                         source.name, type_text(*f.type)));
      r.bits = std::max(r.bits, bits_of(*f.type));
    }
    r.pair = type.fields.size() == 2;
  }
  dataplane::RegisterSpec spec{.width = r.bits, .pair = r.pair || r.wide};
  if (source.type->name.starts_with("Direct")) {
    const TableObject* table = table_with(object);
    if (table == nullptr || !table->match)
      refuse(source.place, source.name + " is no `registers` of a table with a key");
    spec.table = table->match->short_name();
    spec.direct = true;
    r.entries = table->match->capacity();
  } else {
    const Expr* size = argument(source, "size", 0);
    if (size == nullptr || size->value <= 0)
      refuse(source.place, source.name + ": a register without cells");
    r.entries = number(*size);
  }
  spec.entries = r.total = r.entries;
  for (const p4lang::Annotation& a : source.annotations)
    if (a.name == "chain_total_size" && !a.words.empty())
      r.total = horae::p4prog::number_of(a.words.front(), 64).front();
  std::vector<std::uint64_t> initial;
  if (const Expr* e = argument(source, "initial_value", 1)) put_initial(initial, *e);
  initial.resize(2);
  r.cells = std::make_unique<dataplane::Register<Cell>>(
      pipeline_, gress_, source.name, spec, dataplane::Needs{}, Cell{initial[0], initial[1]});
  register_of_[object] = &registers_.emplace(object, std::move(r)).first->second;
}

std::uint64_t Objects::cells_of(std::uint32_t object, std::string_view property, std::string& table,
                                bool& direct) const {
  const ExternObject& source = program_.externs[object];
  direct = source.type->name.starts_with("Direct");
  if (!direct) return number(source.arguments.at(0));
  const TableObject* of = table_with(object);
  if (of == nullptr || !of->match)
    refuse(source.place, fmt::format("{} is no `{}` of a table with a key", source.name, property));
  table = of->match->short_name();
  return of->match->capacity();
}

void Objects::make_counter(std::uint32_t object) {
  if (counters_.contains(object)) return;
  const ExternObject& source = program_.externs[object];
  dataplane::CounterSpec spec;
  const p4lang::Type& width = *source.type->type_arguments.at(0);
  spec.width = width.kind == TypeKind::bit && width.width > 32 ? 64 : 32;
  for (const Expr& e : source.arguments) {
    if (e.kind == ExprKind::constant && e.type->kind == TypeKind::enumeration)
      spec.kind = member_name(e) == "PACKETS_AND_BYTES" ? dataplane::CounterKind::packets_and_bytes
                                                        : dataplane::CounterKind::one;
  }
  spec.entries = cells_of(object, "counters", spec.table, spec.direct);
  counters_.emplace(object,
                    std::make_unique<dataplane::Counter>(pipeline_, gress_, source.name, spec));
}

void Objects::make_meter(std::uint32_t object) {
  if (meters_.contains(object)) return;
  const ExternObject& source = program_.externs[object];
  dataplane::MeterSpec spec;
  std::array<std::uint64_t, 3> colours{0, 1, 3};  // MeterColor_t: GREEN, YELLOW, RED
  std::vector<std::uint64_t> given;
  const bool direct = source.type->name.starts_with("Direct");
  for (std::size_t i = direct ? 0 : 1; i < source.arguments.size(); ++i) {
    const Expr& e = source.arguments[i];
    if (e.kind == ExprKind::constant && e.type->kind == TypeKind::bit) given.push_back(number(e));
  }
  if (given.size() >= 3) colours = {given[2], given[1], given[0]};
  spec.entries = cells_of(object, "meters", spec.table, spec.direct);
  colours_.emplace(object, colours);
  meters_.emplace(object, std::make_unique<dataplane::Meter>(pipeline_, gress_, source.name, spec));
}

void Objects::make_average(std::uint32_t object, dataplane::MeterKind kind) {
  const ExternObject& source = program_.externs[object];
  dataplane::MeterSpec spec{.kind = kind};
  if (kind == dataplane::MeterKind::lpf) {
    if (low_passes_.contains(object)) return;
    spec.entries = cells_of(object, "filters", spec.table, spec.direct);
    low_passes_[object] =
        std::make_unique<dataplane::LowPass>(pipeline_, gress_, source.name, spec);
    return;
  }
  if (early_drops_.contains(object)) return;
  spec.entries = cells_of(object, "filters", spec.table, spec.direct);
  const std::size_t values = spec.direct ? 0 : 1;
  early_drops_.emplace(
      object, EarlyDropObject{
                  std::make_unique<dataplane::EarlyDrop>(pipeline_, gress_, source.name, spec),
                  number(source.arguments.at(values)), number(source.arguments.at(values + 1))});
}

dataplane::HashAlgorithm Objects::hash_algorithm(const ExternObject& source) const {
  const std::string name = source.arguments.empty() ? "" : member_name(source.arguments[0]);
  const auto crc = [](unsigned width, std::uint64_t poly, bool reflected, std::uint64_t all) {
    return dataplane::CrcHash{.crc = {width, poly, reflected, all, all}};
  };
  if (const auto poly = object_of(program_, source, "CRCPolynomial")) {
    const ExternObject& p = program_.externs[*poly];
    const auto& a = p.arguments;
    if (a.size() < 6) refuse(p.place, p.name + ": a polynomial of six arguments is expected");
    return dataplane::CrcHash{.crc = {.width = bits_of(*p.type->type_arguments.at(0)),
                                      .polynomial = number(a[0]),
                                      .reflected = a[1].value != 0,
                                      .initial = number(a[4]),
                                      .final_xor = number(a[5])},
                              .high_bits = a[2].value != 0,
                              .extended = a[3].value != 0};
  }
  if (name == "RANDOM") return dataplane::RandomHash{seed_of(source.name)};
  if (name.starts_with("XOR"))
    return dataplane::XorHash{static_cast<unsigned>(std::stoul(name.substr(3)))};
  if (name == "CRC8") return crc(8, 0x07, false, 0);
  if (name == "CRC16") return crc(16, 0x8005, true, 0);
  if (name == "CRC32") return crc(32, 0x04c11db7, true, 0xffffffff);
  if (name == "CRC64") return crc(64, 0x42f0e1eba9ea3693, false, 0);
  if (name != "IDENTITY")
    refuse(source.place, fmt::format("{}: hash algorithm {} is not supported", source.name, name));
  return dataplane::IdentityHash{};
}

void Objects::make_hash(const ExternCode& call) {
  const ExternObject& source = program_.externs[call.object];
  std::uint32_t input = 0;
  for (const Piece& p : call.arguments) input += p.bits;
  if (call.result_bits == 0 || call.result_bits > 64)
    refuse(call.place, fmt::format("a hash of {} bits, expected 1 to 64", call.result_bits));
  try {
    hashes_[number_of(call)] = std::make_unique<dataplane::Hash>(
        pipeline_, gress_, fmt::format("{}#{}", source.name, hash_count_++),
        dataplane::HashSpec{.input_bits = input, .output_bits = call.result_bits},
        hash_algorithm(source));
  } catch (const ModelError& e) {
    refuse(source.place, source.name + ": " + e.what());
  }
}

}  // namespace horae::p4prog
