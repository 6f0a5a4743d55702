// Which queue pair contexts the packet engine holds. No SystemC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace horae::rnic {

/// A queue pair has a context for each.
enum class ContextRole : std::uint8_t { requester, responder, count_ };

/// The contexts used last, up to a number of them. Queue pairs are numbered from 0.
class HeldContexts {
 public:
  explicit HeldContexts(std::uint32_t capacity) : capacity_(capacity) {}

  /// One more queue pair (elaboration only).
  void add() {
    for (std::size_t r = 0; r < roles; ++r) entries_.push_back({});
  }
  /// Uses a context; whether it costs nothing: it is held, or its fetch is hidden, which it is
  /// until contexts of the other role are used as well. Afterwards it is held.
  bool use(std::size_t i, ContextRole role) {
    const std::size_t r = static_cast<std::size_t>(role);
    const auto e = static_cast<std::uint32_t>(i * roles + r);
    used_[r] = true;
    const bool held = entries_[e].held;
    if (e != newest_) {
      if (held) unlink(e);
      link(e);
    }
    if (!held && ++held_ > capacity_) evict();
    return held || !used_[1 - r];
  }
  /// Contexts that are held.
  std::uint32_t held() const { return held_; }

 private:
  static constexpr std::size_t roles = static_cast<std::size_t>(ContextRole::count_);
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Entry {
    std::uint32_t newer = none, older = none;
    bool held = false;
  };

  void unlink(std::uint32_t e) {
    const Entry& entry = entries_[e];
    (entry.newer == none ? newest_ : entries_[entry.newer].older) = entry.older;
    (entry.older == none ? oldest_ : entries_[entry.older].newer) = entry.newer;
  }
  void link(std::uint32_t e) {
    entries_[e] = {none, newest_, true};
    (newest_ == none ? oldest_ : entries_[newest_].newer) = e;
    newest_ = e;
  }
  void evict() {
    const std::uint32_t e = oldest_;
    unlink(e);
    entries_[e].held = false;
    --held_;
  }

  std::uint32_t capacity_;
  std::uint32_t held_ = 0;
  std::vector<Entry> entries_;
  std::uint32_t newest_ = none, oldest_ = none;
  std::array<bool, roles> used_{};
};

}  // namespace horae::rnic
