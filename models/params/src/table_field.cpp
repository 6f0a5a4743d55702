#include "horae/params/table_field.hpp"

#include <nlohmann/json.hpp>

#include "path.hpp"
#include "refuse.hpp"
#include "tree.hpp"

namespace horae::detail {
namespace {

/// The table under `key` of `parent`; an absent one is an empty Section.
Section sub_section(const Section& parent, std::string_view key) {
  if (parent.has(key)) return parent.child(key);
  return Section(nullptr, join_path(parent.path(), key), parent.where());
}

void describe_table(const AnySchema& inner, const void* defaults, ParamInfo own,
                    std::vector<ParamInfo>& out) {
  own.type = "table";
  const std::string prefix = own.path + ".";
  append(std::move(own), out);
  inner.describe(defaults, prefix, out);
}

/// As a list of tables; what is below it is the caller's.
std::string describe_list(ParamInfo own, std::vector<ParamInfo>& out) {
  own.type = "tables";
  own.path += "[]";
  std::string prefix = own.path + ".";
  append(std::move(own), out);
  return prefix;
}

}  // namespace

TableField::TableField(const AnySchema& inner) : inner_(inner) {}

void TableField::read(void* member, const Entry& entry, const Section& section) const {
  absent(member, entry.key, section);
}

void TableField::absent(void* member, const std::string& key, const Section& section) const {
  inner_.read(member, sub_section(section, key), {});
}

bool TableField::dump(const void* member, nlohmann::ordered_json& out) const {
  out = inner_.dump(member);
  return true;
}

void TableField::describe(const void* defaults, ParamInfo own, std::vector<ParamInfo>& out) const {
  describe_table(inner_, defaults, std::move(own), out);
}

OptionalTable::OptionalTable(const AnySchema& inner) : inner_(inner) {}

void OptionalTable::read(void* member, const Entry& entry, const Section& section) const {
  inner_.read(held(member), sub_section(section, entry.key), {});
}

bool OptionalTable::dump(const void* member, nlohmann::ordered_json& out) const {
  const void* value = find(member);
  if (value == nullptr) return false;
  out = inner_.dump(value);
  return true;
}

void OptionalTable::describe(const void*, ParamInfo own, std::vector<ParamInfo>& out) const {
  describe_table(inner_, inner_.defaults(), std::move(own), out);
}

TableList::TableList(const AnySchema& inner) : inner_(inner) {}

void TableList::read(void* member, const Entry& entry, const Section& section) const {
  clear(member);
  for (const Section& element : section.children(entry.key)) {
    inner_.read(extend(member), element, {});
  }
}

bool TableList::dump(const void* member, nlohmann::ordered_json& out) const {
  out = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < size(member); ++i) out.push_back(inner_.dump(at(member, i)));
  return true;
}

void TableList::describe(const void*, ParamInfo own, std::vector<ParamInfo>& out) const {
  inner_.describe(inner_.defaults(), describe_list(std::move(own), out), out);
}

void OpenTable::read(void* member, const Entry& entry, const Section& section) const {
  *static_cast<Section*>(member) = section.child(entry.key);
}

void OpenTable::absent(void* member, const std::string& key, const Section& section) const {
  *static_cast<Section*>(member) = sub_section(section, key);
}

bool OpenTable::dump(const void* member, nlohmann::ordered_json& out) const {
  const auto& section = *static_cast<const Section*>(member);
  if (!section.exists()) return false;
  out = section.to_json();
  return true;
}

void OpenTable::describe(const void*, ParamInfo own, std::vector<ParamInfo>& out) const {
  own.type = "table";
  append(std::move(own), out);
}

void OpenTableList::read(void* member, const Entry& entry, const Section& section) const {
  *static_cast<std::vector<Section>*>(member) = section.children(entry.key);
}

bool OpenTableList::dump(const void* member, nlohmann::ordered_json& out) const {
  out = nlohmann::ordered_json::array();
  for (const Section& element : *static_cast<const std::vector<Section>*>(member)) {
    out.push_back(element.to_json());
  }
  return true;
}

void OpenTableList::describe(const void*, ParamInfo own, std::vector<ParamInfo>& out) const {
  describe_list(std::move(own), out);
}

}  // namespace horae::detail
