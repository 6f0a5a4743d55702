// Which flow has which reorder queue (internal to the room).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "actions.hpp"
#include "horae/programs/conweave/conweave.hpp"
#include "parts.hpp"

namespace horae::programs::conweave {

/// A queue of a port: its number there, and the cell of its state.
struct ReorderQueue {
  std::uint16_t cell = 0;
  std::uint8_t number = 0;
  std::uint8_t group = 0;
};

/// The reorder queues of all ports in three groups. A flow's hash names one queue of each, and it
/// takes the first that is free: three registers of owners, each reached once in a pass
/// (registers_ingress.p4, reg_q_occupancy_c1 to c3).
class ReorderQueues {
 public:
  /// `status`: of the flow's reordering; `is_over`: the timer packet that gives a queue back.
  ReorderQueues(dataplane::Pipeline& pipeline, const ConweaveConfig& config, const Routes& routes,
                const dataplane::Object& status, const dataplane::Gateway& is_waiting,
                const dataplane::Gateway& is_over);

  /// A free queue of the port for the flow; nothing if the hash finds none.
  std::optional<ReorderQueue> take(const PassKind auto& pass, unsigned port, std::uint16_t flow);
  /// The flow's queue.
  std::optional<ReorderQueue> find(const PassKind auto& pass, unsigned port, std::uint16_t flow);
  void give_back(const PassKind auto& pass, std::uint16_t cell, std::uint16_t flow);

  /// The number at its port of the queue with this cell.
  static unsigned number_of(std::uint16_t cell, std::uint32_t queues) {
    return class_queues + cell % queues;
  }

  /// After which a flow's queue is known.
  Needs found() const;

 private:
  /// Queues below this are those of the traffic classes.
  static constexpr unsigned class_queues = 8;
  static constexpr unsigned groups = 3;
  struct Group {
    Group(dataplane::Pipeline& pipeline, const ConweaveConfig& config, char name,
          const dataplane::Hash& hash, const Needs& owner_needs);
    dataplane::ExactTable<std::uint16_t, ReorderQueue> queues;
    dataplane::Register<std::uint32_t> owner;
    RegisterAction<std::uint32_t, TakeIfFree> take;
    RegisterAction<std::uint32_t, EqualsCell> is;
    RegisterAction<std::uint32_t, ClearIf> give_back;
  };
  template <class F>
  std::optional<ReorderQueue> first_that(const PassKind auto& pass, unsigned port, F&& suits);

  std::uint32_t queues_;
  dataplane::Hash hash_;
  std::array<std::unique_ptr<Group>, groups> groups_;
};

}  // namespace horae::programs::conweave
