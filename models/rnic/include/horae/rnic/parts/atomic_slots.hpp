// Which atomic operations wait for which at their responder. No SystemC.
#pragma once

#include <boost/container/deque.hpp>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "horae/core/psn.hpp"
#include "horae/core/units.hpp"

namespace horae::rnic {

/// An atomic that its responder has accepted.
struct AtomicOperation {
  std::uint16_t qp = 0;
  Psn psn{};
  std::uint32_t address = 0;
  Picoseconds accepted{};
};

/// Operations of a slot hold it one after the other, in the order in which they were accepted.
class AtomicSlots {
 public:
  /// `slots`: a power of two.
  explicit AtomicSlots(std::uint32_t slots) : mask_(slots - 1) {}

  std::uint32_t slot_of(std::uint64_t address) const {
    return static_cast<std::uint32_t>(address) & mask_;
  }
  /// Returns whether it holds its slot now; else it waits for those before.
  bool add(const AtomicOperation& operation) {
    const auto [slot, free] = waiting_.try_emplace(slot_of(operation.address));
    if (!free) slot->second.push_back(operation);
    return free;
  }
  /// The one that holds it holds it no more. Returns the one that does now.
  std::optional<AtomicOperation> next(std::uint32_t slot) {
    const auto found = waiting_.find(slot);
    if (found->second.empty()) {
      waiting_.erase(found);
      return std::nullopt;
    }
    const AtomicOperation first = found->second.front();
    found->second.pop_front();
    return first;
  }

 private:
  std::uint32_t mask_;
  /// By slot that is held: operations behind the one that holds it.
  std::unordered_map<std::uint32_t, boost::container::deque<AtomicOperation>> waiting_;
};

}  // namespace horae::rnic
