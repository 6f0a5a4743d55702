// A schema without the type of its struct: the work of Schema<T>.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "horae/params/field.hpp"

namespace horae::detail {

/// Fields in the order declared. Objects of its struct are passed as void*; copies share defaults.
class AnySchema {
 public:
  /// `defaults` is a new object of the struct, `destroy` what deletes it.
  AnySchema(std::string name, std::string doc, const void* defaults, void (*destroy)(const void*));

  const std::string& name() const { return name_; }
  const std::string& doc() const { return doc_; }
  std::vector<std::string> field_names() const;
  /// A default-constructed object of the struct.
  const void* defaults() const { return defaults_.get(); }

  /// ModelError when the name is taken or the default is outside its own range.
  void add(std::string name, FieldInfo info, MemberOf member,
           std::unique_ptr<const FieldKind> kind);

  /// Adds the fields of `inner`, whose struct is in the `part` of this one; ModelError as `add`.
  void include(const AnySchema& inner, MemberOf part);

  void read(void* out, const Section& section, const std::vector<std::string>& also_known) const;
  nlohmann::ordered_json dump(const void* object) const;
  void describe(const void* defaults, const std::string& prefix, std::vector<ParamInfo>& out) const;

 private:
  void read_entry(void* out, const Entry& entry, const Section& section,
                  const std::vector<std::string>& also_known) const;

  std::string name_;
  std::string doc_;
  std::shared_ptr<const void> defaults_;
  std::vector<Field> fields_;
};

}  // namespace horae::detail
