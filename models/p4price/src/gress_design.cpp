#include "gress_design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

#include "checksum_tables.hpp"
#include "chip_rules.hpp"
#include "horae/core/error.hpp"
#include "objects/alu_of.hpp"
#include "objects/condition_of.hpp"
#include "objects/object_order.hpp"
#include "objects/table_of.hpp"

namespace horae::p4price {
namespace {

using dataplane::DesignObject;
using p4lang::Block;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::ExternObject;

constexpr std::uint32_t most_accesses = 16;  ///< tables of their own that access one register

std::vector<std::string> fields_of(const std::vector<Use>& uses) {
  std::vector<std::string> out;
  for (const Use& u : uses) {
    if (std::ranges::find(out, u.bits.field) == out.end()) out.push_back(u.bits.field);
  }
  return out;
}

std::uint32_t bits_of(const std::vector<Use>& uses) {
  std::uint32_t sum = 0;
  std::vector<Bits> seen;
  for (const Use& u : uses) {
    if (std::ranges::find(seen, u.bits) != seen.end()) continue;
    seen.push_back(u.bits);
    sum += u.bits.high - u.bits.low + 1;
  }
  return sum;
}

class GressBuilder {
 public:
  GressBuilder(const p4lang::Program& program, const GressBlocks& blocks,
               const dataplane::ChipSpec& chip, const Sizes& sizes, PipeDesign& out)
      : program_(program),
        blocks_(blocks),
        control_(*blocks.control),
        chip_(chip),
        sizes_(sizes),
        out_(out),
        pieces_(program, *blocks.control, out.pipe) {}

  void run() {
    drop_dead();
    const auto& all = pieces_.all();
    check_pieces(program_, control_, all, chip_);
    data_.emplace(program_, control_, all, chip_);
    objects_.resize(all.size());
    find_stateful();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].dead) continue;
      switch (all[i].kind) {
        case PieceKind::match:
          add_match(i);
          break;
        case PieceKind::keyless:
          add_keyless(i);
          break;
        case PieceKind::condition:
          add_condition(i);
          break;
      }
    }
    order_objects(program_, control_, all, objects_, chip_, out_);
    for (const auto& checksum : conditional_checksums(blocks_, program_)) add_checksum(checksum);
  }

 private:
  // --- what nobody sees

  void drop_dead() {
    const Edges edges = edges_of(program_, blocks_);
    std::vector<std::string> live(edges.emitted.begin(), edges.emitted.end());
    live.insert(live.end(), edges.deparsed.begin(), edges.deparsed.end());
    for (std::size_t i = 0; i < control_.parameters; ++i) {
      const auto& v = control_.variables[i];
      if (i > 1 && v.direction != p4lang::Direction::in) live.push_back(v.name);
    }
    const auto sources = pieces_.take_aliases(edges.extracted);
    live.insert(live.end(), sources.begin(), sources.end());
    const std::string headers = control_.parameters > 0 ? control_.variables[0].name : "";
    pieces_.drop_dead(live, [&](const std::string& field) {
      if (!headers.empty() && overlap(field, headers)) return false;
      for (std::size_t i = 2; i < control_.parameters; ++i)
        if (overlap(field, control_.variables[i].name)) return false;
      return std::ranges::none_of(edges.parsed,
                                  [&](const std::string& p) { return overlap(p, field); });
    });
  }

  // --- stateful objects: who uses them

  struct User {
    std::size_t piece;
    std::vector<const ExternUse*> uses;
  };

  void find_stateful() {
    const auto& all = pieces_.all();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].dead) continue;
      for (const auto& action : all[i].actions) {
        for (const auto& e : action.externs) {
          if (e.type == "Hash" || e.type == "Random") continue;
          auto& users = users_[e.object];
          if (users.empty() || users.back().piece != i) users.push_back({i, {}});
          users.back().uses.push_back(&e);
        }
      }
    }
  }

  std::string own_name(std::uint32_t object) const {
    return without_pipe(program_.externs.at(object).name, out_.pipe);
  }

  Location where(const p4lang::Place& place) const { return location_of(program_, place); }

  void note(const std::string& object, std::string text, const p4lang::Place& place) {
    out_.notes.push_back({object, std::move(text), where(place)});
  }

  /// A new object; the gresses may have one of a name each.
  std::string add(std::string name, dataplane::ObjectSpec spec, const p4lang::Place& place) {
    std::string unique = name;
    for (int i = 2; out_.design.find(unique) != nullptr; ++i)
      unique = fmt::format("{}#{}", name, i);
    out_.design.objects.push_back({unique, blocks_.gress, std::move(spec), {}, where(place)});
    return unique;
  }
  DesignObject& object(const std::string& name) {
    auto& all = out_.design.objects;
    return *std::ranges::find(all, name, &DesignObject::name);
  }

  // --- match tables

  void add_match(std::size_t i) {
    const Piece& piece = pieces_.all()[i];
    const p4lang::Table& table = control_.tables.at(piece.table);
    TableOf of = table_of(program_, control_, table, piece, *data_, sizes_, out_.pipe);
    const std::string name = add(piece.name, of.spec, piece.place);
    objects_[i].push_back(name);
    DesignObject& made = object(name);
    take_fields(made, piece);
    for (auto& text : of.notes) note(name, text, piece.place);
    for (auto& [label, spec] : of.attached) {
      std::visit(
          [&](auto& s) {
            if constexpr (requires { s.table; }) s.table = name;
          },
          spec);
      add(label, spec, piece.place);
    }
    attach(i, name);
  }

  /// Fields that objects of a table or action write and read in their actions.
  void take_fields(DesignObject& made, const Piece& piece) const {
    for (const auto& action : piece.actions) {
      for (const auto& field : fields_of(action.writes)) {
        if (std::ranges::find(made.sets, field) == made.sets.end()) made.sets.push_back(field);
      }
      for (const auto& field : fields_of(action.reads)) {
        if (std::ranges::find(made.uses, field) == made.uses.end()) made.uses.push_back(field);
      }
    }
  }

  /// Registers, counters and meters that the actions of a table use.
  void attach(std::size_t i, const std::string& host) {
    const Piece& piece = pieces_.all()[i];
    for (auto& [index, users] : users_) {
      const auto user = std::ranges::find(users, i, &User::piece);
      if (user == users.end()) continue;
      const ExternUse& use = *user->uses.front();
      if (use.type == "Register") {
        if (users.size() == 1 || use.direct)
          add_register(index, users, host);
        else
          share_register(index, users, i);
      } else if (made_.contains(index)) {
        note(host, fmt::format("'{}' counted once, where it is used first", own_name(index)),
             piece.place);
      } else {
        made_[index] =
            add(own_name(index), array_of(index, use, host), program_.externs.at(index).place);
      }
    }
  }

  /// A counter, meter, filter or RED array.
  dataplane::ObjectSpec array_of(std::uint32_t index, const ExternUse& use,
                                 const std::string& host) const {
    const ExternObject& object = program_.externs.at(index);
    const std::uint64_t cells = use.direct ? 0 : cells_of(index);
    if (use.type == "Counter") return counter_of(object, cells, host, use.direct);
    const auto kind = use.type == "Lpf"    ? dataplane::MeterKind::lpf
                      : use.type == "Wred" ? dataplane::MeterKind::wred
                                           : dataplane::MeterKind::meter;
    return dataplane::MeterSpec{cells, host, use.direct, kind};
  }

  std::uint64_t cells_of(std::uint32_t index) const {
    const auto given = sizes_.find(own_name(index));
    if (given != sizes_.end()) return std::max<std::uint64_t>(1, given->second);
    const Expr* size = program_.externs.at(index).argument("size");
    return size == nullptr || size->kind != ExprKind::constant
               ? 1
               : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(size->value));
  }

  // --- registers

  dataplane::RegisterSpec register_spec(std::uint32_t index, const std::vector<User>& users) {
    const ExternObject& object = program_.externs.at(index);
    const p4lang::Type& cell = *object.type->type_arguments.at(0);
    dataplane::RegisterSpec spec;
    const bool pair = cell.kind == p4lang::TypeKind::structure && cell.fields.size() > 1;
    spec.pair = pair;
    spec.width = std::bit_ceil(
        std::max(1u, pair ? std::max(width_of(*cell.fields[0].type), width_of(*cell.fields[1].type))
                          : width_of(cell)));
    if (spec.width > 1 && spec.width < 8) spec.width = 8;
    spec.entries = cells_of(index);
    std::vector<Use> reads;
    bool any = false;
    for (const User& user : users) {
      for (const ExternUse* use : user.uses) {
        reads.insert(reads.end(), use->index_reads.begin(), use->index_reads.end());
        using Index = ExternUse::Index;
        const auto source = use->index == Index::hash    ? dataplane::IndexSource::hash
                            : use->index == Index::field ? dataplane::IndexSource::field
                            : use->index == Index::data  ? dataplane::IndexSource::data
                                                         : dataplane::IndexSource::constant;
        if (!any || source < spec.index) spec.index = source;
        any = true;
        if (!use->action) continue;
        const auto facts = alu_of(program_, control_, *use->action, chip_);
        if (!facts) {
          spec.unchecked = true;
          continue;
        }
        if (std::ranges::find(spec.actions, facts->name, &dataplane::ActionFacts::name) ==
            spec.actions.end())
          spec.actions.push_back(*facts);
      }
    }
    spec.reads = fields_of(reads);
    spec.index_bits = bits_of(reads);
    return spec;
  }

  /// One that a table's actions use, or keyless tables alone.
  std::string add_register(std::uint32_t index, const std::vector<User>& users,
                           const std::string& host) {
    auto spec = register_spec(index, users);
    spec.table = host;
    spec.direct = users.front().uses.front()->direct;
    if (spec.direct) spec.entries = 0;
    if (host.empty()) {
      spec.accesses = std::clamp(static_cast<std::uint32_t>(users.size()), 1u, most_accesses);
      if (users.size() > most_accesses)
        note(own_name(index), fmt::format("{} accesses taken as {}", users.size(), most_accesses),
             program_.externs.at(index).place);
      if (spec.index == dataplane::IndexSource::data) spec.index = dataplane::IndexSource::field;
    }
    return made_[index] = add(own_name(index), spec, program_.externs.at(index).place);
  }

  /// A register that more than one table uses: an object of its own beside them.
  void share_register(std::uint32_t index, const std::vector<User>& users, std::size_t piece) {
    if (!made_.contains(index)) {
      std::vector<User> keyless;
      for (const User& u : users)
        if (pieces_.all()[u.piece].kind == PieceKind::keyless) keyless.push_back(u);
      add_register(index, keyless.empty() ? users : keyless, "");
      if (keyless.empty()) {
        auto& spec = std::get<dataplane::RegisterSpec>(object(made_[index]).spec);
        spec.accesses = 1;
      }
    }
    note(made_[index],
         fmt::format("its access in actions of '{}' taken as one of a keyless table",
                     pieces_.all()[piece].name),
         pieces_.all()[piece].place);
    objects_[piece].push_back(made_[index]);
  }

  // --- keyless tables

  void add_keyless(std::size_t i) {
    const Piece& piece = pieces_.all()[i];
    std::vector<std::uint32_t> registers;
    std::vector<std::pair<std::uint32_t, const ExternUse*>> arrays;
    const ExternUse *hash = nullptr, *random = nullptr;
    std::vector<Use> hashed;
    std::uint32_t hash_bits = 0;
    for (const auto& action : piece.actions) {
      for (const auto& e : action.externs) {
        if (e.type == "Register") {
          if (std::ranges::find(registers, e.object) == registers.end())
            registers.push_back(e.object);
        } else if (e.type == "Hash") {
          hash = &e;
          hashed.insert(hashed.end(), e.index_reads.begin(), e.index_reads.end());
          hash_bits += e.output_bits;
        } else if (e.type == "Random") {
          random = &e;
        } else {
          arrays.emplace_back(e.object, &e);
        }
      }
    }
    for (const std::uint32_t r : registers) {
      if (!made_.contains(r)) add_register(r, users_.at(r), "");
      objects_[i].push_back(made_[r]);
    }
    if (!registers.empty()) {
      take_fields(object(objects_[i].front()), piece);
    } else if (arrays.size() == 1 && !made_.contains(arrays[0].first) && hash == nullptr &&
               piece.actions.size() == 1 && piece.actions[0].writes.size() <= 1) {
      const auto [index, use] = arrays[0];
      made_[index] =
          add(own_name(index), array_of(index, *use, ""), program_.externs.at(index).place);
      objects_[i].push_back(made_[index]);
      take_fields(object(made_[index]), piece);
      return;
    } else if (hash != nullptr && piece.actions.size() == 1) {
      dataplane::HashSpec spec;
      spec.input_bits = std::max(1u, bits_of(hashed));
      spec.output_bits = std::clamp(hash_bits, 1u, 64u);
      spec.reads = fields_of(hashed);
      add_own(i, spec);
    } else if (random != nullptr && piece.actions.size() == 1) {
      add_own(i, dataplane::RandomSpec{std::clamp(random->output_bits, 1u, 32u)});
    } else {
      dataplane::ActionSpec spec;
      spec.instructions =
          std::clamp(static_cast<std::uint32_t>(std::ranges::count_if(
                         piece.actions, [](const auto& a) { return !a.writes.empty(); })),
                     1u, 64u);
      for (const auto& action : piece.actions)
        spec.data_bits = std::max(spec.data_bits, data_->constants(action).slots);
      add_own(i, spec);
    }
    for (const auto& [index, use] : arrays) {
      if (made_.contains(index)) {
        note(piece.name, fmt::format("'{}' counted once, where it is used first", own_name(index)),
             piece.place);
        continue;
      }
      const std::string& host = objects_[i].front();
      const bool action = std::holds_alternative<dataplane::ActionSpec>(object(host).spec);
      made_[index] = add(own_name(index), array_of(index, *use, action ? host : ""),
                         program_.externs.at(index).place);
      if (!action) objects_[i].push_back(made_[index]);
    }
  }

  void add_own(std::size_t i, dataplane::ObjectSpec spec) {
    const Piece& piece = pieces_.all()[i];
    objects_[i].push_back(add(piece.name, std::move(spec), piece.place));
    take_fields(object(objects_[i].back()), piece);
  }

  // --- checksums under conditions

  /// The object that stands for a piece in the stages.
  std::string standing_for(std::size_t piece) {
    const std::string& own = objects_[piece].front();
    const std::string host = dataplane::host_table(object(own).spec);
    return host.empty() ? own : host;
  }

  void add_checksum(const ConditionalChecksum& checksum) {
    dataplane::MatchSpec spec;
    spec.reads = checksum.conditions;
    spec.reads.push_back(checksum.header + validity());
    spec.key_bits = static_cast<std::uint32_t>(spec.reads.size());
    spec.entries = std::uint64_t{1} << std::min<std::size_t>(checksum.conditions.size(), 16);
    spec.constant = true;
    spec.data_bits = 1 + checksum.lists;
    spec.writes = {checksum.field + ".$deparsed"};
    const auto reads = spec.reads;
    const std::string name = add(checksum.field + "_encode_update_condition", spec, checksum.place);
    const ValidityBits validity_bits(control_, pieces_.all(), chip_);
    std::vector<dataplane::Dependency> after;
    std::vector<std::string> apart;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const Piece& piece = pieces_.all()[i];
      if (piece.dead || objects_[i].empty()) continue;
      const std::string other = standing_for(i);
      const bool written = std::ranges::any_of(piece.writes(), [&](const Use* u) {
        return std::ranges::find(reads, u->bits.field) != reads.end();
      });
      if (written && std::ranges::find(after, other, &dataplane::Dependency::on) == after.end())
        after.push_back({other, dataplane::DependencyKind::match});
      if (!validity_bits.containers(piece).empty() &&
          std::ranges::find(apart, other) == apart.end())
        apart.push_back(other);
    }
    object(name).after = std::move(after);
    object(name).apart = std::move(apart);
  }

  // --- conditions

  void add_condition(std::size_t i) {
    const Piece& piece = pieces_.all()[i];
    std::size_t cases = 0;
    if (piece.condition.type->kind != p4lang::TypeKind::boolean) {
      std::uint32_t most = 0;
      for (const Piece& p : pieces_.all())
        for (const auto& [at, arm] : p.path)
          if (at == i) most = std::max(most, arm + 1);
      cases = std::max(1u, most);
    }
    auto condition = condition_of(piece.condition, cases, chip_);
    if (!condition.refused.empty())
      throw InputError(program_.place_text(piece.place) + ": " + condition.refused);
    condition.spec.reads = fields_of(piece.key_reads);
    const std::string name = add(piece.name, condition.spec, piece.place);
    if (!condition.exact)
      note(name, fmt::format("taken as a comparison of {} bits", condition.spec.bits), piece.place);
    objects_[i].push_back(name);
  }

  const p4lang::Program& program_;
  const GressBlocks& blocks_;
  const Block& control_;
  const dataplane::ChipSpec& chip_;
  const Sizes& sizes_;
  PipeDesign& out_;
  Pieces pieces_;
  std::optional<ActionDataRules> data_;
  std::vector<std::vector<std::string>> objects_;  ///< of each piece; the first stands for it
  std::map<std::uint32_t, std::vector<User>> users_;
  std::map<std::uint32_t, std::string> made_;  ///< objects of stateful externs
};

}  // namespace

void add_gress(const p4lang::Program& program, const GressBlocks& blocks,
               const dataplane::ChipSpec& chip, const Sizes& sizes, PipeDesign& out) {
  GressBuilder(program, blocks, chip, sizes, out).run();
}

}  // namespace horae::p4price
