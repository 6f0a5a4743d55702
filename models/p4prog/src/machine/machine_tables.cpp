// Match tables, and the parser's choice of its next state.
#include <algorithm>
#include <bit>

#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/machine.hpp"

namespace horae::p4prog {

using p4lang::SetKind;

void Machine::find_objects() {
  const auto drop =
      intrinsic(gress_ == dataplane::Gress::ingress ? "ingress_intrinsic_metadata_for_deparser_t"
                                                    : "egress_intrinsic_metadata_for_deparser_t",
                "drop_ctl");
  for (const TableSite& site : code_.sites) {
    TableObject& table = objects_.tables().at(site.table);
    TableRun& run = table_runs_.emplace_back();
    run.match = table.match.get();
    if (site.packed_keys.words == 1) {
      run.steps = site.packed_keys.steps.data();
      run.steps_end = run.steps + site.packed_keys.steps.size();
    }
    run.plain = table.match && !table.digest && !table.direct && !table.profile &&
                !table.selector && !table.idle;
    run.table = &table;
    run.site = &site;
    for (const ActionCode& a : table.code->actions)
      run.actions.push_back({code_.code.data() + a.entry, a.copies.data(),
                             a.copies.data() + a.copies.size(), a.data_words.data(),
                             a.data_words.size(), a.only_copies,
                             drop.word != 0 && writes(a.entry, drop.word)});
  }
  const bool addressed = std::ranges::any_of(
      code_.externs, [](const ExternCode& e) { return e.kind == ExternKind::register_address; });
  for (const ExternCode& e : code_.externs) {
    CellRun& run = cell_runs_.emplace_back();
    if (e.kind == ExternKind::count) run.counter = &objects_.counter(e.object);
    if (e.kind != ExternKind::register_action) continue;
    RegisterObject& object = objects_.register_of(e.object);
    if (!object.chained) run.cells = object.cells.get();
    run.bits = object.cell_bits();
    run.second = object.pair ? e.cell + e.second : 0;
    run.entry = e.entry;
    run.by_entry = e.by == CellBy::entry;
    run.addressed = addressed;
  }
}

dataplane::BitString Machine::string_of(const PackPlan& plan) {
  dataplane::BitString out;
  if (plan.bits > dataplane::BitString::most_bits)
    throw ModelError(pass_->describe() + ": more than 1024 bits are hashed at once");
  std::uint32_t left = plan.bits;
  for (const std::uint64_t word : packed(plan)) {
    const std::uint32_t part = std::min(left, 64u);
    out.append(part == 0 ? 0 : word >> (64 - part), part);
    left -= part;
  }
  return out;
}

/// The action that an entry names by member or group. A member that is not there, and a group of
/// which nobody is alive, give the table's default action.
const dataplane::ActionCall* Machine::referred(const TableObject& table, const TableSite& site,
                                               const dataplane::ActionCall& entry) {
  std::uint64_t member = entry.data.front();
  if (entry.action == group_reference) {
    SelectorObject& selector = *table.selector;
    const auto group = static_cast<std::size_t>(member);
    const auto hash =
        static_cast<std::uint32_t>(selector.hash->of(*pass_, string_of(site.packed_selector)));
    if (selector.alive != nullptr) selector.follow_register(group);
    const auto chosen = selector.groups->choose(*pass_, group, hash);
    if (!chosen) return &table.match->default_call();
    member = *chosen + entry.data[1];
  }
  if (member >= table.profile->entries) return &table.match->default_call();
  const dataplane::ActionCall* call = table.profile->members->member(*pass_, member);
  return call != nullptr ? call : &table.match->default_call();
}

void Machine::miss(const ActionRun& action) {
  missed_ = true;
  dropped_by_miss_ = dropped_by_miss_ || action.drops;
}

/// Completes a lookup in a table that knows more than its key: a learning one, one of a profile,
/// one whose entries have cells.
const dataplane::ActionCall& Machine::beside_key(const TableRun& run,
                                                 const dataplane::ActionCall& call,
                                                 std::uint32_t place) {
  TableObject& table = *run.table;
  if (table.digest) {
    learning_ = &table;
    learning_at_ = run.site;
  }
  if (table.idle && place != dataplane::PackedKeys::none) table.idle->hit(place, pass_->now());
  if (table.direct) {
    has_entry_ = place != dataplane::PackedKeys::none;
    last_entry_ = has_entry_ ? place : 0;
  }
  return call.action >= member_reference ? *referred(table, *run.site, call) : call;
}

bool Machine::in_set(const SetCode& set, std::span<const Piece> on) {
  const Piece& first = on[set.on];
  const std::uint64_t* v = &words_[first.word];
  const std::uint32_t words = words_of(first.bits);
  if (set.kind == SetKind::range)
    return wide::compare(v, set.lowest.data(), words) >= 0 &&
           wide::compare(v, set.highest.data(), words) <= 0;
  const auto all = on.subspan(set.on);
  const ValueSetObject& object = objects_.value_sets().at(set.value_set);
  return std::ranges::any_of(object.members, [&](const ValueSetObject::Member& m) {
    for (std::size_t i = 0; i < m.values.size() && i < all.size(); ++i) {
      if (((words_[all[i].word] ^ m.values[i]) & m.masks[i]) != 0) return false;
    }
    return true;
  });
}

/// Where the first case that matches goes on.
const Instruction* Machine::select(const SelectCode& s) {
  const auto key = packed(s.packed);
  for (const CaseCode& c : s.cases) {
    std::uint64_t differ = 0;
    for (std::size_t w = 0; w < key.size(); ++w)
      differ |= (key.data()[w] ^ c.value.data()[w]) & c.mask.data()[w];
    if (differ != 0) continue;
    if (std::ranges::all_of(c.sets, [&](const SetCode& set) { return in_set(set, s.on); }))
      return code_.code.data() + c.next;
  }
  fail(error_no_match_);
  return nullptr;
}

}  // namespace horae::p4prog
