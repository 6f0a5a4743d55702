// The destination ToR's half of ConWeave (internal to the room).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>

#include "actions.hpp"
#include "horae/dataplane/mirror.hpp"
#include "horae/dataplane/queue_control.hpp"
#include "horae/programs/conweave/conweave.hpp"
#include "parts.hpp"
#include "reorder_queues.hpp"

namespace horae::programs::conweave {

/// When the TAIL of a flow's old path is to be here (registers of ingress).
class TailEstimate {
 public:
  TailEstimate(dataplane::Pipeline& pipeline, const ConweaveConfig& config,
               const dataplane::Object& flows, const dataplane::Object& old_seen,
               const dataplane::Gateway& is_timer, const dataplane::Gateway& processes);

  /// Tick from which on the TAIL is not waited for, at a data packet of the flow; `old_seen`: a
  /// packet of the old path has come in this epoch.
  std::uint32_t of(const PassKind auto& pass, std::uint16_t index, bool old_seen);
  const dataplane::Object& last() const { return expected_; }

 private:
  std::uint32_t default_;
  std::uint32_t extra_;
  Variable<std::uint32_t> old_sent_;
  Variable<std::uint32_t> old_arrived_;
  dataplane::Gateway has_tail_time_;
  Variable<std::uint32_t> tail_sent_;
  dataplane::Gateway is_unknown_;
  dataplane::Gateway is_backwards_;
  dataplane::Action gap_;
  dataplane::Action expected_;
};

/// Holds back what overtook the TAIL of the old path, in a queue per flow. State as in
/// registers_ingress.p4, "RX TOR", and registers_egress.p4.
class Destination {
 public:
  Destination(dataplane::Pipeline& pipeline, const ConweaveConfig& config, const Routes& routes,
              const dataplane::Object& flows, const dataplane::Gateway& is_destination);

  /// A data packet with ConWeave's header for a NIC here, or a timer. Sets the verdict of timers
  /// only; `port` is the NIC's.
  void ingress(PassKind auto& pass, const FlowEntry* flow, unsigned port);
  /// Copies, timers, and what leaves for a NIC.
  void egress(PassKind auto& pass);

  struct Counts {
    std::uint64_t replies = 0;     ///< RTT_REPLYs made
    std::uint64_t clears = 0;      ///< CLEARs made
    std::uint64_t notifies = 0;    ///< NOTIFYs made, without those in replies
    std::uint64_t past = 0;        ///< packets of past epochs
    std::uint64_t reorders = 0;    ///< queues taken
    std::uint64_t exhausted = 0;   ///< reorderings for which there was no queue
    std::uint64_t queued = 0;      ///< packets that waited in a reorder queue
    std::uint64_t by_tail = 0;     ///< queues released by the TAIL
    std::uint64_t by_timeout = 0;  ///< queues released because it did not come in time
    std::uint64_t by_epoch = 0;    ///< before: two epochs have begun since, the first with a TAIL
    std::uint64_t timer_passes = 0;
    std::uint64_t most_queues = 0;  ///< taken at one time, on all ports
  };
  const Counts& counts() const { return counts_; }

 private:
  enum class Age : std::uint8_t { current, fresh, past };
  enum class Status : std::uint8_t { none, begins, waits };
  /// A packet on its pass.
  struct View {
    Shim shim;
    Bridge bridge;
    std::uint16_t index = 0;
    unsigned port = 0;
    bool out_of_order = false;
    bool tail_seen = false;
    std::uint32_t expected = 0;  ///< the tick at which the queue is to be released
  };

  Needs found_needs() const;
  Age age_of(const PassKind auto& pass, const View& v);
  void update_phase(const PassKind auto& pass, View& v, Age age);
  bool is_empty(const PassKind auto& pass, const View& v, Status status);
  Status status_of(const PassKind auto& pass, const View& v);
  void data(PassKind auto& pass, View& v);
  void begin_reordering(PassKind auto& pass, View& v);
  void go_on_reordering(PassKind auto& pass, View& v);
  void timer(PassKind auto& pass, View& v);
  void release_late(PassKind auto& pass, const View& v, bool timed);
  void end_timer(PassKind auto& pass, const View& v);
  bool is_due(const PassKind auto& pass, std::uint16_t index);
  bool has_queue(const PassKind auto& pass, const std::optional<ReorderQueue>& queue);
  void wait_in(PassKind auto& pass, View& v, const ReorderQueue& queue);
  void copy(PassKind auto& pass, CopyType type, const Bridge& timer = {}, std::uint16_t index = 0);
  void to_control(PassKind auto& pass);
  void timer_egress(PassKind auto& pass);
  void to_nic(PassKind auto& pass);

  ConweaveConfig config_;
  // Ingress, in the order of a pass.
  dataplane::Gateway is_timer_;
  dataplane::Register<std::uint8_t> epoch_;
  std::array<RegisterAction<std::uint8_t, EnterEpoch>, 4> enter_;
  dataplane::Gateway processes_;
  dataplane::Gateway is_done_;
  dataplane::Gateway is_over_;
  FlagRegister phase_;
  FlagRegister old_seen_;
  FlagRegister tail_seen_;
  TailEstimate estimate_;
  dataplane::Register<std::uint8_t> reordering_;
  RegisterAction<std::uint8_t, BeginReordering> begin_;
  RegisterAction<std::uint8_t, EqualsCell> is_reordering_;
  RegisterAction<std::uint8_t, FillCell<emptying>> empty_;
  RegisterAction<std::uint8_t, FillCell<in_order>> end_;
  FlagRegister counts_packets_;
  dataplane::Register<std::uint32_t> queued_;
  RegisterAction<std::uint32_t, Add> add_queued_;
  RegisterAction<std::uint32_t, ReadCell> read_queued_;
  RegisterAction<std::uint32_t, FillCell<0>> clear_queued_;
  dataplane::Gateway is_empty_;
  dataplane::Gateway is_waiting_;
  ReorderQueues queues_;
  dataplane::Gateway has_queue_;
  dataplane::Register<std::uint32_t> resume_at_;
  RegisterAction<std::uint32_t, SetCell> set_resume_;
  RegisterAction<std::uint32_t, PutOff> put_off_;
  RegisterAction<std::uint32_t, IsDue> check_resume_;
  dataplane::Gateway is_due_;
  dataplane::QueueChoice choice_;
  dataplane::QueueControl control_;
  dataplane::Gateway is_copied_;
  dataplane::Mirror copy_;
  dataplane::Action write_bridge_;
  dataplane::Recirculation around_;
  // Egress.
  dataplane::Gateway is_control_copy_;
  dataplane::Action to_control_;
  dataplane::Gateway is_new_timer_;
  dataplane::Action to_timer_;
  dataplane::Gateway is_timer_out_;
  dataplane::Gateway is_counted_;
  dataplane::Register<std::uint32_t> left_;
  RegisterAction<std::uint32_t, IncrementCell> count_left_;
  RegisterAction<std::uint32_t, ReadCell> read_left_;
  RegisterAction<std::uint32_t, FillCell<0>> clear_left_;
  dataplane::Gateway is_tail_;
  dataplane::Gateway waits_for_tail_;
  dataplane::Register<std::uint8_t> tail_left_;
  RegisterAction<std::uint8_t, SetCell> set_tail_left_;
  RegisterAction<std::uint8_t, ClearIf> take_tail_left_;
  dataplane::QueueControl release_;
  dataplane::Gateway is_last_hop_;
  dataplane::Action remove_header_;
  // Statistics of the model, not state of the program.
  Counts counts_;
  std::unordered_set<std::uint16_t> released_;  ///< cells of queues that a TAIL has released
  std::unordered_set<std::uint16_t> overdue_;   ///< flows whose time was over before a packet came
  std::uint64_t taken_now_ = 0;
};

}  // namespace horae::programs::conweave
