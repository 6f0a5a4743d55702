#include "horae/dataplane/match_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <utility>

#include "horae/core/error.hpp"

namespace horae::dataplane {

namespace {

/// Orders strings of one length, as numbers.
bool string_less(const BitString& a, const BitString& b) {
  return std::ranges::lexicographical_compare(a.words(), b.words());
}

BitString under_mask(BitString value, const BitString& mask) {
  value &= mask;
  return value;
}

/// Compares the bits from bit `from` on with a number of as many bits.
std::strong_ordering compare(std::span<const std::uint64_t> words, unsigned from,
                             const BitString& with) {
  for (unsigned done = 0; done < with.bits(); done += 64) {
    const unsigned part = std::min(64u, with.bits() - done);
    const auto order = bits_at(words.data(), from + done, part) <=> with.at(done, part);
    if (order != std::strong_ordering::equal) return order;
  }
  return std::strong_ordering::equal;
}

bool equal_under(std::span<const std::uint64_t> key, const BitString& mask,
                 const BitString& value) {
  const std::uint64_t *m = mask.words().data(), *v = value.words().data();
  std::uint64_t differ = 0;
  for (std::size_t w = 0; w < key.size(); ++w) differ |= (key[w] & m[w]) ^ v[w];
  return differ == 0;
}

/// How many ones a mask begins with; none if ones follow a zero.
std::optional<unsigned> prefix_length(const BitString& mask) {
  unsigned length = 0;
  while (length < mask.bits() && mask.at(length, 1) != 0) ++length;
  for (unsigned at = length; at < mask.bits(); ++at) {
    if (mask.at(at, 1) != 0) return std::nullopt;
  }
  return length;
}

std::string fault_in(const MatchField& field, const FieldPattern& pattern) {
  if (pattern.value.bits() != field.bits || pattern.other.bits() != field.bits)
    return fmt::format("a pattern of {} bits, expected {}", pattern.value.bits(), field.bits);
  switch (field.kind) {
    case FieldMatch::exact:
      return pattern.other == BitString::ones(field.bits) ? ""
                                                          : "a mask, but it is matched exactly";
    case FieldMatch::optional:
      return pattern.other == BitString::ones(field.bits) ||
                     pattern.other == BitString::zeros(field.bits)
                 ? ""
                 : "a mask of some of its bits, but it is matched as a whole or not at all";
    case FieldMatch::lpm:
      return prefix_length(pattern.other) ? "" : "a mask that is no prefix";
    case FieldMatch::range:
      return string_less(pattern.other, pattern.value)
                 ? "a range whose end lies before its beginning"
                 : "";
    case FieldMatch::ternary:
      return "";
  }
  return "";
}

MatchKind kind_of(const std::vector<MatchField>& fields) {
  const auto any = [&](FieldMatch kind) {
    return std::ranges::any_of(fields, [&](const MatchField& f) { return f.kind == kind; });
  };
  if (any(FieldMatch::range)) return MatchKind::range;
  if (any(FieldMatch::ternary) || any(FieldMatch::optional)) return MatchKind::ternary;
  return any(FieldMatch::lpm) ? MatchKind::lpm : MatchKind::exact;
}

BitString any_key(const std::vector<MatchField>& fields) {
  BitString out;
  for (const MatchField& field : fields) out.append(BitString::zeros(field.bits));
  return out;
}

}  // namespace

bool MatchTable::Range::has(std::span<const std::uint64_t> key) const {
  if (bits <= 64) return bits_at(key.data(), at, bits) - lowest <= span;
  return compare(key, at, low) >= 0 && compare(key, at, high) <= 0;
}

const PackedKeys MatchTable::nothing_(1);

MatchTable::MatchTable(Pipeline& pipeline, Gress gress, const std::string& name,
                       std::vector<MatchField> fields, MatchSpec spec, const Needs& needs)
    : Object(pipeline, gress, name, priced(spec, fields, pipeline.name() + "." + name), needs),
      fields_(std::move(fields)),
      key_words_(any_key(fields_).used_words()),
      capacity_(spec.entries) {}

MatchSpec MatchTable::priced(MatchSpec spec, const std::vector<MatchField>& fields,
                             const std::string& name) {
  spec.key_bits = spec.range_bits = 0;
  for (const MatchField& field : fields) {
    if (field.bits == 0) throw ModelError(fmt::format("{}: field {} of no bits", name, field.name));
    spec.key_bits += field.bits;
    if (field.kind == FieldMatch::range) spec.range_bits += field.bits;
  }
  if (spec.key_bits == 0 || spec.key_bits > BitString::most_bits)
    throw ModelError(fmt::format("{}: a key of {} bits; expected 1 to {}", name, spec.key_bits,
                                 BitString::most_bits));
  if (std::ranges::count(fields, FieldMatch::lpm, &MatchField::kind) > 1)
    throw ModelError(name + ": two fields matched by prefix");
  if (spec.kind == MatchKind::exact || spec.kind == MatchKind::ternary) spec.kind = kind_of(fields);
  spec.ternary = spec.kind == MatchKind::ternary;
  return spec;
}

FieldPattern MatchTable::any(const MatchField& field) {
  if (field.kind == FieldMatch::range)
    return {BitString::zeros(field.bits), BitString::ones(field.bits)};
  return {BitString::zeros(field.bits), BitString::zeros(field.bits)};
}

FieldPattern MatchTable::exactly(const MatchField& field, const BitString& value) {
  if (field.kind == FieldMatch::range) return {value, value};
  return {value, BitString::ones(field.bits)};
}

void MatchTable::check(const std::vector<FieldPattern>& patterns) const {
  if (patterns.size() != fields_.size())
    throw ModelError(
        fmt::format("{}: {} patterns for {} fields", name(), patterns.size(), fields_.size()));
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (const std::string fault = fault_in(fields_[i], patterns[i]); !fault.empty())
      throw ModelError(fmt::format("{}: field {} has {}", name(), fields_[i].name, fault));
  }
}

MatchTable::Entry MatchTable::entry_of(const std::vector<FieldPattern>& patterns) const {
  Entry entry;
  entry.patterns = patterns;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const MatchField& field = fields_[i];
    const FieldPattern& p = patterns[i];
    if (field.kind == FieldMatch::range) {
      const unsigned at = entry.mask.bits();
      // A range of one value, or of all, is a mask.
      const bool single = p.value == p.other;
      entry.value.append(single ? p.value : BitString::zeros(field.bits));
      entry.mask.append(single ? BitString::ones(field.bits) : BitString::zeros(field.bits));
      if (single || p == any(field)) continue;
      Range& range = entry.ranges.emplace_back(Range{at, field.bits, p.value, p.other});
      if (field.bits > 64) continue;
      range.lowest = p.value.at(0, field.bits);
      range.span = p.other.at(0, field.bits) - range.lowest;
      continue;
    }
    if (field.kind == FieldMatch::lpm) entry.prefix = *prefix_length(p.other);
    entry.value.append(under_mask(p.value, p.other));
    entry.mask.append(p.other);
  }
  return entry;
}

std::optional<std::size_t> MatchTable::find(const std::vector<FieldPattern>& patterns,
                                            std::int64_t priority) const {
  check(patterns);
  const Entry wanted = entry_of(patterns);
  for (std::size_t place = 0; place < entries_.size(); ++place) {
    const auto& e = entries_[place];
    if (e && e->priority == priority && e->value == wanted.value && e->mask == wanted.mask &&
        std::ranges::equal(e->ranges, wanted.ranges, [](const Range& a, const Range& b) {
          return a.at == b.at && a.low == b.low && a.high == b.high;
        }))
      return place;
  }
  return std::nullopt;
}

std::size_t MatchTable::insert(const std::vector<FieldPattern>& patterns, std::int64_t priority,
                               ActionCall call) {
  // An exact key is found by its hash; others are compared one by one.
  check(patterns);
  Entry entry = entry_of(patterns);
  const bool exact = kind_of(fields_) == MatchKind::exact;
  if (exact) priority = 0;
  std::optional<std::size_t> same;
  if (exact) {
    if (const auto found = peek(entry.value.words().data()); found.hit()) same = found.place;
  } else {
    same = find(patterns, priority);
  }
  if (same) {
    entries_[*same]->call = std::move(call);
    return *same;
  }
  if (size_ == capacity_) throw ModelError(fmt::format("{}: full ({} entries)", name(), capacity_));
  std::size_t place = entries_.size();
  if (free_.empty()) {
    entries_.emplace_back();
  } else {
    place = free_.back();
    free_.pop_back();
  }
  entry.priority = priority;
  entry.number = added_++;
  entry.call = std::move(call);
  entries_[place] = std::move(entry);
  ++size_;
  if (!stale_) index(place);
  return place;
}

void MatchTable::erase(std::size_t place) {
  if (place >= entries_.size() || !entries_[place])
    throw ModelError(fmt::format("{}: no entry in place {}", name(), place));
  entries_[place].reset();
  free_.push_back(place);
  --size_;
  stale_ = true;
  exact_ = nullptr;
}

void MatchTable::clear() {
  entries_.clear();
  free_.clear();
  groups_.clear();
  ranged_.clear();
  size_ = 0;
  stale_ = false;
  exact_ = &nothing_;
}

bool MatchTable::wins(std::size_t place, std::size_t other) const {
  const Entry &a = *entries_[place], &b = *entries_[other];
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.prefix != b.prefix) return a.prefix > b.prefix;
  return a.number < b.number;
}

MatchTable::Group& MatchTable::group_of(const BitString& mask) {
  const auto found = std::ranges::find(groups_, mask, &Group::mask);
  if (found != groups_.end()) return *found;
  groups_.push_back({mask, mask == BitString::ones(mask.bits()), 0, PackedKeys(key_words_)});
  return groups_.back();
}

void MatchTable::index(std::size_t place) {
  const Entry& e = *entries_[place];
  const auto before = [&](std::size_t a, std::size_t b) { return wins(a, b); };
  if (!e.ranges.empty()) {
    ranged_.insert(std::ranges::upper_bound(ranged_, place, before), place);
    exact_ = nullptr;
    return;
  }
  Group& group = group_of(e.mask);
  const std::uint64_t* const value = e.value.words().data();
  // One of the same value may be the group's only one: it is no first entry then.
  const bool first = group.places.size() == 0;
  const std::uint32_t there = group.places.find(value);
  if (there == PackedKeys::none || wins(place, there))
    group.places.put(value, static_cast<std::uint32_t>(place));
  if (first || wins(place, group.best)) group.best = place;
  std::ranges::sort(groups_, before, &Group::best);
  const bool exact = groups_.size() == 1 && groups_.front().whole && ranged_.empty();
  exact_ = exact ? &groups_.front().places : nullptr;
}

void MatchTable::rebuild() {
  groups_.clear();
  ranged_.clear();
  stale_ = false;
  exact_ = &nothing_;
  for (std::size_t place = 0; place < entries_.size(); ++place) {
    if (entries_[place]) index(place);
  }
}

MatchTable::Result MatchTable::search(std::span<const std::uint64_t> key) {
  if (stale_) rebuild();
  std::uint32_t best = PackedKeys::none;
  const auto is_better = [&](std::size_t place) {
    return best == PackedKeys::none || wins(place, best);
  };
  for (const Group& group : groups_) {
    if (!is_better(group.best)) break;
    const std::uint32_t place = group.whole
                                    ? group.places.find(key.data())
                                    : group.places.find(key.data(), group.mask.words().data());
    if (place != PackedKeys::none && is_better(place)) best = place;
  }
  for (const std::size_t place : ranged_) {
    if (!is_better(place)) break;
    const Entry& e = *entries_[place];
    if (equal_under(key, e.mask, e.value) &&
        std::ranges::all_of(e.ranges, [&](const Range& range) { return range.has(key); })) {
      best = static_cast<std::uint32_t>(place);
      break;
    }
  }
  if (best == PackedKeys::none) return {&default_, best};
  return {&entries_.data()[best]->call, best};
}

}  // namespace horae::dataplane
