// Division for things that come in whole pieces.
#pragma once

#include "horae/core/cxx20.hpp"

namespace horae::dataplane {

/// a / b rounded up; not negative, b > 0.
template <class T>
constexpr T divide_up(T a, T b) {
  return (a + b - 1) / b;
}

}  // namespace horae::dataplane
