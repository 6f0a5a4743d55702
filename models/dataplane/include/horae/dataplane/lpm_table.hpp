// A table of prefixes.
#pragma once

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Up to `entries` prefixes of keys of at most 64 bits; the longest that matches wins. In TCAM
/// (MatchKind::lpm) or as an algorithmic table (MatchKind::alpm): the same function at another
/// price. Looked up once per pass; written by the control plane only.
template <class V>
class LpmTable final : public Object {
 public:
  LpmTable(Pipeline& pipeline, Gress gress, const std::string& name, MatchSpec spec,
           const Needs& needs = {})
      : Object(pipeline, gress, name, as_lpm(spec, pipeline.name() + "." + name), needs),
        capacity_(spec.entries),
        key_bits_(spec.key_bits) {}

  std::size_t size() const { return size_; }

  /// Control plane: adds or replaces the prefix of `length` bits that `value` begins with.
  void insert(std::uint64_t value, unsigned length, V datum) {
    if (length > key_bits_)
      throw ModelError(fmt::format("{}: a prefix of {} of {} bits", name(), length, key_bits_));
    if (key_bits_ < 64 && value >> key_bits_ != 0)
      throw ModelError(fmt::format("{}: key {:#x} in {} bits", name(), value, key_bits_));
    auto& prefixes = by_length_[length];
    const auto at = prefixes.find(prefix(value, length));
    if (at != prefixes.end()) {
      at->second = std::move(datum);
      return;
    }
    if (size_ == capacity_) throw ModelError(name() + ": full");
    prefixes.emplace(prefix(value, length), std::move(datum));
    used_ |= bit_of(length);
    whole_used_ = whole_used_ || length == 64;
    ++size_;
  }
  /// Control plane: removes a prefix if it is there.
  void erase(std::uint64_t value, unsigned length) {
    auto& prefixes = by_length_.at(length);
    size_ -= prefixes.erase(prefix(value, length));
    if (!prefixes.empty()) return;
    used_ &= ~bit_of(length);
    if (length == 64) whole_used_ = false;
  }

  /// The datum of the longest prefix of `key`, or null on a miss.
  const V* lookup(const Pass& pass, std::uint64_t key) {
    check_single_access(pass);
    if (whole_used_) {
      if (const V* datum = find(key, 64)) return datum;
    }
    for (std::uint64_t rest = used_; rest != 0;) {
      const auto length = static_cast<unsigned>(std::bit_width(rest)) - 1;
      if (const V* datum = find(key, length)) return datum;
      rest &= ~bit_of(length);
    }
    return nullptr;
  }

 private:
  static std::uint64_t bit_of(unsigned length) {
    return length < 64 ? std::uint64_t{1} << length : 0;
  }
  std::uint64_t prefix(std::uint64_t value, unsigned length) const {
    return length == 0 ? 0 : value >> (key_bits_ - length);
  }
  const V* find(std::uint64_t key, unsigned length) const {
    const auto& prefixes = by_length_[length];
    const auto at = prefixes.find(prefix(key, length));
    return at == prefixes.end() ? nullptr : &at->second;
  }
  static MatchSpec as_lpm(MatchSpec spec, const std::string& name) {
    if (spec.key_bits > 64) throw ModelError(name + ": a key of more than 64 bits");
    if (spec.kind != MatchKind::alpm) spec.kind = MatchKind::lpm;
    return spec;
  }

  std::size_t capacity_;
  std::uint32_t key_bits_;
  std::size_t size_ = 0;
  std::uint64_t used_ = 0;  ///< lengths below 64 that there are prefixes of
  bool whole_used_ = false;
  std::array<std::map<std::uint64_t, V>, 65> by_length_;
};

}  // namespace horae::dataplane
