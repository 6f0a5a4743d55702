#include "stateful_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "alu_of.hpp"
#include "table_of.hpp"

namespace horae::p4price {
namespace {

using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::ExternObject;

constexpr std::uint32_t most_accesses = 16;  ///< tables of their own that access one register

}  // namespace

StatefulObjects::StatefulObjects(const p4lang::Program& program, const p4lang::Block& control,
                                 const dataplane::ChipSpec& chip, const Sizes& sizes,
                                 const std::vector<Piece>& pieces, ObjectList& objects)
    : program_(program),
      control_(control),
      chip_(chip),
      sizes_(sizes),
      pieces_(pieces),
      objects_(objects) {
  find_users();
}

std::string StatefulObjects::made(std::uint32_t index) const {
  const auto known = made_.find(index);
  return known == made_.end() ? std::string() : known->second;
}

std::string StatefulObjects::keyless_register(std::uint32_t index) {
  if (!made_.contains(index)) add_register(index, users_.at(index), "");
  return made_[index];
}

void StatefulObjects::find_users() {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].dead) continue;
    for (const auto& action : pieces_[i].actions) {
      for (const auto& e : action.externs) {
        if (e.type == "Hash" || e.type == "Random") continue;
        auto& users = users_[e.object];
        if (users.empty() || users.back().piece != i) users.push_back({i, {}});
        users.back().uses.push_back(&e);
      }
    }
  }
}

std::vector<std::string> StatefulObjects::attach(std::size_t i, const std::string& host) {
  std::vector<std::string> shared;
  for (auto& [index, users] : users_) {
    const auto user = std::ranges::find(users, i, &User::piece);
    if (user == users.end()) continue;
    const ExternUse& use = *user->uses.front();
    if (use.type == "Register") {
      if (users.size() == 1 || use.direct)
        add_register(index, users, host);
      else
        shared.push_back(share_register(index, users, i));
    } else if (made_.contains(index)) {
      objects_.note(
          host, fmt::format("'{}' counted once, where it is used first", objects_.name_of(index)),
          pieces_[i].place);
    } else {
      add_array(index, use, host);
    }
  }
  return shared;
}

std::string StatefulObjects::add_array(std::uint32_t index, const ExternUse& use,
                                       const std::string& host) {
  return made_[index] = objects_.add(objects_.name_of(index), array_of(index, use, host),
                                     program_.externs.at(index).place);
}

dataplane::ObjectSpec StatefulObjects::array_of(std::uint32_t index, const ExternUse& use,
                                                const std::string& host) const {
  const ExternObject& object = program_.externs.at(index);
  const std::uint64_t cells = use.direct ? 0 : cells_of(index);
  if (use.type == "Counter") return counter_of(object, cells, host, use.direct);
  const auto kind = use.type == "Lpf"    ? dataplane::MeterKind::lpf
                    : use.type == "Wred" ? dataplane::MeterKind::wred
                                         : dataplane::MeterKind::meter;
  return dataplane::MeterSpec{cells, host, use.direct, kind};
}

std::uint64_t StatefulObjects::cells_of(std::uint32_t index) const {
  const auto given = sizes_.find(objects_.name_of(index));
  if (given != sizes_.end()) return std::max<std::uint64_t>(1, given->second);
  const Expr* size = program_.externs.at(index).argument("size");
  return size == nullptr || size->kind != ExprKind::constant
             ? 1
             : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(size->value));
}

dataplane::RegisterSpec StatefulObjects::register_spec(std::uint32_t index,
                                                       const std::vector<User>& users) {
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

std::string StatefulObjects::add_register(std::uint32_t index, const std::vector<User>& users,
                                          const std::string& host) {
  auto spec = register_spec(index, users);
  spec.table = host;
  spec.direct = users.front().uses.front()->direct;
  if (spec.direct) spec.entries = 0;
  if (host.empty()) {
    spec.accesses = std::clamp(static_cast<std::uint32_t>(users.size()), 1u, most_accesses);
    if (users.size() > most_accesses)
      objects_.note(objects_.name_of(index),
                    fmt::format("{} accesses taken as {}", users.size(), most_accesses),
                    program_.externs.at(index).place);
    if (spec.index == dataplane::IndexSource::data) spec.index = dataplane::IndexSource::field;
  }
  return made_[index] =
             objects_.add(objects_.name_of(index), spec, program_.externs.at(index).place);
}

std::string StatefulObjects::share_register(std::uint32_t index, const std::vector<User>& users,
                                            std::size_t piece) {
  if (!made_.contains(index)) {
    std::vector<User> keyless;
    for (const User& u : users)
      if (pieces_[u.piece].kind == PieceKind::keyless) keyless.push_back(u);
    add_register(index, keyless.empty() ? users : keyless, "");
    if (keyless.empty()) {
      auto& spec = std::get<dataplane::RegisterSpec>(objects_.at(made_[index]).spec);
      spec.accesses = 1;
    }
  }
  objects_.note(made_[index],
                fmt::format("its access in actions of '{}' taken as one of a keyless table",
                            pieces_[piece].name),
                pieces_[piece].place);
  return made_[index];
}

}  // namespace horae::p4price
