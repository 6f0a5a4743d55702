// A match table of fields of any width and kind, whose entries name an action and its data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "horae/dataplane/objects/bit_string.hpp"
#include "horae/dataplane/objects/packed_keys.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// How a field of a key is compared.
enum class FieldMatch : std::uint8_t {
  exact,
  ternary,   ///< under a mask
  lpm,       ///< under a mask whose ones come first; the longest wins
  range,     ///< both ends belong to it
  optional,  ///< as a whole or not at all
};

struct MatchField {
  std::string name;
  unsigned bits = 0;
  FieldMatch kind = FieldMatch::exact;
};

/// Pattern of an entry for a field: the field's bits under a mask, or in a range.
struct FieldPattern {
  BitString value;  ///< or the lowest value of the range
  BitString other;  ///< the mask, or the highest value
  bool operator==(const FieldPattern&) const = default;
};

/// An action, by a number that the program gave it, and its data in words of the program's making.
struct ActionCall {
  std::uint32_t action = 0;
  std::vector<std::uint64_t> data = {};
  bool operator==(const ActionCall&) const = default;
};

/// Up to `entries` entries. Of those that match, the one of the highest priority wins; of equal
/// priority the one with more bits of a prefix, then the one added first. Looked up once per pass;
/// written by the control plane only.
///
/// Price: that of the kind that its fields make it (MatchKind), as MatchSpec says.
class MatchTable final : public Object {
 public:
  /// `spec` has the entries, the actions and their data; key and kind are set here. ModelError: a
  /// field of no bits, a key of more than 1024 bits, two fields matched by prefix.
  MatchTable(Pipeline& pipeline, Gress gress, const std::string& name,
             std::vector<MatchField> fields, MatchSpec spec, const Needs& needs = {});

  const std::vector<MatchField>& fields() const { return fields_; }
  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return size_; }

  /// Control plane: adds an entry; one with the same patterns and priority is replaced. Gives its
  /// place, which stays its own until it is erased: the index of its counter, meter and register.
  /// ModelError: the table is full, a pattern is not as wide as its field, a mask is none of its
  /// kind, a range is empty.
  std::size_t insert(const std::vector<FieldPattern>& patterns, std::int64_t priority,
                     ActionCall call);
  /// Control plane: the place of such an entry.
  std::optional<std::size_t> find(const std::vector<FieldPattern>& patterns,
                                  std::int64_t priority) const;
  /// Control plane: ModelError if there is none.
  void erase(std::size_t place);
  void clear();
  /// Control plane: what a packet gets that no entry matches.
  void set_default(ActionCall call) { default_ = std::move(call); }
  const ActionCall& default_call() const { return default_; }

  struct Result {
    const ActionCall* call = nullptr;        ///< never null; lasts until the next change
    std::uint32_t place = PackedKeys::none;  ///< of the entry; none: no entry matches
    bool hit() const { return place != PackedKeys::none; }
  };
  /// `key` has the fields in their order.
  Result lookup(const Pass& pass, const BitString& key) { return lookup(pass, key.words().data()); }
  /// Likewise of BitString::words(), as many as the table's key has.
  [[gnu::always_inline]] Result lookup(const Pass& pass, const std::uint64_t* key) {
    check_single_access(pass);
    return peek(key);
  }
  /// Control plane: likewise, without a pass.
  [[gnu::always_inline]] Result peek(const std::uint64_t* key) {
    if (exact_ == nullptr) return search({key, key_words_});
    const std::uint32_t place = exact_->find(key);
    if (place == PackedKeys::none) return {&default_, place};
    return {&entries_.data()[place]->call, place};
  }

  /// The pattern that a field's every value matches.
  static FieldPattern any(const MatchField& field);
  static FieldPattern exactly(const MatchField& field, const BitString& value);

 private:
  struct Range {
    unsigned at = 0, bits = 0;
    BitString low, high;
    /// Bounds of up to 64 bits, as numbers; `span`: the highest less the lowest.
    std::uint64_t lowest = 0, span = 0;

    bool has(std::span<const std::uint64_t> key) const;
  };
  struct Entry {
    std::vector<FieldPattern> patterns;
    std::int64_t priority = 0;
    std::uint64_t number = 0;  ///< in the order of adding
    unsigned prefix = 0;       ///< bits of the field that is matched by prefix
    BitString value, mask;
    std::vector<Range> ranges;
    ActionCall call;
  };
  /// Entries under one mask, found by their masked values.
  struct Group {
    BitString mask;
    bool whole = false;    ///< the mask has all bits
    std::size_t best = 0;  ///< place of the entry that wins against all others of the group
    PackedKeys places;
  };

  static MatchSpec priced(MatchSpec spec, const std::vector<MatchField>& fields,
                          const std::string& name);
  void check(const std::vector<FieldPattern>& patterns) const;
  Entry entry_of(const std::vector<FieldPattern>& patterns) const;
  Result search(std::span<const std::uint64_t> key);
  void index(std::size_t place);
  void rebuild();
  Group& group_of(const BitString& mask);
  bool wins(std::size_t place, std::size_t other) const;

  std::vector<MatchField> fields_;
  std::size_t key_words_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::uint64_t added_ = 0;
  std::vector<std::optional<Entry>> entries_;
  std::vector<std::size_t> free_;
  std::vector<Group> groups_;
  std::vector<std::size_t> ranged_;  ///< places of entries with ranges, the winner first
  bool stale_ = false;               ///< entries were erased since the groups were made
  static const PackedKeys nothing_;
  const PackedKeys* exact_ = &nothing_;  ///< all entries, where each asks for all bits
  ActionCall default_;
};

}  // namespace horae::dataplane
