// A ternary table with a field that is matched as a range.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Up to `entries` keys with masks and a range; the first that matches wins. The range's field has
/// `range_bits` of the key's bits. Looked up once per pass; written by the control plane only.
template <class V>
class RangeTable final : public Object {
 public:
  RangeTable(Pipeline& pipeline, Gress gress, const std::string& name, MatchSpec spec,
             const Needs& needs = {})
      : Object(pipeline, gress, name, as_range(spec, pipeline.name() + "." + name), needs),
        capacity_(spec.entries),
        range_bits_(spec.range_bits) {}

  std::size_t size() const { return entries_.size(); }

  /// Control plane: adds an entry behind those there are; `low` and `high` belong to the range.
  void append(std::uint64_t value, std::uint64_t mask, std::uint64_t low, std::uint64_t high,
              V datum) {
    if (low > high || (range_bits_ < 64 && high >> range_bits_ != 0))
      throw ModelError(
          fmt::format("{}: no range of {} bits from {} to {}", name(), range_bits_, low, high));
    if (entries_.size() == capacity_) throw ModelError(name() + ": full");
    entries_.push_back({value & mask, mask, low, high, std::move(datum)});
  }

  /// The datum of the first entry that matches, or null on a miss.
  const V* lookup(const Pass& pass, std::uint64_t key, std::uint64_t field) {
    check_single_access(pass);
    for (const auto& e : entries_) {
      if ((key & e.mask) == e.value && field >= e.low && field <= e.high) return &e.datum;
    }
    return nullptr;
  }

 private:
  struct Entry {
    std::uint64_t value, mask, low, high;
    V datum;
  };
  static MatchSpec as_range(MatchSpec spec, const std::string& name) {
    spec.kind = MatchKind::range;
    if (!spec.ranges.empty()) throw ModelError(name + ": one range only (range_bits)");
    if (spec.range_bits == 0 || spec.range_bits > spec.key_bits || spec.key_bits > 128)
      throw ModelError(name + ": a range of 1 to the key's bits");
    return spec;
  }

  std::size_t capacity_;
  std::uint32_t range_bits_;
  std::vector<Entry> entries_;
};

}  // namespace horae::dataplane
