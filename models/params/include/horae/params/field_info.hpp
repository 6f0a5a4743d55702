// Description of a field in a schema: its words, its range, where its number comes from.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "horae/params/located.hpp"

namespace horae {

/// Description of a field without a range, a choice or a table.
struct FieldInfo {
  std::string doc = {};
  std::string source = {};
  bool verified = true;
  bool required = false;
};

/// Description of a field of numbers; the range is inclusive and holds for each element. For a
/// quantity that says no minimum it is zero.
template <class Q>
struct RangedFieldInfo {
  std::string doc = {};
  std::optional<Q> min = {};
  std::optional<Q> max = {};
  std::string source = {};
  bool verified = true;
  bool required = false;
  bool power_of_two = false;  ///< of integers and sizes; 0 too, where the range has it
};

namespace detail {

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
/// A time, size, rate, frequency or number of cycles.
template <class Q>
inline constexpr bool is_quantity = requires(const Q& q) {
  q.count();
};
template <class Q>
struct InfoFor {
  using type = std::conditional_t<has_range<Q>, RangedFieldInfo<Q>, FieldInfo>;
};
template <class M>
using FieldInfoOf = typename InfoFor<CoreOf<M>>::type;

}  // namespace detail

}  // namespace horae
