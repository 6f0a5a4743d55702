// Events of a run for its trace: packets' steps, messages, NACKs, pauses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/fabric/packet_pool.hpp"

namespace horae::views {

struct TraceRecord {
  static constexpr std::uint32_t none = 0xffffffffu;

  enum class DeviceKind : std::uint8_t { nic, host, plain, tofino };
  struct Device {
    std::string name;
    DeviceKind kind;
    std::size_t queue_pairs = 0;  ///< of a NIC
  };
  struct Flow {
    std::uint32_t sender, receiver;        ///< devices
    std::uint32_t sender_qp, receiver_qp;  ///< queue pairs from 0
  };
  /// As it was when its first step was recorded.
  struct PacketInfo {
    std::uint64_t id;
    std::uint64_t message;  ///< of its flow, if it is data of a NIC
    std::uint32_t flow;     ///< none: of an open-loop host
    NodeId src, dst;
    std::uint32_t dest_qp, psn;
    std::uint32_t original;    ///< of a mirrored copy: the packet it is a copy of
    Picoseconds copied;        ///< when
    std::uint32_t nack_cause;  ///< of a NACK: the packet whose arrival made the receiver send it
    std::uint32_t service;     ///< of a retransmission: the service that asked for it
    std::uint16_t payload, frame;
    Opcode opcode;
    std::uint8_t syndrome;
    bool reply, retransmission, copy;
  };
  enum class StepKind : std::uint8_t {
    sent,     ///< a: chosen, b: first bit, c: last bit
    arrived,  ///< a: last bit, b: handled
    queued,   ///< a: since then, b: left, or the end of the run
    ingress,  ///< a: entered, b: deparsed; port: the pipeline
    egress,   ///< likewise
    looped,   ///< a: waits since then, b: first bit, c: last bit; port: the pipeline
    dropped,  ///< a: then; extra: the cause
  };
  struct Step {
    Picoseconds a, b, c;
    std::uint32_t packet;
    std::uint32_t device;
    std::uint16_t port;
    StepKind kind;
    std::uint8_t extra;  ///< of queued: the queue
  };
  struct Message {
    std::uint64_t ordinal;
    std::int64_t bytes;
    Picoseconds posted, completed;  ///< never: not completed
    std::uint32_t flow;
    std::uint32_t acknowledged_by;  ///< packet; none: not recorded
  };
  struct Service {
    Picoseconds start, end;
    std::uint32_t device, qp, psn;
    std::uint32_t nack;  ///< packet; none: not recorded
    bool resend;
  };
  /// Something of a queue pair that has no duration.
  struct Moment {
    Picoseconds at;
    std::uint32_t device, qp, psn;
    std::string what;
  };
  enum class SpanKind : std::uint8_t {
    posting,    ///< a thread of the host works on WQEs, or rings
    engine,     ///< a unit of the packet engine works on a packet that is sent
    rx_engine,  ///< on one that was received
    polling,    ///< the host finds a CQE that is in its memory
    // Accesses of a NIC to host memory, recorded for transactions alone:
    wqe_read,       ///< from the doorbell at the NIC until WQEs are there
    payload_read,   ///< of a packet that is sent
    payload_write,  ///< of a packet that was received, from the decision on
    cqe_write,
  };
  /// A block of a NIC or of its host works for a queue pair.
  struct Span {
    Picoseconds from, to;
    std::uint32_t device, qp;
    std::uint32_t number;  ///< PSN of the packet; of polling, wqe_read and
                           ///< cqe_write: messages; of posting: 1 if it rings
    SpanKind kind;
  };
  struct Pause {
    Picoseconds from, to;
    std::uint32_t device;
    std::uint16_t port;
    std::uint8_t traffic_class;
  };

  std::vector<Device> devices;
  std::vector<Flow> flows;
  std::vector<std::string> nodes;  ///< names by NodeId
  std::vector<PacketInfo> packets;
  std::vector<Step> steps;  ///< those of one packet in their order
  std::vector<Message> messages;
  std::vector<Service> services;
  std::vector<Moment> moments;
  std::vector<Pause> pauses;
  std::vector<Span> spans;
  Picoseconds end{};              ///< of the run
  Picoseconds full_at = never;    ///< the record was full: of what begins from then on parts miss
  std::uint64_t kept_events = 0;  ///< as the limit counts them
};

}  // namespace horae::views
