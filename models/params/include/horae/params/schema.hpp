// Parameters: a schema per configuration struct, from which a TOML document is read, refused,
// dumped and described.
//
//   struct LinkConfig {
//     BitRate rate = 100_Gbps;
//     Located<std::string> a;
//     static const Schema<LinkConfig>& schema() {
//       static const Schema<LinkConfig> s =
//           Schema<LinkConfig>("link", "A full-duplex link between two ports.")
//               .required("a", &LinkConfig::a, {.doc = "device at one end"})
//               .field("rate", &LinkConfig::rate, {.doc = "line rate", .min = 1_Gbps});
//       return s;
//     }
//   };
//   const auto link = Document::load("x.toml", {"link.rate=200Gbps"}).root().child("link")
//                         .read<LinkConfig>();
//
// A field may be bool, an integer, double, std::string, Picoseconds, Bytes, BitRate, Hertz, Cycles
// or (with `choice`) an enum, and Located<>, std::optional<> or std::vector<> of those. An absent
// key leaves the value of a default-constructed struct.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "horae/params/any_schema.hpp"
#include "horae/params/field_info.hpp"
#include "horae/params/param_info.hpp"
#include "horae/params/rules.hpp"
#include "horae/params/section.hpp"
#include "horae/params/table_field.hpp"
#include "horae/params/value_field.hpp"

namespace horae {

/// Keys that a table may contain, and the members of a T that they fill. Built once, by chaining;
/// declaring a name twice or a default outside its own range is a ModelError.
template <class T>
class Schema {
 public:
  Schema(std::string name, std::string doc)
      : any_(std::move(name), std::move(doc), new T{},
             [](const void* defaults) { delete static_cast<const T*>(defaults); }) {}

  const std::string& name() const { return any_.name(); }
  const std::string& doc() const { return any_.doc(); }
  std::vector<std::string> field_names() const { return any_.field_names(); }

  /// A field that keeps its default when the document does not give it.
  template <class M>
  Schema& field(std::string name, M T::*member, detail::FieldInfoOf<M> info = {}) {
    using Q = detail::CoreOf<M>;
    detail::PlainRule<Q> rule;
    if constexpr (detail::has_range<Q>) {
      rule.min = info.min;
      // No time, size or rate is below zero.
      if constexpr (detail::is_quantity<Q>) rule.min = info.min.value_or(Q{});
      rule.max = info.max;
      rule.power_of_two = info.power_of_two;
    }
    return add(std::move(name), member, detail::plain_field<M>(std::move(rule)),
               {std::move(info.doc), std::move(info.source), info.verified, info.required});
  }

  /// A field the document must give.
  template <class M>
  Schema& required(std::string name, M T::*member, detail::FieldInfoOf<M> info = {}) {
    info.required = true;
    return field(std::move(name), member, std::move(info));
  }

  /// A field whose values have names: an enum, or anything with ==.
  template <class M>
  Schema& choice(std::string name, M T::*member, detail::ChoiceRule<detail::CoreOf<M>> choices,
                 FieldInfo info = {}) {
    using Kind = detail::ValueField<M, detail::ChoiceRule<detail::CoreOf<M>>>;
    return add(std::move(name), member, std::make_unique<const Kind>(std::move(choices)),
               std::move(info));
  }

  /// A table read with `schema`. When the document does not give it, its fields keep their
  /// defaults, and a field required inside it is required still.
  template <class M>
  Schema& table(std::string name, M T::*member, const Schema<M>& schema, FieldInfo info = {}) {
    return add_table<detail::TableField>(std::move(name), member, schema.any_, std::move(info));
  }

  /// The same for a table in a part of a T that is no member: Part{} gives an M& of a T& and a
  /// const M& of a const T&.
  template <class M, class Part>
  requires std::is_class_v<Part> Schema& table(std::string name, Part, const Schema<M>& schema,
                                               FieldInfo info = {}) {
    if (info.doc.empty()) info.doc = schema.doc();
    any_.add(std::move(name), std::move(info), detail::MemberOf::through<T, Part>(),
             std::make_unique<const detail::TableField>(schema.any_));
    return *this;
  }

  /// The fields of `schema` in this place, as if they were this schema's own.
  template <class M>
  Schema& include(const Schema<M>& schema, M T::*member) {
    any_.include(schema.any_, detail::MemberOf(member));
    return *this;
  }
  template <class M, class Part>
  requires std::is_class_v<Part> Schema& include(const Schema<M>& schema, Part) {
    any_.include(schema.any_, detail::MemberOf::through<T, Part>());
    return *this;
  }

  /// A table that may be absent.
  template <class M>
  Schema& table(std::string name, std::optional<M> T::*member, const Schema<M>& schema,
                FieldInfo info = {}) {
    return add_table<detail::OptionalTableOf<M>>(std::move(name), member, schema.any_,
                                                 std::move(info));
  }

  /// An array of tables, each read with `schema`; absent leaves the default.
  template <class M>
  Schema& tables(std::string name, std::vector<M> T::*member, const Schema<M>& schema,
                 FieldInfo info = {}) {
    return add_table<detail::TableListOf<M>>(std::move(name), member, schema.any_, std::move(info));
  }

  /// The same that may be absent: then it is left out of the effective configuration.
  template <class M>
  Schema& tables(std::string name, std::optional<std::vector<M>> T::*member,
                 const Schema<M>& schema, FieldInfo info = {}) {
    return add_table<detail::OptionalTableListOf<M>>(std::move(name), member, schema.any_,
                                                     std::move(info));
  }

  /// A table kept as it is, to be read later with a schema chosen by a name in it; when absent, an
  /// empty Section that still knows its path.
  Schema& open(std::string name, Section T::*member, FieldInfo info = {}) {
    return add(std::move(name), member, std::make_unique<const detail::OpenTable>(),
               std::move(info));
  }

  /// An array of tables kept as they are.
  Schema& open(std::string name, std::vector<Section> T::*member, FieldInfo info = {}) {
    return add(std::move(name), member, std::make_unique<const detail::OpenTableList>(),
               std::move(info));
  }

  /// The table as a T, or an InputError: an unknown key, a value of another type or outside its
  /// range, an unknown choice, a missing key. The first fault of the document is the one reported.
  T read(const Section& section, const std::vector<std::string>& also_known = {}) const {
    return read_over(T{}, section, also_known);
  }

  /// The same over `out` in place of the defaults: what the table does not give stays.
  T read_over(T out, const Section& section,
              const std::vector<std::string>& also_known = {}) const {
    any_.read(&out, section, also_known);
    return out;
  }

  /// The effective configuration: every value including defaults, quantities as their text, choices
  /// by name; what is optional and absent is left out. A caller includes nlohmann/json.hpp.
  template <class Json = nlohmann::ordered_json>
  Json dump(const T& config) const {
    return any_.dump(&config);
  }

  /// Every parameter in the order declared, nested tables after their own entry.
  std::vector<ParamInfo> describe() const {
    std::vector<ParamInfo> out;
    any_.describe(any_.defaults(), "", out);
    return out;
  }

 private:
  template <class U>
  friend class Schema;

  template <class M>
  Schema& add(std::string name, M T::*member, std::unique_ptr<const detail::FieldKind> kind,
              FieldInfo info) {
    any_.add(std::move(name), std::move(info), detail::MemberOf(member), std::move(kind));
    return *this;
  }

  template <class Kind, class M>
  Schema& add_table(std::string name, M T::*member, const detail::AnySchema& inner,
                    FieldInfo info) {
    if (info.doc.empty()) info.doc = inner.doc();
    return add(std::move(name), member, std::make_unique<const Kind>(inner), std::move(info));
  }

  detail::AnySchema any_;
};

template <class T>
T Section::read(const Schema<T>& schema, const std::vector<std::string>& also_known) const {
  return schema.read(*this, also_known);
}

}  // namespace horae
