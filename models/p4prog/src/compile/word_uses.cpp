#include "word_uses.hpp"

#include <algorithm>

#include "horae/p4prog/layout.hpp"

namespace horae::p4prog {
namespace {

/// Words of the widest value that an instruction names by its first word alone.
constexpr std::uint32_t most_words = 64;

class Finder {
 public:
  explicit Finder(const GressCode& code) : code_(code), owner_(code.words), shared_(code.words) {}

  std::vector<std::uint32_t> find(const std::vector<CodeFunction>& functions) {
    share(0, code_.constant_words);
    for (const auto& [first, count] : code_.cleared) share(first, count);
    for (const SelectCode& select : code_.selects) {
      if (select.short_cases.empty()) share(select.on);
    }
    for (const TableSite& site : code_.sites) {
      share(site.selector);
      share(site.digest);
    }
    for (const ExternCode& e : code_.externs) share(e);
    for (std::uint32_t f = 0; f < functions.size(); ++f) {
      function_ = f + 1;
      for (const std::uint32_t at : functions[f].instructions) use(code_.code[at]);
    }
    if (moves_anywhere_) return std::vector<std::uint32_t>(owner_.size());
    for (std::size_t w = 0; w < owner_.size(); ++w) {
      if (shared_[w]) owner_[w] = 0;
    }
    return owner_;
  }

 private:
  /// The function's code names the word itself.
  void own(std::uint32_t word) {
    if (owner_[word] != 0 && owner_[word] != function_) shared_[word] = true;
    owner_[word] = function_;
  }
  void own(const PackPlan& plan) {
    for (const PackPlan::Step& step : plan.steps) own(step.word);
  }
  void share(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t w = first; w < std::min<std::size_t>(first + count, shared_.size()); ++w)
      shared_[w] = true;
  }
  void share(const std::vector<Piece>& pieces) {
    for (const Piece& p : pieces) {
      share(p.word, words_of(p.bits));
      share(p.valid, 1);
    }
  }
  void share(const std::vector<std::uint32_t>& words) {
    for (const std::uint32_t w : words) share(w, 1);
  }
  void share(const ExternCode& e) {
    // A hash's words, and those of a sum whose headers are all there, are packed in line.
    if (e.kind != ExternKind::hash || !e.pairs.empty()) share(e.arguments);
    share(e.result, most_words);
    share(e.cell, most_words);
    share(e.outputs);
    share(e.other_outputs);
    share(e.conditions);
    share(e.validity);
    share(e.digest, 1);
    share(e.matched, 1);
    share(e.wrote, 1);
  }
  /// Words that an offset of run time is added to are of the pass as a rule.
  void share_beyond(std::uint32_t base) { moves_anywhere_ = moves_anywhere_ || !shared_[base]; }

  void use(const Instruction& i) {
    switch (i.op) {
      case Op::constant:
        return own(i.d);
      case Op::table:
        use_table(i);
        return;
      case Op::select:
        own(code_.selects[i.n].packed);
        return;
      case Op::hash:
        own(code_.externs[i.n].packed);
        return own(i.d);
      case Op::update_checksum:
        own(code_.externs[i.n].packed);
        return own(i.d);
      case Op::count:
      case Op::advance:
      case Op::error:
      case Op::jump_if:
      case Op::jump_unless:
        return own(i.a);
      case Op::jump_equal:
      case Op::jump_not_equal:
      case Op::jump_less:
      case Op::jump_less_equal:
        own(i.a);
        return own(i.b);
      case Op::packet_length:
        return own(i.d);
      case Op::element_offset:
      case Op::next_offset:
      case Op::last_offset:
        own(i.a);
        return own(i.d);
      case Op::advance_next:
        return own(i.a);
      case Op::move:
        share(i.a, i.n);
        share(i.d, i.n);
        return;
      case Op::move_from:
        share_beyond(i.a);
        own(i.b);
        share(i.d, i.n);
        return;
      case Op::move_to:
        share_beyond(i.d);
        own(i.b);
        share(i.a, i.n);
        return;
      case Op::equal_words:
        share(i.a, i.n);
        share(i.b, i.n);
        return own(i.d);
      case Op::push_front:
      case Op::pop_front:
        share(i.d, 1 + i.width * i.n);
        return;
      case Op::extract:
      case Op::look_ahead:
        share(i.b, 1);
        [[fallthrough]];
      case Op::emit:
        share(i.a, 1);
        share(i.d, header_words(code_.headers[i.n]));
        if (i.a != 0) share_beyond(i.d);
        return;
      case Op::look_ahead_bits:
        share(i.d, words_of(i.width));
        return;
      case Op::open_cell:
        own(i.a);
        share(i.d, 2);
        share(i.b, 1);
        share(code_.code[&i - code_.code.data() + 1].b, 1);
        return;
      case Op::signed_saturating_add:
      case Op::signed_saturating_subtract:
        break;
      default:
        if (i.op <= Op::extend_sign || i.op == Op::move_word) {
          own(i.a);
          if (i.op != Op::move_word) own(i.b);
          return own(i.d);
        }
        if (i.op > Op::wide_extend_sign) return;
    }
    for (const std::uint32_t first : {i.a, i.b, i.d}) share(first, most_words);
  }

  void use_table(const Instruction& i) {
    const TableSite& site = code_.sites[i.n];
    own(site.packed_keys);
    own(i.d);
    own(i.d + 1);
    for (const ActionCode& action : code_.tables[site.table].actions) {
      for (const std::uint32_t w : action.data_words) own(w);
      for (const ActionCode::Copy& copy : action.copies) {
        own(copy.to);
        if (!copy.data) own(copy.from);
      }
    }
  }
  static std::uint32_t header_words(const HeaderCode& header) {
    std::uint32_t words = 2;
    for (const FieldCode& f : header.fields)
      words = std::max(words, f.offset + words_of(f.bits) + (f.varbit ? 1 : 0));
    return std::max(words, most_words);
  }

  const GressCode& code_;
  std::vector<std::uint32_t> owner_;
  std::vector<bool> shared_;
  std::uint32_t function_ = 0;
  bool moves_anywhere_ = false;
};

}  // namespace

std::vector<std::uint32_t> own_words(const GressCode& code,
                                     const std::vector<CodeFunction>& functions) {
  return Finder(code).find(functions);
}

}  // namespace horae::p4prog
