// Match tables, and the parser's choice of its next state.
#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/machine.hpp"

namespace horae::p4prog {

using p4lang::SetKind;

/// Lasts until the next one.
std::span<const std::uint64_t> Machine::packed(const PackPlan& plan) {
  plan.pack(words_.data(), packed_.data());
  return {packed_.data(), plan.words};
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

const ActionCode& Machine::apply(const Instruction& i) {
  const TableSite& site = code_.sites.data()[i.n];
  TableObject& table = objects_.tables().data()[site.table];
  const dataplane::ActionCall* call = &table.only;
  std::uint64_t* const w = words_.data();
  if (table.digest) {
    learning_ = &table;
    learning_at_ = &site;
  }
  if (table.match) {
    const auto result = table.match->lookup(*pass_, packed(site.packed_keys));
    call = result.call;
    w[i.d] = result.hit() ? 1 : 0;
    if (!result.hit()) {
      missed_ = true;
      dropped_by_miss_ = dropped_by_miss_ || drops_[site.table][call->action];
    }
    if (call->action >= member_reference) call = referred(table, site, *call);
    if (table.direct) {
      has_entry_ = result.hit();
      last_entry_ = result.place.value_or(0);
    }
  } else {
    table.action->run(*pass_, [] {});
    w[i.d] = 0;
  }
  w[i.d + 1] = call->action;
  const ActionCode& action = table.code->actions.data()[call->action];
  const std::uint64_t* data = call->data.data();
  std::size_t left = call->data.size();
  for (const std::uint32_t word : action.data_words) {
    w[word] = left > 0 ? *data++ : 0;
    left -= left > 0 ? 1 : 0;
  }
  return action;
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

/// Where the first case that matches goes on; none: the parser fails.
std::optional<std::uint32_t> Machine::select(const SelectCode& s) {
  const auto key = packed(s.packed);
  for (const CaseCode& c : s.cases) {
    std::uint64_t differ = 0;
    for (std::size_t w = 0; w < key.size(); ++w)
      differ |= (key.data()[w] ^ c.value.data()[w]) & c.mask.data()[w];
    if (differ != 0) continue;
    if (std::ranges::all_of(c.sets, [&](const SetCode& set) { return in_set(set, s.on); }))
      return c.next;
  }
  fail(error_no_match_);
  return std::nullopt;
}

}  // namespace horae::p4prog
