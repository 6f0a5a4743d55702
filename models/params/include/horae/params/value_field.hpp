// Fields of values: members of a type with a rule, and Located, optional and vector of such.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/params/field.hpp"
#include "horae/params/rules.hpp"

namespace horae::detail {

/// A member of type M read, dumped and printed by the rule of its core type. `dump` is false when
/// there is nothing to dump.
template <class M>
struct Member {
  template <class Rule>
  static M read(const Value& v, std::string_view label, const Rule& rule) {
    return rule.read(v, label);
  }
  template <class Rule>
  static bool dump(const M& m, const Rule& rule, nlohmann::ordered_json& out) {
    rule.dump(m, out);
    return true;
  }
  template <class Rule>
  static std::string text(const M& m, const Rule& rule) {
    return rule.text(m);
  }
  template <class Rule>
  static std::string violation(const M& m, const Rule& rule) {
    return rule.violation(m);
  }
  static std::string type(std::string core) { return core; }
};

template <class M>
struct Member<Located<M>> {
  template <class Rule>
  static Located<M> read(const Value& v, std::string_view label, const Rule& rule) {
    return {Member<M>::read(v, label, rule), place_of(v)};
  }
  template <class Rule>
  static bool dump(const Located<M>& m, const Rule& rule, nlohmann::ordered_json& out) {
    return Member<M>::dump(m.value, rule, out);
  }
  template <class Rule>
  static std::string text(const Located<M>& m, const Rule& rule) {
    return Member<M>::text(m.value, rule);
  }
  template <class Rule>
  static std::string violation(const Located<M>& m, const Rule& rule) {
    return Member<M>::violation(m.value, rule);
  }
  static std::string type(std::string core) { return Member<M>::type(std::move(core)); }
};

template <class M>
struct Member<std::optional<M>> {
  template <class Rule>
  static std::optional<M> read(const Value& v, std::string_view label, const Rule& rule) {
    return Member<M>::read(v, label, rule);
  }
  template <class Rule>
  static bool dump(const std::optional<M>& m, const Rule& rule, nlohmann::ordered_json& out) {
    return m && Member<M>::dump(*m, rule, out);
  }
  template <class Rule>
  static std::string text(const std::optional<M>& m, const Rule& rule) {
    return m ? Member<M>::text(*m, rule) : std::string();
  }
  template <class Rule>
  static std::string violation(const std::optional<M>& m, const Rule& rule) {
    return m ? Member<M>::violation(*m, rule) : std::string();
  }
  static std::string type(std::string core) { return Member<M>::type(std::move(core)); }
};

template <class M>
struct Member<std::vector<M>> {
  static_assert(!Core<M>::optional, "an element of a list cannot be absent");
  template <class Rule>
  static std::vector<M> read(const Value& v, std::string_view label, const Rule& rule) {
    std::vector<M> out;
    const auto& array = read_array(v, label, "an array of " + rule.type() + " values");
    for (std::size_t i = 0; i < array.size(); ++i) {
      out.push_back(
          Member<M>::read(*array[i], std::string(label) + "[" + std::to_string(i) + "]", rule));
    }
    return out;
  }
  template <class Rule>
  static bool dump(const std::vector<M>& m, const Rule& rule, nlohmann::ordered_json& out) {
    dump_list(out);
    for (const auto& element : m) Member<M>::dump(element, rule, dump_element(out));
    return true;
  }
  template <class Rule>
  static std::string text(const std::vector<M>& m, const Rule& rule) {
    std::string out = "[";
    for (const auto& element : m) {
      if (out.size() > 1) out += ", ";
      out += Member<M>::text(element, rule);
    }
    return out + "]";
  }
  template <class Rule>
  static std::string violation(const std::vector<M>& m, const Rule& rule) {
    for (const auto& element : m) {
      if (auto why = Member<M>::violation(element, rule); !why.empty()) return why;
    }
    return {};
  }
  static std::string type(std::string core) {
    return "list of " + Member<M>::type(std::move(core));
  }
};

/// A field whose member is an M.
template <class M, class Rule>
class ValueField final : public FieldKind {
 public:
  explicit ValueField(Rule rule) : rule_(std::move(rule)) {}

  void read(void* member, const Entry& entry, const Section&) const override {
    *static_cast<M*>(member) = Member<M>::read(*entry.value, entry.key, rule_);
  }
  bool dump(const void* member, nlohmann::ordered_json& out) const override {
    return Member<M>::dump(*static_cast<const M*>(member), rule_, out);
  }
  void describe(const void* defaults, ParamInfo own, std::vector<ParamInfo>& out) const override {
    own.type = Member<M>::type(rule_.type());
    if (!own.required) {
      own.default_text = Member<M>::text(*static_cast<const M*>(defaults), rule_);
    }
    own.range_text = rule_.range();
    append(std::move(own), out);
  }
  std::string violation(const void* defaults) const override {
    return Member<M>::violation(*static_cast<const M*>(defaults), rule_);
  }

 private:
  Rule rule_;
};

/// A field of a type that has a Leaf.
template <class M>
std::unique_ptr<const FieldKind> plain_field(PlainRule<CoreOf<M>> rule) {
  return std::make_unique<const ValueField<M, PlainRule<CoreOf<M>>>>(std::move(rule));
}

// The usual ones are compiled once (value_field.cpp); any other compiles where it is used.
extern template std::unique_ptr<const FieldKind> plain_field<bool>(PlainRule<CoreOf<bool>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::uint8_t>(
    PlainRule<CoreOf<std::uint8_t>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::uint16_t>(
    PlainRule<CoreOf<std::uint16_t>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::uint32_t>(
    PlainRule<CoreOf<std::uint32_t>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::uint64_t>(
    PlainRule<CoreOf<std::uint64_t>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::int32_t>(
    PlainRule<CoreOf<std::int32_t>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::int64_t>(
    PlainRule<CoreOf<std::int64_t>>);
extern template std::unique_ptr<const FieldKind> plain_field<double>(PlainRule<CoreOf<double>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::string>(
    PlainRule<CoreOf<std::string>>);
extern template std::unique_ptr<const FieldKind> plain_field<Picoseconds>(
    PlainRule<CoreOf<Picoseconds>>);
extern template std::unique_ptr<const FieldKind> plain_field<Bytes>(PlainRule<CoreOf<Bytes>>);
extern template std::unique_ptr<const FieldKind> plain_field<BitRate>(PlainRule<CoreOf<BitRate>>);
extern template std::unique_ptr<const FieldKind> plain_field<Hertz>(PlainRule<CoreOf<Hertz>>);
extern template std::unique_ptr<const FieldKind> plain_field<Cycles>(PlainRule<CoreOf<Cycles>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::optional<bool>>(
    PlainRule<CoreOf<std::optional<bool>>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::optional<std::uint32_t>>(
    PlainRule<CoreOf<std::optional<std::uint32_t>>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::optional<std::uint64_t>>(
    PlainRule<CoreOf<std::optional<std::uint64_t>>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::optional<double>>(
    PlainRule<CoreOf<std::optional<double>>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::optional<std::string>>(
    PlainRule<CoreOf<std::optional<std::string>>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::optional<Picoseconds>>(
    PlainRule<CoreOf<std::optional<Picoseconds>>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::optional<Bytes>>(
    PlainRule<CoreOf<std::optional<Bytes>>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::optional<BitRate>>(
    PlainRule<CoreOf<std::optional<BitRate>>>);
extern template std::unique_ptr<const FieldKind> plain_field<Located<std::string>>(
    PlainRule<CoreOf<Located<std::string>>>);
extern template std::unique_ptr<const FieldKind> plain_field<Located<double>>(
    PlainRule<CoreOf<Located<double>>>);
extern template std::unique_ptr<const FieldKind> plain_field<Located<std::uint32_t>>(
    PlainRule<CoreOf<Located<std::uint32_t>>>);
extern template std::unique_ptr<const FieldKind> plain_field<Located<Picoseconds>>(
    PlainRule<CoreOf<Located<Picoseconds>>>);
extern template std::unique_ptr<const FieldKind> plain_field<Located<Bytes>>(
    PlainRule<CoreOf<Located<Bytes>>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::vector<std::string>>(
    PlainRule<CoreOf<std::vector<std::string>>>);
extern template std::unique_ptr<const FieldKind> plain_field<std::vector<Located<std::string>>>(
    PlainRule<CoreOf<std::vector<Located<std::string>>>>);

}  // namespace horae::detail
