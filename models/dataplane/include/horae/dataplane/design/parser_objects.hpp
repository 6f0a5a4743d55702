// Objects of the parser and deparser: value sets and checksums.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "horae/dataplane/design/parser_specs.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Something of the parser or deparser of one gress of one pipeline. It has no stage: it is on the
/// pipeline's list, charged for, and refuses packets of any other gress or pipeline (ModelError).
class ParserObject {
 public:
  ParserObject(const ParserObject&) = delete;
  ParserObject& operator=(const ParserObject&) = delete;
  /// "tor.pipe0.tunnels"
  const std::string& name() const { return name_; }

 protected:
  ParserObject(const Pipeline& pipeline, Gress gress, const std::string& name);
  ~ParserObject() = default;
  /// Refuses a pass of another pipeline or gress, and more than `most` uses in one pass.
  void check_use(const Pass& pass, std::uint64_t most);
  [[noreturn]] void broken_rule(const Pass& pass, const std::string& what) const;

 private:
  PipelineId where_;
  std::string name_;
  std::uint64_t last_pass_ = ~std::uint64_t{0};
  std::uint64_t uses_ = 0;  ///< in that pass
};

/// P4's value_set: whether what a state of the parser compares is one of the values, each with a
/// mask, that the control plane has written. Once in a pass for each state that it is listed in.
/// Price: a row of the parser's TCAM for each entry in each state.
class ValueSet final : public ParserObject {
 public:
  /// `spec.name` and `spec.gress` are set here. ModelError: no entries, or a key of no bits or more
  /// than 64.
  ValueSet(Pipeline& pipeline, Gress gress, const std::string& name, ValueSetSpec spec);

  std::size_t size() const { return values_.size(); }
  /// Control plane: adds a value, of which only the bits of the mask are compared. ModelError: it
  /// is full, a bit lies beyond the key, or it is there.
  void add(std::uint64_t value, std::uint64_t mask);
  void add(std::uint64_t value) { add(value, all_bits_); }
  /// Control plane: removes it. ModelError: it is not there.
  void remove(std::uint64_t value, std::uint64_t mask);
  void remove(std::uint64_t value) { remove(value, all_bits_); }

  /// Parser: whether the key is in the set.
  bool holds(const Pass& pass, std::uint64_t key);

 private:
  struct Value {
    std::uint64_t value, mask;
    bool operator==(const Value&) const = default;
  };
  Value checked(std::uint64_t value, std::uint64_t mask) const;

  std::size_t capacity_;
  std::uint64_t most_uses_;
  std::uint64_t all_bits_;
  std::vector<Value> values_;
};

/// The Internet checksum (RFC 1071): the ones' complement of the ones' complement sum of 16-bit
/// words. Its fields lie one behind the other; the last word is filled up with zeros. Price: a
/// checksum unit of the parser or deparser; see PipelineUse for those that share one. Once per
/// pass.
///
/// Values are given in the order of `spec.over`, each as wide as `spec.bits` says.
class Checksum final : public ParserObject {
 public:
  /// `spec.name` and `spec.gress` are set here. ModelError: no fields, or not a width of 1 to 64
  /// for each.
  Checksum(Pipeline& pipeline, Gress gress, const std::string& name, ChecksumSpec spec);

  /// For `verify`: whether the sum over all fields, the checksum's own among them, is right.
  bool right(const Pass& pass, std::span<const std::uint64_t> values);
  /// For `residual`: the sum of all that `received` was computed over but for these fields. An
  /// update over it and these fields' new values gives the new checksum (RFC 1624).
  std::uint16_t rest(const Pass& pass, std::uint16_t received,
                     std::span<const std::uint64_t> values);
  /// For `update`: the checksum of these fields (without the checksum's own).
  std::uint16_t of(const Pass& pass, std::span<const std::uint64_t> values);

 private:
  /// The ones' complement sum; checks use, number and widths of the values.
  std::uint16_t sum(const Pass& pass, ChecksumUse use, std::span<const std::uint64_t> values);

  ChecksumSpec spec_;
};

}  // namespace horae::dataplane
