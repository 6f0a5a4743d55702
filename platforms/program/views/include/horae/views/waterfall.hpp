// The waterfall of messages: where the time from posting to completion goes.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "horae/views/view_filter.hpp"
#include "horae/views/watcher.hpp"

namespace horae::elaboration {
class Simulation;
}

namespace horae::views {

/// Parts of a message's time, one behind the other; of a message of several packets those of its
/// last one, when it arrived. A part that does not happen (no host, say) takes none.
enum class Stage : std::uint8_t {
  posting,      ///< until the host has written its WQE and rings; waiting: other WQEs
  doorbell,     ///< until the doorbell is on the NIC
  wqe,          ///< until its WQE is on the NIC
  payload,      ///< until its payload is on the NIC; waiting: until the read is issued
  context,      ///< until contexts and translations are on the NIC
  schedule,     ///< until the packet is chosen: other packets, windows, rates, units of the engine
  engine,       ///< while a unit works on it, until its first bit is on the wire at the latest
  tx_pipe,      ///< until its first bit is on the wire
  wire,         ///< until its last bit is
  network,      ///< until its last bit is at the receiver; waiting: in queues of switches
  rx_pipe,      ///< its receive latency
  rx_engine,    ///< until a unit of its engine has worked on it; waiting: until it begins
  decision,     ///< until the receiver decides: contexts, an ordering engine
  ack,          ///< until the ACK that covers it is chosen; waiting: beyond the ACK's own delay
  ack_network,  ///< until that ACK's last bit is at the sender, as tx_pipe, wire and network
  ack_pipe,     ///< the sender's receive latency
  ack_engine,   ///< as rx_engine, of the acknowledgement
  completion,   ///< until its CQE is written or, without CQEs, the message is completed
  cqe,          ///< until its CQE is in the host's memory
  polling,      ///< until the host has found it; waiting: until it looks
  count_
};
inline constexpr std::size_t stages = static_cast<std::size_t>(Stage::count_);
std::string_view name_of(Stage stage);

/// Builds waterfalls of the messages that complete in the time asked for. What it keeps is bounded
/// by `most` messages; those that complete later are left out.
class WaterfallRecorder final : public Watcher {
 public:
  WaterfallRecorder(const ViewFilter& filter, const elaboration::Simulation& simulation,
                    std::uint64_t most);

  /// Times of one message.
  struct Message {
    std::uint32_t flow = 0;
    std::uint64_t ordinal = 0;
    Picoseconds posted{}, completed{};
    std::array<Picoseconds, stages> time{};     ///< of each stage; together completed - posted
    std::array<Picoseconds, stages> waiting{};  ///< the part of it that is no service
    Picoseconds write{};  ///< beside: from the receiver's decision until the payload is in memory
  };
  const std::vector<Message>& messages() const { return messages_; }
  /// From when on messages are left out; `never`: none is.
  Picoseconds full_at() const { return full_at_; }

  /// Mean and 99th percentile of each stage, waiting apart from service.
  nlohmann::ordered_json to_json() const;
  /// The same as lines of a table.
  std::string text() const;
  /// A line for each message, in picoseconds.
  void write_csv(std::ostream& out) const;

  void posted(const rnic::rnic& nic, std::size_t qp, std::uint64_t first, std::uint64_t count,
              Picoseconds at) override;
  void wrote(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages, Picoseconds began,
             Picoseconds at) override;
  void rang(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages, Picoseconds at) override;
  void wqes_came(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages,
                 Picoseconds at) override;
  void payload_read(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds asked,
                    Picoseconds ready) override;
  void chosen(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds context_ready,
              Picoseconds at) override;
  void engine_worked(const rnic::rnic& nic, std::size_t qp, rnic::EngineWork work, const Packet& p,
                     Picoseconds began, Picoseconds done) override;
  void cqe_written(const rnic::rnic& nic, std::size_t qp, std::uint32_t messages,
                   Picoseconds written, Picoseconds visible, Picoseconds found) override;
  void placed(const rnic::rnic& nic, std::size_t qp, const Packet& p, Picoseconds decided,
              Picoseconds in_memory) override;
  void completed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first, std::uint64_t count,
                 Picoseconds at) override;
  void failed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first, std::uint64_t count,
              Picoseconds at) override;
  void arrived(const fabric::device& d, unsigned port, const Packet& p, Picoseconds at,
               Picoseconds ready) override;
  void sent(const fabric::device& d, unsigned port, const Packet& p, Picoseconds start,
            Picoseconds first_bit, Picoseconds last_bit) override;
  void dropped(const fabric::device& d, const Packet& p, fabric::DropCause cause,
               Picoseconds at) override;

 private:
  /// A packet's way; negative: not yet.
  struct Way {
    Picoseconds start{-1}, first_bit{-1}, last_bit{-1};
    Picoseconds waited{};                ///< in switches
    Picoseconds ready{-1};               ///< at the last device
    Picoseconds arrived{-1}, taken{-1};  ///< at its end: last bit, and the device's turn
    Picoseconds began{-1}, done{-1};     ///< a unit of the engine there
  };
  /// A message that is posted and not completed.
  struct Open {
    Picoseconds posted{};
    Picoseconds written{-1}, rang{-1}, wqe{-1}, asked{-1}, payload{-1}, context{-1};
    Picoseconds engine{-1};  ///< until then a unit worked on its last packet, at the sender
    Way data{};
    Picoseconds decided{-1}, in_memory{-1};
    Picoseconds cqe{-1}, visible{-1};  ///< its CQE: written, in the host's memory
    std::optional<Psn> last{};         ///< PSN of its last packet, once that was sent
  };
  struct Ack {
    Psn before;  ///< everything before is acknowledged
    Way way;
  };
  struct FlowState {
    std::deque<Open> open;  ///< from message `first` on
    std::uint64_t first = 0;
    std::uint64_t told = 0;  ///< messages that have a CQE
    std::deque<Ack> acks;    ///< that arrived at the sender
    std::map<std::uint32_t, std::pair<Picoseconds, Picoseconds>> reads;  ///< by PSN
    Open* find(std::uint64_t ordinal) {
      return ordinal >= first && ordinal - first < open.size() ? &open[ordinal - first] : nullptr;
    }
  };
  /// A packet between its sender and its receiver.
  struct Live {
    std::uint32_t flow;
    bool reply;
    std::uint64_t ordinal;  ///< of its message
    Way way;
  };

  /// The flow that the queue pair sends.
  FlowState* sender_flow(const rnic::rnic& nic, std::size_t qp);
  Message build(const FlowState& flow, const Open& open, std::uint32_t number,
                std::uint64_t ordinal, Picoseconds at);
  void end(FlowState& flow, std::uint32_t number, std::uint64_t ordinal, Picoseconds at, bool keep);

  const ViewFilter& filter_;
  const elaboration::Simulation& simulation_;
  std::uint64_t most_;
  Picoseconds full_at_ = never;
  std::vector<FlowState> flows_;
  std::vector<std::vector<std::uint32_t>> sent_by_;  ///< by NIC and queue pair: the flow it sends
  std::unordered_map<const Packet*, Live> live_;
  std::vector<Message> messages_;
};

}  // namespace horae::views
