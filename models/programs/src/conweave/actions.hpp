// Actions of ConWeave's registers (internal to the room).
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "horae/dataplane/register_action.hpp"

namespace horae::programs::conweave {

/// A path that is busy, and until when.
struct Busy {
  std::uint32_t path = 0;
  std::uint32_t until = 0;
};

/// Whether this path still is.
struct IsBusy {
  static constexpr bool only_reads = true;
  template <class Cell, class Word>
  bool operator()(const Cell& busy, Word now, Word path) const {
    return busy.until > now && busy.path == path;
  }
};
/// Overwrites what was known of another path.
struct NoteBusy {
  template <class Cell, class Word>
  void operator()(Cell& busy, Word path, Word until) const {
    busy.path = path;
    busy.until = until;
  }
};

/// Whether the last packet was longer ago; it is this one now.
struct IsSilent {
  std::uint32_t ticks = 0;
  template <class C>
  auto operator()(C& last, C now) const {
    const auto silent = now - last > ticks;
    last = now;
    return silent;
  }
};
/// Whether a flag was set, and sets or clears it.
template <int value>
struct TestAnd {
  template <class C>
  auto operator()(C& flag) const {
    const auto was = flag == 1;
    flag = value;
    return was;
  }
};
struct Exchange {
  template <class C>
  C operator()(C& cell, C value) const {
    const C before = cell;
    cell = value;
    return before;
  }
};
struct Add {
  template <class C>
  C operator()(C& cell, C n) const {
    cell += n;
    return cell;
  }
};

/// A deadline that never passes: all bits are set.
constexpr std::int64_t never_late = 0xffffffff;
/// Whether the deadline has passed; it does once.
struct Expire {
  template <class C>
  auto operator()(C& deadline, C now) const {
    const auto passed = deadline < now;
    if (passed) deadline = never_late;
    return passed;
  }
};
/// Whether there is a deadline and it has not passed; then it is later.
struct Extend {
  std::uint32_t ticks = 0;
  template <class C>
  bool operator()(C& deadline, C now) const {
    const bool in_time = now <= deadline && deadline != never_late;
    if (in_time) deadline = now + ticks;
    return in_time;
  }
};
/// The next of four epochs.
struct NextEpoch {
  template <class C>
  C operator()(C& epoch) const {
    if (epoch == 3)
      epoch = 0;
    else
      epoch += 1;
    return epoch;
  }
};
/// A packet of this epoch: whether that is the current one, or the one before it; else it is the
/// current one now. One action for each epoch, as there is no difference of two small fields.
struct EnterEpoch {
  int epoch = 0;
  template <class C>
  auto operator()(C& current) const {
    const auto same = current == epoch;
    const auto past = current == ((epoch + 1) & 3);
    if (!same && !past) current = epoch;
    return std::tuple(same, past);
  }
};

/// How a flow's reordering stands: none, packets wait in its queue, or that has been released and
/// empties.
constexpr int in_order = 0, holding = 1, emptying = 2;
/// A packet out of order: whether it begins a reordering, or one is going on. Neither while the
/// queue of the last one empties: that has counts, and a timer, which are to meet.
struct BeginReordering {
  template <class C>
  auto operator()(C& status) const {
    const auto begins = status == in_order;
    const auto goes_on = status == holding;
    if (begins) status = holding;
    return std::tuple(begins, goes_on);
  }
};

/// The owner of no queue; flows are numbered from one.
constexpr int nobody = 0;
struct TakeIfFree {
  template <class C>
  auto operator()(C& owner, C flow) const {
    const auto free = owner == nobody;
    if (free) owner = flow;
    return free;
  }
};
/// Whether it is this value; then it is zero.
struct ClearIf {
  template <class C>
  auto operator()(C& cell, C value) const {
    const auto is = cell == value;
    if (is) cell = 0;
    return is;
  }
};

/// A packet of the old path puts the release of the flow's queue off. What is past is shown to the
/// timer by zero.
struct PutOff {
  template <class C>
  void operator()(C& at, C now, C expected) const {
    if (at < now)
      at = 0;
    else if (at > 0)
      at = expected;
  }
};
/// Whether it is time; then the next time is later.
struct IsDue {
  std::uint32_t ticks = 0;
  template <class C>
  auto operator()(C& at, C now) const {
    const auto due = at < now;
    if (due) at = now + ticks;
    return due;
  }
};

using dataplane::EqualsCell;
using dataplane::FillCell;
using dataplane::IncrementCell;
using dataplane::ReadCell;
using dataplane::RegisterAction;
using dataplane::SetCell;
using dataplane::Variable;

/// A flag of 8 bits, which is set, cleared and read.
struct FlagRegister {
  FlagRegister(dataplane::Pipeline& pipeline, dataplane::Gress gress, const std::string& name,
               const dataplane::RegisterSpec& spec, const dataplane::Needs& needs)
      : array(pipeline, gress, name, spec, needs),
        set(pipeline, array, "set"),
        clear(pipeline, array, "clear"),
        is(pipeline, array, "is") {}
  /// Sets or clears it, or leaves it; whether it is set afterwards.
  bool update(const dataplane::PassKind auto& pass, std::size_t index, bool clears, bool sets) {
    if (sets)
      set.run(pass, index);
    else if (clears)
      clear.run(pass, index);
    else
      return is.run(pass, index, 1);
    return sets;
  }
  dataplane::Register<std::uint8_t> array;
  RegisterAction<std::uint8_t, FillCell<1>> set;
  RegisterAction<std::uint8_t, FillCell<0>> clear;
  RegisterAction<std::uint8_t, EqualsCell> is;
};

}  // namespace horae::programs::conweave

namespace horae::dataplane::stateful {

template <>
struct Traced<programs::conweave::Busy> {
  struct Cell {
    Word path, until;
  };
  static Cell before(const Exploration& e) { return {e.before(0), e.before(1)}; }
  static std::vector<int> nodes(const Cell& c) { return {c.path.node(), c.until.node()}; }
  static programs::conweave::Busy make(const std::array<std::uint64_t, 2>& w) {
    return {static_cast<std::uint32_t>(w[0]), static_cast<std::uint32_t>(w[1])};
  }
  static std::array<std::uint64_t, 2> words(const programs::conweave::Busy& c) {
    return {c.path, c.until};
  }
};

}  // namespace horae::dataplane::stateful
