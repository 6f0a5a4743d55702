// A ternary match table.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Up to `entries` keys of at most 64 bits with masks, the first that matches wins. Looked up once
/// per pass; written by the control plane only.
template <class V>
class TernaryTable final : public Object {
 public:
  TernaryTable(Pipeline& pipeline, Gress gress, const std::string& name, MatchSpec spec,
               const Needs& needs = {})
      : Object(pipeline, gress, name, as_ternary(spec, pipeline.name() + "." + name), needs),
        capacity_(spec.entries),
        key_bits_(spec.key_bits) {}

  std::size_t size() const { return entries_.size(); }

  /// Control plane: adds an entry behind those there are. ModelError: the table is full, or value
  /// or mask have bits that the key has not.
  void append(std::uint64_t value, std::uint64_t mask, V datum) {
    if (entries_.size() == capacity_) throw ModelError(name() + ": full");
    if (key_bits_ < 64 && (value | mask) >> key_bits_ != 0) {
      throw ModelError(
          fmt::format("{}: value {:#x} with mask {:#x} is wider than the key's {} bits", name(),
                      value, mask, key_bits_));
    }
    entries_.push_back({value & mask, mask, std::move(datum)});
  }

  /// The datum of the first entry that matches, or null on a miss.
  const V* lookup(const PassKind auto& pass, std::uint64_t key) {
    check_single_access(pass);
    for (const auto& e : entries_) {
      if ((key & e.mask) == e.value) return &e.datum;
    }
    return nullptr;
  }

 private:
  struct Entry {
    std::uint64_t value;
    std::uint64_t mask;
    V datum;
  };
  static MatchSpec as_ternary(MatchSpec spec, const std::string& name) {
    if (spec.key_bits > 64) throw ModelError(name + ": a key of more than 64 bits");
    spec.ternary = true;
    return spec;
  }

  std::size_t capacity_;
  std::uint32_t key_bits_;
  std::vector<Entry> entries_;
};

}  // namespace horae::dataplane
