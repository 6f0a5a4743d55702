// For the sources of policies and registries: how an entry names the parameters of its policy, and
// the keys of all policies together.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "horae/params/schema.hpp"
#include "horae/policy/parameters.hpp"

namespace horae::policy {

/// The fields of the schema are keys of the seam's table.
template <class T, const Schema<T>& (*schema)() = &T::schema>
OwnParameters keys_of() {
  return {typeid(T), [] {
            return ParameterSchema(schema().name(), schema().doc())
                .include(
                    schema(), [](auto& all) -> auto& { return all.template of<T>(); });
          }};
}

/// They are keys of a table in the seam's table, which is called as the schema is.
template <class T, const Schema<T>& (*schema)() = &T::schema>
OwnParameters table_of() {
  return {typeid(T), [] {
            return ParameterSchema(schema().name(), schema().doc())
                .table(
                    schema().name(), [](auto& all) -> auto& { return all.template of<T>(); },
                    schema());
          }};
}

/// The keys of these structs, in their order, each struct once.
ParameterSchema schema_of(const std::vector<OwnParameters>& parameters);

/// The keys of all policies of a registry, in its order.
template <class Entry>
ParameterSchema parameters_of(const std::vector<Entry>& registry) {
  std::vector<OwnParameters> all;
  for (const Entry& entry : registry)
    all.insert(all.end(), entry.parameters.begin(), entry.parameters.end());
  return schema_of(all);
}

/// The names of a registry's policies as the choices of a parameter.
template <class Entry>
std::vector<std::pair<std::string, std::string>> names_of(const std::vector<Entry>& registry) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Entry& entry : registry) names.emplace_back(entry.name, entry.name);
  return names;
}

}  // namespace horae::policy
