#include "horae/params/any_schema.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/params/section.hpp"
#include "refuse.hpp"
#include "tree.hpp"

namespace horae::detail {

void FieldKind::absent(void*, const std::string&, const Section&) const {}

std::string FieldKind::violation(const void*) const { return {}; }

void append(ParamInfo info, std::vector<ParamInfo>& out) { out.push_back(std::move(info)); }

AnySchema::AnySchema(std::string name, std::string doc, const void* defaults,
                     void (*destroy)(const void*))
    : name_(std::move(name)), doc_(std::move(doc)), defaults_(defaults, destroy) {}

std::vector<std::string> AnySchema::field_names() const {
  std::vector<std::string> out;
  for (const auto& field : fields_) out.push_back(field.name);
  return out;
}

void AnySchema::add(std::string name, FieldInfo info, MemberOf member,
                    std::unique_ptr<const FieldKind> kind) {
  const auto refuse = [&](std::string_view why) {
    throw ModelError(fmt::format("schema {}: field '{}': {}", name_, name, why));
  };
  if (!info.required) {
    // Such a default could be dumped but not read back.
    const auto why = kind->violation(member.in(defaults()));
    if (!why.empty()) refuse("default " + why);
  }
  for (const auto& other : fields_) {
    if (other.name == name) refuse("declared twice");
  }
  fields_.push_back({std::move(name), std::move(info), member, std::move(kind)});
}

namespace {

/// A field of a part: its member is the part, in which the field's own member is.
class PartField final : public FieldKind {
 public:
  PartField(MemberOf member, std::shared_ptr<const FieldKind> kind)
      : member_(member), kind_(std::move(kind)) {}

  void read(void* part, const Entry& entry, const Section& section) const override {
    kind_->read(member_.in(part), entry, section);
  }
  void absent(void* part, const std::string& key, const Section& section) const override {
    kind_->absent(member_.in(part), key, section);
  }
  bool dump(const void* part, nlohmann::ordered_json& out) const override {
    return kind_->dump(member_.in(part), out);
  }
  void describe(const void* part, ParamInfo own, std::vector<ParamInfo>& out) const override {
    kind_->describe(member_.in(part), std::move(own), out);
  }
  std::string violation(const void* part) const override {
    return kind_->violation(member_.in(part));
  }

 private:
  MemberOf member_;
  std::shared_ptr<const FieldKind> kind_;
};

}  // namespace

void AnySchema::include(const AnySchema& inner, MemberOf part) {
  for (const Field& field : inner.fields_)
    add(field.name, field.info, part, std::make_unique<PartField>(field.member, field.kind));
}

void AnySchema::read(void* out, const Section& section,
                     const std::vector<std::string>& also_known) const {
  if (section.table() != nullptr) {
    for (const auto& entry : std::get<Value::Table>(section.table()->data)) {
      read_entry(out, entry, section, also_known);
    }
  }
  for (const auto& field : fields_) {
    if (section.has(field.name)) continue;
    if (field.info.required) refuse_missing(section, field.name, field.info.doc);
    field.kind->absent(field.member.in(out), field.name, section);
  }
}

void AnySchema::read_entry(void* out, const Entry& entry, const Section& section,
                           const std::vector<std::string>& also_known) const {
  for (const auto& field : fields_) {
    if (field.name == entry.key) {
      return field.kind->read(field.member.in(out), entry, section);
    }
  }
  for (const auto& known : also_known) {
    if (known == entry.key) return;
  }
  auto valid = field_names();
  valid.insert(valid.end(), also_known.begin(), also_known.end());
  refuse_unknown(section, entry, valid);
}

nlohmann::ordered_json AnySchema::dump(const void* object) const {
  auto out = nlohmann::ordered_json::object();
  for (const auto& field : fields_) {
    nlohmann::ordered_json value;
    if (field.kind->dump(field.member.in(object), value)) out[field.name] = std::move(value);
  }
  return out;
}

void AnySchema::describe(const void* defaults, const std::string& prefix,
                         std::vector<ParamInfo>& out) const {
  for (const auto& field : fields_) {
    const FieldInfo& info = field.info;
    field.kind->describe(field.member.in(defaults),
                         {.path = prefix + field.name,
                          .type = {},
                          .default_text = {},
                          .range_text = {},
                          .doc = info.doc,
                          .source = info.source,
                          .verified = info.verified,
                          .required = info.required},
                         out);
  }
}

}  // namespace horae::detail
