// Who watches a register.
#pragma once

#include <cstddef>
#include <span>

#include "horae/core/cxx20.hpp"

namespace horae::dataplane {

class Object;
class AnyPass;

/// Told of every access of a program to a watched register.
class RegisterObserver {
 public:
  virtual ~RegisterObserver() = default;
  /// Cell `index` of `object` in memory order of this machine, before and after the access.
  virtual void accessed(const Object& object, const AnyPass& pass, std::size_t index,
                        std::span<const std::byte> before, std::span<const std::byte> after) = 0;
};

}  // namespace horae::dataplane
