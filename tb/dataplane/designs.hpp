// Short ways to write designs down in tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/design/design.hpp"

namespace horae::dataplane {

inline const ChipSpec& shipped_chip(const std::string& name) {
  static const ChipSpec tofino1 = ChipSpec::find({"tofino1", {}});
  static const ChipSpec tofino2 = ChipSpec::find({"tofino2", {}});
  return name == "tofino1" ? tofino1 : tofino2;
}

inline DesignObject object(std::string name, ObjectSpec spec, std::vector<Dependency> after = {},
                           Gress gress = Gress::ingress) {
  return {std::move(name), gress, std::move(spec), std::move(after), {}};
}

inline RegisterSpec array_of(std::uint64_t entries, std::uint32_t width, std::uint32_t pieces = 1) {
  RegisterSpec spec;
  spec.entries = entries;
  spec.width = width;
  spec.pieces = pieces;
  spec.reads = {"index"};  // one field for all: as wide ones share their address
  return spec;
}

inline MatchSpec exact_table(std::uint32_t key_bits, std::uint64_t entries,
                             std::uint32_t data_bits) {
  MatchSpec spec;
  spec.key_bits = key_bits;
  spec.entries = entries;
  spec.data_bits = data_bits;
  return spec;
}

inline MatchSpec ternary_table(std::uint32_t key_bits, std::uint64_t entries,
                               std::uint32_t data_bits) {
  MatchSpec spec = exact_table(key_bits, entries, data_bits);
  spec.ternary = true;
  return spec;
}

inline ConditionSpec condition(ConditionKind kind, std::uint32_t bits, std::uint32_t terms = 1,
                               Join join = Join::all, std::uint64_t constant = 0) {
  ConditionSpec spec;
  spec.kind = kind;
  spec.bits = bits;
  spec.terms = terms;
  spec.join = join;
  spec.constant = constant;
  return spec;
}

inline ConditionSpec guarding(ConditionSpec spec, std::vector<std::string> guards) {
  spec.guards = std::move(guards);
  return spec;
}

}  // namespace horae::dataplane
