// Which queue pair contexts the packet engine holds. No SystemC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "horae/rnic/memory/set_cache.hpp"

namespace horae::rnic {

/// A queue pair has a context for each.
enum class ContextRole : std::uint8_t { requester, responder, count_ };

/// The contexts used last, up to a number of them. Queue pairs are numbered from 0.
class HeldContexts {
 public:
  /// In sets of `ways`; 0: in one set.
  explicit HeldContexts(std::uint32_t capacity, std::uint32_t ways = 0) : cache_(capacity, ways) {}

  /// Uses a context; whether it costs nothing: it is held, or its fetch is hidden, which it is
  /// until contexts of the other role are used as well. Afterwards it is held.
  bool use(std::size_t i, ContextRole role) {
    constexpr auto roles = static_cast<std::size_t>(ContextRole::count_);
    const auto r = static_cast<std::size_t>(role);
    used_[r] = true;
    const bool held = cache_.use(i * roles + r).hit;
    return held || !used_[1 - r];
  }
  /// Contexts that are held.
  std::size_t held() const { return cache_.held(); }

 private:
  SetCache cache_;
  std::array<bool, static_cast<std::size_t>(ContextRole::count_)> used_{};
};

}  // namespace horae::rnic
