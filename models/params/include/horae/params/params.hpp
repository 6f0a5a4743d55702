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

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/core/units.hpp"

namespace horae {

/// Where a value was given: a place in a file or an override on the command line.
struct Location {
  std::string file;          ///< as the user named it; empty when the value is a default
  std::uint32_t line = 0;    ///< from 1; 0 = the file as a whole
  std::uint32_t column = 0;  ///< from 1, in characters
  std::string override_key;  ///< the key of the `--set` it came from; empty when from a file

  /// "file:line:column", "file", "--set a.b.c", or empty for a default.
  std::string text() const;
};

/// An InputError "where: message", for checks made after reading; without a where, the message.
InputError input_error(const Location& where, std::string_view message);

/// A field's value together with where it was given, for checks across fields. Equality is that of
/// the values.
template <class T>
struct Located {
  T value{};
  Location where{};

  operator const T&() const { return value; }
  friend bool operator==(const Located& a, const Located& b) { return a.value == b.value; }
};

/// One parameter, as `horae list` shows it.
struct ParamInfo {
  /// "rate", "program.name", "link[].rate"
  std::string path;
  /// "time", "rate", "bytes", "frequency", "integer", "number", "flag", "text", "choice: a|b",
  /// "list of <one of these>"; "table" and "tables" for what holds the paths below it.
  std::string type;
  std::string default_text;  ///< empty when there is none
  std::string range_text;    ///< "1 ns .. 5 us", ">= 1", "<= 1"; empty when unlimited
  std::string doc;
  std::string source;     ///< where the number comes from
  bool verified = true;   ///< false: no public value, a modeller's assumption
  bool required = false;  ///< the document must give it
};

/// What is said about a field without a range, a choice or a table.
struct FieldInfo {
  std::string doc = {};
  std::string source = {};
  bool verified = true;
  bool required = false;
};

/// What is said about a field of numbers; the range is inclusive and holds for each element.
template <class Q>
struct RangedFieldInfo {
  std::string doc = {};
  std::optional<Q> min = {};
  std::optional<Q> max = {};
  std::string source = {};
  bool verified = true;
  bool required = false;
};

template <class T>
class Schema;
class Section;

namespace detail {

struct Value;
using ValuePtr = std::shared_ptr<Value>;

/// A key of a table with the place of the key itself.
struct Entry {
  std::string key;
  Location where;
  ValuePtr value;
};

/// A TOML date or time: no parameter is one, so only its text is kept.
struct DateText {
  std::string text;
};

/// A node of a document, with overrides applied. Tables keep the order of the document.
struct Value {
  using Array = std::vector<ValuePtr>;
  using Table = std::vector<Entry>;
  std::variant<bool, std::int64_t, double, std::string, DateText, Array, Table> data;
  Location where;
  /// The words of an override, which a text field takes as they are (`--set name=100`).
  std::optional<std::string> words;
};

const Entry* find_entry(const Value& table, std::string_view key);

/// "integer 100", "text \"abc\"", "array", "table" ...
std::string found(const Value& value);
[[noreturn]] void refuse_value(const Value& value, std::string_view label,
                               std::string_view expected);
[[noreturn]] void refuse_missing(const Section& section, std::string_view key,
                                 std::string_view doc);
[[noreturn]] void refuse_unknown(const Section& section, const Entry& entry,
                                 const std::vector<std::string>& valid);
/// Refuses to declare a schema that contradicts itself.
[[noreturn]] void refuse_schema(std::string_view schema, std::string_view field,
                                std::string_view why);

bool read_flag(const Value& value, std::string_view label);
std::int64_t read_integer(const Value& value, std::string_view label, std::string_view expected);
double read_number(const Value& value, std::string_view label);
std::string read_text(const Value& value, std::string_view label, std::string_view expected);
const Value::Array& read_array(const Value& value, std::string_view label,
                               std::string_view expected);
std::string number_text(double number);

/// How one type of value is named, read, printed and dumped.
template <class Q>
struct Leaf;

template <>
struct Leaf<bool> {
  static constexpr std::string_view type = "flag";
  static bool read(const Value& v, std::string_view label) { return read_flag(v, label); }
  static std::string text(bool q) { return q ? "true" : "false"; }
  static nlohmann::ordered_json json(bool q) { return q; }
};

template <std::integral Q>
struct Leaf<Q> {
  static constexpr std::string_view type = "integer";
  static Q read(const Value& v, std::string_view label) {
    const std::int64_t n = read_integer(v, label, "an integer");
    const auto check = [&](bool ok, std::string_view relation, Q limit) {
      if (ok) return;
      throw input_error(v.where, std::string(label) + " = " + std::to_string(n) + " is " +
                                     std::string(relation) + " " + std::to_string(limit));
    };
    check(!std::cmp_less(n, std::numeric_limits<Q>::min()), "below the minimum",
          std::numeric_limits<Q>::min());
    check(!std::cmp_greater(n, std::numeric_limits<Q>::max()), "above the maximum",
          std::numeric_limits<Q>::max());
    return static_cast<Q>(n);
  }
  static std::string text(Q q) { return std::to_string(q); }
  static nlohmann::ordered_json json(Q q) { return q; }
};

template <>
struct Leaf<Cycles> {
  static constexpr std::string_view type = "integer";
  static Cycles read(const Value& v, std::string_view label) {
    return Cycles(read_integer(v, label, "a number of cycles"));
  }
  static std::string text(Cycles q) { return std::to_string(q.count()); }
  static nlohmann::ordered_json json(Cycles q) { return q.count(); }
};

template <>
struct Leaf<double> {
  static constexpr std::string_view type = "number";
  static double read(const Value& v, std::string_view label) { return read_number(v, label); }
  static std::string text(double q) { return number_text(q); }
  static nlohmann::ordered_json json(double q) { return q; }
};

template <>
struct Leaf<std::string> {
  static constexpr std::string_view type = "text";
  static std::string read(const Value& v, std::string_view label) {
    return read_text(v, label, "a text in quotes");
  }
  static std::string text(const std::string& q) { return q; }
  static nlohmann::ordered_json json(const std::string& q) { return q; }
};

template <class Q>
struct QuantityLeaf {
  static Q read(const Value& v, std::string_view label) {
    const auto parsed = parse_quantity<Q>(read_text(v, label, quantity_expectation<Q>()));
    if (!parsed) throw input_error(v.where, std::string(label) + ": " + parsed.error);
    return *parsed.value;
  }
  static std::string text(Q q) { return to_text(q); }
  static nlohmann::ordered_json json(Q q) { return to_text(q); }
};
template <>
struct Leaf<Picoseconds> : QuantityLeaf<Picoseconds> {
  static constexpr std::string_view type = "time";
};
template <>
struct Leaf<Bytes> : QuantityLeaf<Bytes> {
  static constexpr std::string_view type = "bytes";
};
template <>
struct Leaf<BitRate> : QuantityLeaf<BitRate> {
  static constexpr std::string_view type = "rate";
};
template <>
struct Leaf<Hertz> : QuantityLeaf<Hertz> {
  static constexpr std::string_view type = "frequency";
};

/// The type inside Located, optional and vector.
template <class M>
struct Core {
  using type = M;
  static constexpr bool optional = false;
};
template <class M>
struct Core<Located<M>> : Core<M> {};
template <class M>
struct Core<std::optional<M>> : Core<M> {
  static constexpr bool optional = true;
};
template <class M>
struct Core<std::vector<M>> : Core<M> {};
template <class M>
using CoreOf = typename Core<M>::type;

template <class Q>
inline constexpr bool has_range =
    !std::same_as<Q, bool> && !std::same_as<Q, std::string> && std::totally_ordered<Q>;
template <class Q>
struct InfoFor {
  using type = std::conditional_t<has_range<Q>, RangedFieldInfo<Q>, FieldInfo>;
};
template <class M>
using FieldInfoOf = typename InfoFor<CoreOf<M>>::type;

/// The rule of a plain field: its type and range.
template <class Q>
struct PlainRule {
  std::optional<Q> min, max;

  Q read(const Value& v, std::string_view label) const {
    Q q = Leaf<Q>::read(v, label);
    if (const std::string why = violation(q); !why.empty()) {
      throw input_error(v.where, std::string(label) + " = " + why);
    }
    return q;
  }
  /// "0 ps is below the minimum 1 ns", or empty.
  std::string violation(const Q& q) const {
    if constexpr (has_range<Q>) {
      if (min && q < *min) return text(q) + " is below the minimum " + text(*min);
      if (max && q > *max) return text(q) + " is above the maximum " + text(*max);
    }
    return {};
  }
  std::string text(const Q& q) const { return Leaf<Q>::text(q); }
  nlohmann::ordered_json json(const Q& q) const { return Leaf<Q>::json(q); }
  std::string type() const { return std::string(Leaf<Q>::type); }
  std::string range() const {
    if (min && max) return text(*min) + " .. " + text(*max);
    if (min) return ">= " + text(*min);
    if (max) return "<= " + text(*max);
    return {};
  }
};

std::size_t read_choice(const Value& value, std::string_view label,
                        const std::vector<std::string>& names);

/// The rule of a field with named values.
template <class E>
struct ChoiceRule {
  std::vector<std::string> names;
  std::vector<E> values;

  E read(const Value& v, std::string_view label) const {
    return values[read_choice(v, label, names)];
  }
  std::string violation(const E& e) const {
    for (const E& value : values) {
      if (value == e) return {};
    }
    return "a value without a name";
  }
  std::string text(const E& e) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == e) return names[i];
    }
    throw ModelError("choice: a value without a name");
  }
  nlohmann::ordered_json json(const E& e) const { return text(e); }
  std::string type() const {
    std::string out = "choice: ";
    for (const auto& name : names) out += (&name == &names.front() ? "" : "|") + name;
    return out;
  }
  std::string range() const { return {}; }
};

/// A member of type M read, dumped and printed by the rule of its core type.
template <class M>
struct Member {
  template <class Rule>
  static M read(const Value& v, std::string_view label, const Rule& rule) {
    return rule.read(v, label);
  }
  template <class Rule>
  static std::optional<nlohmann::ordered_json> json(const M& m, const Rule& rule) {
    return rule.json(m);
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
    return {Member<M>::read(v, label, rule), v.where};
  }
  template <class Rule>
  static std::optional<nlohmann::ordered_json> json(const Located<M>& m, const Rule& rule) {
    return Member<M>::json(m.value, rule);
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
  static std::optional<nlohmann::ordered_json> json(const std::optional<M>& m, const Rule& rule) {
    if (!m) return std::nullopt;
    return Member<M>::json(*m, rule);
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
  static std::optional<nlohmann::ordered_json> json(const std::vector<M>& m, const Rule& rule) {
    auto out = nlohmann::ordered_json::array();
    for (const auto& element : m) out.push_back(*Member<M>::json(element, rule));
    return out;
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

}  // namespace detail

/// A table of a document, with its path and where it was given; shares ownership of the document.
/// A default-constructed Section, or one for an optional table that is absent, is an empty table.
class Section {
 public:
  Section() = default;
  /// For Document and Schema: `table` holds a table or is null (absent).
  Section(std::shared_ptr<const detail::Value> table, std::string path, Location where);

  /// Whether the document has this table.
  bool exists() const { return table_ != nullptr; }
  /// "link[0].program"; empty for the root.
  const std::string& path() const { return path_; }
  /// How messages name the table: "[link.program]" or "the top level".
  std::string title() const;
  /// Where the table was given; for an absent table, where the table around it was.
  const Location& where() const { return where_; }
  /// Where the value of `key` was given; where the table was, if it has no such key.
  const Location& where(std::string_view key) const;

  /// The keys of the table, in the order of the document.
  std::vector<std::string> keys() const;
  bool has(std::string_view key) const;
  /// The table under `key`. InputError when absent or not a table.
  Section child(std::string_view key) const;
  /// The tables of the array under `key`, none when absent. InputError when something else.
  std::vector<Section> children(std::string_view key) const;
  /// The text under `key`, for choosing the schema. InputError when absent or not a text.
  std::string get_string(std::string_view key) const;

  /// An InputError that points at the value of `key`.
  InputError error(std::string_view key, std::string_view message) const;

  /// Reads the table as a T, refusing what `schema` does not allow with an InputError. The keys in
  /// `also_known` are left alone: those that chose the schema.
  template <class T>
  T read(const Schema<T>& schema, const std::vector<std::string>& also_known = {}) const;
  /// The same with `T::schema()`.
  template <class T>
  T read(const std::vector<std::string>& also_known = {}) const {
    return read<T>(T::schema(), also_known);
  }

  /// The table as the document has it, nothing checked and no defaults.
  nlohmann::ordered_json to_json() const;

  friend bool operator==(const Section& a, const Section& b) {
    return a.exists() == b.exists() && a.to_json() == b.to_json();
  }

  /// For Schema: null when absent.
  const detail::Value* table() const { return table_.get(); }

 private:
  std::shared_ptr<const detail::Value> table_;
  std::string path_;
  Location where_;
};

/// A TOML document with `--set` overrides applied. An override is KEY=VALUE: KEY a dotted path such
/// as `link[0].delay` (an index one past the end appends), VALUE a TOML value, or else taken as a
/// bare text (`nic.rate=200Gbps`). A later override wins over an earlier one.
class Document {
 public:
  /// Reads a file. InputError when it cannot be read, is not TOML, or an override is malformed.
  static Document load(const std::string& path, const std::vector<std::string>& overrides = {});
  /// Reads a text; `name` stands for the file in messages. InputError as for `load`.
  static Document parse(std::string_view text, const std::string& name,
                        const std::vector<std::string>& overrides = {});

  Section root() const { return root_; }

 private:
  explicit Document(Section root) : root_(std::move(root)) {}

  Section root_;
};

namespace detail {

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
