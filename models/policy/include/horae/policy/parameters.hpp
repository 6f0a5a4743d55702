// Parameters that belong to policies: each policy has a struct of its own, which no other code
// needs to know.
//
//   struct Lazy {
//     Picoseconds nap = 1_us;
//     static const Schema<Lazy>& schema();  // the key `nap`
//   };
//   TransportEntry lazy_transport() {
//     return {..., .parameters = {keys_of<Lazy>()}};  // own_parameters.hpp
//   }
//
// The schema of a seam (`TransportConfig::schema`) has the keys of all policies in its registry;
// what they hold travels in a PolicyParameters, and `config.parameters.of<Lazy>().nap` is the
// value.
#pragma once

#include <any>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "horae/params/located.hpp"

namespace horae::policy {

/// The parameter structs of any number of policies, found by their type. What nobody has set has
/// the defaults of its struct.
class PolicyParameters {
 public:
  /// With these structs: `PolicyParameters::with(Lazy{.nap = 2_us})`.
  template <class... T>
  static PolicyParameters with(T... values) {
    PolicyParameters out;
    (out.values_.emplace_back(std::move(values)), ...);
    return out;
  }

  template <class T>
  T& of() {
    for (std::any& value : values_) {
      if (auto* found = std::any_cast<T>(&value)) return *found;
    }
    return values_.emplace_back().emplace<T>();
  }
  template <class T>
  const T& of() const {
    for (const std::any& value : values_) {
      if (const auto* found = std::any_cast<T>(&value)) return *found;
    }
    static const T defaults{};
    return defaults;
  }

 private:
  std::list<std::any> values_;  // references to what is in it stay good
};

using ParameterSchema = Schema<PolicyParameters>;

/// One struct of parameters of a policy. Policies that share some list the same struct.
struct OwnParameters {
  std::type_index type;
  ParameterSchema (*keys)();  ///< its keys in the table of the policy's seam

  friend bool operator==(const OwnParameters& a, const OwnParameters& b) {
    return a.type == b.type;
  }
};

/// A parameter that was given a value although its policy is not the one in force.
struct IdleParameter {
  std::string key;     ///< in the table of the seam
  std::string policy;  ///< whose it is
};

/// The parameters of the policy of each name.
using NamedParameters = std::vector<std::pair<std::string_view, std::vector<OwnParameters>>>;
template <class Entry>
NamedParameters named_parameters(const std::vector<Entry>& registry) {
  NamedParameters out;
  for (const Entry& entry : registry) out.emplace_back(entry.name, entry.parameters);
  return out;
}

/// The first key whose value is not the default and which the policy called `chosen` does not
/// have. Defaults do no harm: they are what a dumped configuration has.
std::optional<IdleParameter> find_idle_parameter(const NamedParameters& policies,
                                                 std::string_view chosen,
                                                 const PolicyParameters& given);

}  // namespace horae::policy
