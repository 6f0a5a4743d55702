// Records what the trace of a run shows.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "horae/views/trace_record.hpp"
#include "horae/views/view_filter.hpp"
#include "horae/views/watcher.hpp"

namespace horae::elaboration {
class Simulation;
}

namespace horae::views {

/// Memory is bounded by `most`: the events that the file will have at most (metadata apart). When
/// there are as many, nothing more is recorded. What lasts takes its room when it begins.
/// `host_accesses`: those of NICs to host memory are recorded too.
class TraceRecorder final : public Watcher {
 public:
  TraceRecorder(const ViewFilter& filter, const elaboration::Simulation& simulation,
                std::uint64_t most, bool host_accesses);

  void arrived(const fabric::device& d, unsigned port, const Packet& p, Picoseconds at,
               Picoseconds ready) override;
  void queued(const fabric::device& d, unsigned port, unsigned queue, const Packet& p,
              Picoseconds at) override;
  void sent(const fabric::device& d, unsigned port, const Packet& p, Picoseconds start,
            Picoseconds first_bit, Picoseconds last_bit) override;
  void dropped(const fabric::device& d, const Packet& p, fabric::DropCause cause,
               Picoseconds at) override;
  void paused(const fabric::device& d, unsigned port, unsigned traffic_class, bool pause,
              Picoseconds at) override;
  void passed(const tofino::tofino_switch& chip, const dataplane::Pass& pass, Picoseconds entered,
              Picoseconds deparsed) override;
  void mirrored(const tofino::tofino_switch& chip, const Packet& original, const Packet& copy,
                Picoseconds at) override;
  void looped(const tofino::tofino_switch& chip, unsigned pipeline, const Packet& p,
              Picoseconds queued, Picoseconds start, Picoseconds last_bit) override;
  void posted(const rnic::rnic& nic, std::size_t qp, std::uint64_t first, std::uint64_t count,
              Picoseconds at) override;
  void completed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first, std::uint64_t count,
                 Picoseconds at) override;
  void failed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first, std::uint64_t count,
              Picoseconds at) override;
  void wrote(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages, Picoseconds began,
             Picoseconds at) override;
  void engine_worked(const rnic::rnic& nic, std::size_t qp, rnic::EngineWork work, const Packet& p,
                     Picoseconds began, Picoseconds done) override;
  void cqe_written(const rnic::rnic& nic, std::size_t qp, std::uint32_t messages,
                   Picoseconds written, Picoseconds visible, Picoseconds found) override;
  void rang(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages, Picoseconds at) override;
  void wqes_came(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages,
                 Picoseconds at) override;
  void payload_read(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds asked,
                    Picoseconds ready) override;
  void placed(const rnic::rnic& nic, std::size_t qp, const Packet& p, Picoseconds decided,
              Picoseconds in_memory) override;
  void nack_decided(const rnic::rnic& nic, std::size_t qp, const Packet& cause, Psn expected,
                    Picoseconds at) override;
  void nack_served(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds start,
                   Picoseconds end, bool resend) override;
  void nack_put_off(const rnic::rnic& nic, std::size_t qp, Psn psn, std::string_view why,
                    Picoseconds at) override;
  void timed_out(const rnic::rnic& nic, std::size_t qp, Psn oldest, Picoseconds at) override;

  /// The run is over: closes what is open.
  void finish(Picoseconds end);
  const TraceRecord& record() const { return record_; }

 private:
  /// Acknowledgements and PSNs to be sent again that are remembered of a flow: more than a window
  /// of them are never of use.
  static constexpr std::size_t remembered = 4096;
  /// Events of a wait in the file, at most: a slice and a flow event.
  static constexpr unsigned events_of_wait = 2;

  /// In a queue; there is room for it in the record.
  struct Wait {
    Picoseconds since;
    std::uint32_t device;
    std::uint16_t port;
    std::uint8_t queue;
  };
  /// A packet in a device or on a wire, by its place in memory.
  struct Live {
    std::uint64_t id;
    bool wanted;
    std::uint32_t index;  ///< in the record; none: no step is recorded yet
    std::optional<Wait> wait;
  };
  /// An acknowledgement that arrived at its sender.
  struct AckInfo {
    Picoseconds at;
    Psn before;  ///< everything before is acknowledged
    std::uint32_t packet;
  };
  /// State of a flow.
  struct FlowState {
    std::deque<AckInfo> acks;  ///< NACKs among them
    std::deque<AckInfo> nacks;
    std::deque<std::uint32_t> nack_causes;           ///< decided, not sent yet
    std::map<std::uint32_t, std::uint32_t> resends;  ///< PSNs to be sent again, and their services
    std::map<std::uint64_t, Psn> message_ends;       ///< of posted messages: last PSN sent
  };

  std::uint32_t device_of(const fabric::device& d) const { return devices_.at(&d); }
  /// A packet's first appearance at its maker.
  Live& born(const Packet& p);
  Live& live(const Packet& p);
  /// The packet's number in the record, or none if the step is not to be recorded.
  std::uint32_t take(const Packet& p, Picoseconds from, Picoseconds to, unsigned events);
  /// Takes room for what begins at `at`. The record that was full once stays full, so that all that
  /// begins before `full_at` is there.
  bool room(unsigned events, Picoseconds at);
  void give_back(unsigned events) { record_.kept_events -= events; }
  /// Whether what belongs to the flow's packets is of use.
  bool follows(std::size_t flow) const { return !full_ && filter_.wants_flow(flow); }
  /// Records a span of a queue pair that sends or receives a wanted flow.
  void span(const rnic::rnic& nic, std::size_t qp, TraceRecord::SpanKind kind, std::uint32_t number,
            Picoseconds from, Picoseconds to);
  /// Its wait ends, if it is in a queue.
  void leave_queue(const Packet& p, Picoseconds at);
  void add_info(Live& l, const Packet& p);
  void data_sent(TraceRecord::PacketInfo& info, const Packet& p);
  void step(TraceRecord::Step s, const Packet& p, Picoseconds from, Picoseconds to,
            unsigned events);
  /// The flow whose sender (or receiver) the queue pair is; none: neither.
  std::uint32_t flow_at(const rnic::rnic& nic, std::size_t qp) const;

  const ViewFilter& filter_;
  const elaboration::Simulation& simulation_;
  std::uint64_t most_;
  bool host_accesses_;
  bool full_ = false;
  TraceRecord record_;
  std::unordered_map<const void*, std::uint32_t> devices_;
  std::unordered_map<const Packet*, Live> live_;
  std::vector<FlowState> flows_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, TraceRecord::Message> open_;  ///< messages
  std::map<std::tuple<std::uint32_t, unsigned, unsigned>, Picoseconds> paused_since_;
  /// Doorbells whose WQEs have not come, by NIC and queue pair: messages told of, and when.
  std::map<std::pair<std::uint32_t, std::size_t>, std::deque<std::pair<std::uint64_t, Picoseconds>>>
      rung_;
};

}  // namespace horae::views
