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

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/params/field_info.hpp"
#include "horae/params/param_info.hpp"
#include "horae/params/rules.hpp"
#include "horae/params/section.hpp"
#include "horae/params/value.hpp"

namespace horae {

namespace detail {

[[noreturn]] void refuse_missing(const Section& section, std::string_view key,
                                 std::string_view doc);
[[noreturn]] void refuse_unknown(const Section& section, const Entry& entry,
                                 const std::vector<std::string>& valid);
/// Refuses to declare a schema that contradicts itself.
[[noreturn]] void refuse_schema(std::string_view schema, std::string_view field,
                                std::string_view why);

/// The table under `key` of `parent`; an absent one is an empty Section.
Section sub_section(const Section& parent, std::string_view key);

/// One field of a T: everything a schema does with it.
template <class T>
struct Field {
  std::string name;
  std::string doc;
  bool required = false;
  /// Called with the field present.
  std::function<void(T&, const Entry&, const Section&)> read;
  /// Called with the field absent and not required; may be empty.
  std::function<void(T&, const Section&)> absent;
  std::function<void(const T&, nlohmann::ordered_json&)> dump;
  std::function<void(const T& defaults, const std::string& prefix, std::vector<ParamInfo>&)>
      describe;
};

}  // namespace detail

/// What a table may contain and which members of a T it fills. Built once, by chaining; declaring a
/// name twice or a default outside its own range is a ModelError.
template <class T>
class Schema {
 public:
  Schema(std::string name, std::string doc) : name_(std::move(name)), doc_(std::move(doc)) {}

  const std::string& name() const { return name_; }
  const std::string& doc() const { return doc_; }
  std::vector<std::string> field_names() const {
    std::vector<std::string> out;
    for (const auto& field : fields_) out.push_back(field.name);
    return out;
  }

  /// A field that keeps its default when the document does not give it.
  template <class M>
  Schema& field(std::string name, M T::*member, detail::FieldInfoOf<M> info = {}) {
    using Q = detail::CoreOf<M>;
    detail::PlainRule<Q> rule;
    if constexpr (detail::has_range<Q>) {
      rule.min = info.min;
      rule.max = info.max;
    }
    return add_member(std::move(name), member, std::move(rule),
                      {info.doc, info.source, info.verified, info.required});
  }

  /// A field the document must give.
  template <class M>
  Schema& required(std::string name, M T::*member, detail::FieldInfoOf<M> info = {}) {
    info.required = true;
    return field(std::move(name), member, std::move(info));
  }

  /// A field whose values have names: an enum, or anything with ==.
  template <class M>
  Schema& choice(std::string name, M T::*member,
                 std::vector<std::pair<std::string, detail::CoreOf<M>>> choices,
                 FieldInfo info = {}) {
    detail::ChoiceRule<detail::CoreOf<M>> rule;
    for (auto& [text, value] : choices) {
      rule.names.push_back(std::move(text));
      rule.values.push_back(std::move(value));
    }
    return add_member(std::move(name), member, std::move(rule), std::move(info));
  }

  /// A table read with `schema`. When the document does not give it, its fields keep their
  /// defaults, and a field required inside it is required still.
  template <class M>
  Schema& table(std::string name, M T::*member, const Schema<M>& schema, FieldInfo info = {}) {
    // A schema lives as long as the program or as long as this one: kept by value.
    auto inner = std::make_shared<const Schema<M>>(schema);
    detail::Field<T> f{name, info.doc.empty() ? schema.doc() : info.doc, info.required, {}, {}, {},
                       {}};
    f.read = [inner, member](T& out, const detail::Entry& entry, const Section& section) {
      out.*member = inner->read_over(out.*member, detail::sub_section(section, entry.key), {});
    };
    f.absent = [inner, member, name](T& out, const Section& section) {
      out.*member = inner->read_over(out.*member, detail::sub_section(section, name), {});
    };
    f.dump = [inner, member, name](const T& t, nlohmann::ordered_json& out) {
      out[name] = inner->dump(t.*member);
    };
    f.describe = [inner, member, name, info, doc = f.doc](
                     const T& defaults, const std::string& prefix, std::vector<ParamInfo>& out) {
      out.push_back(
          {prefix + name, "table", {}, {}, doc, info.source, info.verified, info.required});
      inner->describe_into(defaults.*member, prefix + name + ".", out);
    };
    return add(std::move(f));
  }

  /// A table that may be absent.
  template <class M>
  Schema& table(std::string name, std::optional<M> T::*member, const Schema<M>& schema,
                FieldInfo info = {}) {
    auto inner = std::make_shared<const Schema<M>>(schema);
    detail::Field<T> f{name, info.doc.empty() ? schema.doc() : info.doc, info.required, {}, {}, {},
                       {}};
    f.read = [inner, member](T& out, const detail::Entry& entry, const Section& section) {
      out.*member = inner->read(detail::sub_section(section, entry.key));
    };
    f.dump = [inner, member, name](const T& t, nlohmann::ordered_json& out) {
      if (t.*member) out[name] = inner->dump(*(t.*member));
    };
    f.describe = [inner, name, info, doc = f.doc](const T&, const std::string& prefix,
                                                  std::vector<ParamInfo>& out) {
      out.push_back(
          {prefix + name, "table", {}, {}, doc, info.source, info.verified, info.required});
      inner->describe_into(M{}, prefix + name + ".", out);
    };
    return add(std::move(f));
  }

  /// An array of tables, each read with `schema`; absent leaves the default.
  template <class M>
  Schema& tables(std::string name, std::vector<M> T::*member, const Schema<M>& schema,
                 FieldInfo info = {}) {
    auto inner = std::make_shared<const Schema<M>>(schema);
    detail::Field<T> f{name, info.doc.empty() ? schema.doc() : info.doc, info.required, {}, {}, {},
                       {}};
    f.read = [inner, member](T& out, const detail::Entry& entry, const Section& section) {
      (out.*member).clear();
      for (const Section& element : section.children(entry.key)) {
        (out.*member).push_back(inner->read(element));
      }
    };
    f.dump = [inner, member, name](const T& t, nlohmann::ordered_json& out) {
      auto& array = out[name] = nlohmann::ordered_json::array();
      for (const M& element : t.*member) array.push_back(inner->dump(element));
    };
    f.describe = [inner, name, info, doc = f.doc](const T&, const std::string& prefix,
                                                  std::vector<ParamInfo>& out) {
      out.push_back(
          {prefix + name + "[]", "tables", {}, {}, doc, info.source, info.verified, info.required});
      inner->describe_into(M{}, prefix + name + "[].", out);
    };
    return add(std::move(f));
  }

  /// A table kept as it is, to be read later with a schema chosen by a name in it; when absent, an
  /// empty Section that still knows its path.
  Schema& open(std::string name, Section T::*member, FieldInfo info = {}) {
    detail::Field<T> f{name, info.doc, info.required, {}, {}, {}, {}};
    f.read = [member](T& out, const detail::Entry& entry, const Section& section) {
      out.*member = section.child(entry.key);
    };
    f.absent = [member, name](T& out, const Section& section) {
      out.*member = detail::sub_section(section, name);
    };
    f.dump = [member, name](const T& t, nlohmann::ordered_json& out) {
      if ((t.*member).exists()) out[name] = (t.*member).to_json();
    };
    f.describe = [name, info](const T&, const std::string& prefix, std::vector<ParamInfo>& out) {
      out.push_back(
          {prefix + name, "table", {}, {}, info.doc, info.source, info.verified, info.required});
    };
    return add(std::move(f));
  }

  /// An array of tables kept as they are.
  Schema& open(std::string name, std::vector<Section> T::*member, FieldInfo info = {}) {
    detail::Field<T> f{name, info.doc, info.required, {}, {}, {}, {}};
    f.read = [member](T& out, const detail::Entry& entry, const Section& section) {
      out.*member = section.children(entry.key);
    };
    f.dump = [member, name](const T& t, nlohmann::ordered_json& out) {
      auto& array = out[name] = nlohmann::ordered_json::array();
      for (const Section& element : t.*member) array.push_back(element.to_json());
    };
    f.describe = [name, info](const T&, const std::string& prefix, std::vector<ParamInfo>& out) {
      out.push_back({prefix + name + "[]",
                     "tables",
                     {},
                     {},
                     info.doc,
                     info.source,
                     info.verified,
                     info.required});
    };
    return add(std::move(f));
  }

  /// The table as a T, or an InputError: an unknown key, a value of another type or outside its
  /// range, an unknown choice, a missing key. The first fault of the document is the one reported.
  T read(const Section& section, const std::vector<std::string>& also_known = {}) const {
    return read_over(T{}, section, also_known);
  }

  /// The same over `out` in place of the defaults: what the table does not give stays.
  T read_over(T out, const Section& section,
              const std::vector<std::string>& also_known = {}) const {
    if (section.table() != nullptr) {
      for (const auto& entry : std::get<detail::Value::Table>(section.table()->data)) {
        read_entry(out, entry, section, also_known);
      }
    }
    for (const auto& field : fields_) {
      if (section.has(field.name)) continue;
      if (field.required) detail::refuse_missing(section, field.name, field.doc);
      if (field.absent) field.absent(out, section);
    }
    return out;
  }

  /// The effective configuration: every value including defaults, quantities as their text, choices
  /// by name; what is optional and absent is left out.
  nlohmann::ordered_json dump(const T& config) const {
    auto out = nlohmann::ordered_json::object();
    for (const auto& field : fields_) field.dump(config, out);
    return out;
  }

  /// Every parameter in the order declared, nested tables after their own entry.
  std::vector<ParamInfo> describe() const {
    std::vector<ParamInfo> out;
    describe_into(T{}, "", out);
    return out;
  }

 private:
  template <class U>
  friend class Schema;

  void read_entry(T& out, const detail::Entry& entry, const Section& section,
                  const std::vector<std::string>& also_known) const {
    for (const auto& field : fields_) {
      if (field.name == entry.key) return field.read(out, entry, section);
    }
    for (const auto& known : also_known) {
      if (known == entry.key) return;
    }
    auto valid = field_names();
    valid.insert(valid.end(), also_known.begin(), also_known.end());
    detail::refuse_unknown(section, entry, valid);
  }

  void describe_into(const T& defaults, const std::string& prefix,
                     std::vector<ParamInfo>& out) const {
    for (const auto& field : fields_) field.describe(defaults, prefix, out);
  }

  template <class M, class Rule>
  Schema& add_member(std::string name, M T::*member, Rule rule, FieldInfo info) {
    using Codec = detail::Member<M>;
    if (!info.required) {
      // Such a default could be dumped but not read back.
      if (const auto why = Codec::violation(T{}.*member, rule); !why.empty()) {
        detail::refuse_schema(name_, name, "default " + why);
      }
    }
    detail::Field<T> f{name, info.doc, info.required, {}, {}, {}, {}};
    f.read = [member, rule](T& out, const detail::Entry& entry, const Section&) {
      out.*member = Codec::read(*entry.value, entry.key, rule);
    };
    f.dump = [member, rule, name](const T& t, nlohmann::ordered_json& out) {
      if (auto json = Codec::json(t.*member, rule)) out[name] = std::move(*json);
    };
    f.describe = [member, rule, name, info](const T& defaults, const std::string& prefix,
                                            std::vector<ParamInfo>& out) {
      out.push_back({prefix + name, Codec::type(rule.type()),
                     info.required ? std::string() : Codec::text(defaults.*member, rule),
                     rule.range(), info.doc, info.source, info.verified, info.required});
    };
    return add(std::move(f));
  }

  Schema& add(detail::Field<T> field) {
    for (const auto& other : fields_) {
      if (other.name == field.name) detail::refuse_schema(name_, field.name, "declared twice");
    }
    fields_.push_back(std::move(field));
    return *this;
  }

  std::string name_;
  std::string doc_;
  std::vector<detail::Field<T>> fields_;
};

template <class T>
T Section::read(const Schema<T>& schema, const std::vector<std::string>& also_known) const {
  return schema.read(*this, also_known);
}

}  // namespace horae
