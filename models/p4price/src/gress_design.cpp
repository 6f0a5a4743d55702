#include "gress_design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "checksum_tables.hpp"
#include "chip_rules.hpp"
#include "horae/core/error.hpp"
#include "objects/condition_of.hpp"
#include "objects/object_list.hpp"
#include "objects/object_order.hpp"
#include "objects/stateful_objects.hpp"
#include "objects/table_of.hpp"

namespace horae::p4price {
namespace {

using p4lang::Block;

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
        pieces_(program, *blocks.control, out.pipe),
        list_(program, blocks.gress, out) {}

  void run() {
    drop_dead();
    const auto& all = pieces_.all();
    check_pieces(program_, control_, all, chip_);
    data_.emplace(program_, control_, all, chip_);
    objects_.resize(all.size());
    stateful_.emplace(program_, control_, chip_, sizes_, all, list_);
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

  // --- match tables

  void add_match(std::size_t i) {
    const Piece& piece = pieces_.all()[i];
    const p4lang::Table& table = control_.tables.at(piece.table);
    TableOf of = table_of(program_, control_, table, piece, *data_, sizes_, out_.pipe);
    const std::string name = list_.add(piece.name, of.spec, piece.place);
    objects_[i].push_back(name);
    list_.take_fields(name, piece);
    for (auto& text : of.notes) list_.note(name, text, piece.place);
    for (auto& [label, spec] : of.attached) {
      std::visit(
          [&](auto& s) {
            if constexpr (requires { s.table; }) s.table = name;
          },
          spec);
      list_.add(label, spec, piece.place);
    }
    for (const auto& shared : stateful_->attach(i, name)) objects_[i].push_back(shared);
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
    for (const std::uint32_t r : registers) objects_[i].push_back(stateful_->keyless_register(r));
    if (!registers.empty()) {
      list_.take_fields(objects_[i].front(), piece);
    } else if (arrays.size() == 1 && stateful_->made(arrays[0].first).empty() && hash == nullptr &&
               piece.actions.size() == 1 && piece.actions[0].writes.size() <= 1) {
      objects_[i].push_back(stateful_->add_array(arrays[0].first, *arrays[0].second, ""));
      list_.take_fields(objects_[i].front(), piece);
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
      if (!stateful_->made(index).empty()) {
        list_.note(piece.name,
                   fmt::format("'{}' counted once, where it is used first", list_.name_of(index)),
                   piece.place);
        continue;
      }
      const std::string& host = objects_[i].front();
      const bool action = std::holds_alternative<dataplane::ActionSpec>(list_.at(host).spec);
      const std::string array = stateful_->add_array(index, *use, action ? host : "");
      if (!action) objects_[i].push_back(array);
    }
  }

  void add_own(std::size_t i, dataplane::ObjectSpec spec) {
    const Piece& piece = pieces_.all()[i];
    objects_[i].push_back(list_.add(piece.name, std::move(spec), piece.place));
    list_.take_fields(objects_[i].back(), piece);
  }

  // --- checksums under conditions

  /// The object that stands for a piece in the stages.
  std::string standing_for(std::size_t piece) {
    const std::string& own = objects_[piece].front();
    const std::string host = dataplane::host_table(list_.at(own).spec);
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
    const std::string name =
        list_.add(checksum.field + "_encode_update_condition", spec, checksum.place);
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
    list_.at(name).after = std::move(after);
    list_.at(name).apart = std::move(apart);
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
    const std::string name = list_.add(piece.name, condition.spec, piece.place);
    if (!condition.exact)
      list_.note(name, fmt::format("taken as a comparison of {} bits", condition.spec.bits),
                 piece.place);
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
  ObjectList list_;
  std::optional<StatefulObjects> stateful_;
};

}  // namespace

void add_gress(const p4lang::Program& program, const GressBlocks& blocks,
               const dataplane::ChipSpec& chip, const Sizes& sizes, PipeDesign& out) {
  GressBuilder(program, blocks, chip, sizes, out).run();
}

}  // namespace horae::p4price
