// One packet's trip through one gress of one pipeline, as a program sees it.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "horae/core/packet.hpp"
#include "horae/core/telemetry.hpp"
#include "horae/core/units.hpp"

namespace horae::dataplane {

enum class Gress : std::uint8_t { ingress, egress };
constexpr std::string_view gress_name(Gress gress) {
  return gress == Gress::ingress ? "ingress" : "egress";
}

/// Which gress of which pipeline.
struct PipelineId {
  unsigned pipeline = 0;
  Gress gress = Gress::ingress;
  bool operator==(const PipelineId&) const = default;
  /// Both as one number.
  constexpr std::uint64_t number() const {
    return std::uint64_t{pipeline} << 1 | static_cast<std::uint64_t>(gress);
  }
};

/// Fate of the packet after the pass.
enum class Verdict : std::uint8_t { undecided, forward, drop, recirculate, resubmit, multicast };

/// Header that the deparser puts before a mirrored copy (Tofino at most 32, Tofino2 at most 48
/// bytes).
using MirrorHeader = std::array<std::uint32_t, 4>;

/// As an egress port: the loopback port of the pass's pipeline.
inline constexpr unsigned loopback_port = 0xffff;

/// A copy of the packet, as it leaves this pass, to be sent on its own.
struct MirrorRequest {
  /// From ingress also `loopback_port`: it recirculates through that port's egress, and enters
  /// ingress with the metadata it has then.
  unsigned egress_port = 0;
  std::uint8_t type = 0;       ///< not zero: what the copy's `mirror_type` will be
  std::uint16_t metadata = 0;  ///< the copy's `metadata`
  MirrorHeader header{};
  std::uint16_t length = 0;  ///< bytes of the copy, if it is to be cut; 0: all
  /// Class whose queue the copy waits in (`mirror_qid` of tofino2_base.p4); none: the packet's.
  std::optional<std::uint8_t> traffic_class = {};
};

/// Header of a packet that the packet generator made (the chip puts it before the packet).
struct GeneratedHeader {
  std::uint8_t app = 0;       ///< PacketGenerator::app
  std::uint16_t batch = 0;    ///< number of the batch of its trigger, from 0
  std::uint16_t packet = 0;   ///< number in its batch
  std::uint16_t trigger = 0;  ///< port that went down, or metadata of the packet that came around
};

/// Request to a queue of an egress port.
struct QueueRequest {
  enum Action : std::uint8_t { none, hold, release };
  Action action = none;
  std::uint8_t queue = 0;
  std::uint16_t port = 0;
};

/// The parsed header view and metadata of one pass, and what the pass asks for. It is a Pass or a
/// TrustedPass.
class AnyPass {
 public:
  /// Header fields; a program may rewrite them.
  Packet& header() { return packet_; }
  const Packet& header() const { return packet_; }
  PipelineId where() const { return where_; }
  /// Number of this pass: unique in a chip, growing in the order in which packets enter the
  /// pipeline.
  std::uint64_t serial() const { return serial_; }
  /// Port the packet came in by; of a recirculated packet still that (on the chip a program that
  /// needs it carries it along, for intrinsic metadata names the loopback port then).
  unsigned ingress_port() const { return ingress_port_; }
  /// Time the packet enters the ingress pipeline, or leaves its queue for egress.
  Picoseconds now() const { return now_; }

  void forward(unsigned egress_port) {
    verdict_ = Verdict::forward;
    egress_port_ = egress_port;
  }
  void drop() { verdict_ = Verdict::drop; }
  /// For the Recirculation object: around again, through the pipeline's loopback port.
  void recirculate() { recirculate(where_.pipeline); }
  /// Likewise, through the loopback port of `pipeline` and into its ingress.
  void recirculate(unsigned pipeline) {
    verdict_ = Verdict::recirculate;
    loopback_pipeline_ = pipeline;
  }
  /// Where it re-enters ingress, after recirculate().
  unsigned loopback_pipeline() const { return loopback_pipeline_; }
  /// Which of that pipeline's loopback ports it takes, if it has several.
  void loop_by(unsigned port) { loopback_ = static_cast<std::uint8_t>(port); }
  unsigned loopback() const { return loopback_; }
  /// With either: on its way it passes the egress of that port.
  void recirculate_through_egress() {
    recirculate();
    through_egress_ = true;
  }
  bool through_egress() const { return through_egress_; }
  /// For the Resubmit object: into ingress again, as it came in, with its metadata.
  void resubmit() { verdict_ = Verdict::resubmit; }
  /// Whether this pass is of a packet that was resubmitted.
  bool resubmitted() const { return resubmitted_; }
  /// For the Multicast object: a copy to every port of a group (Program::replicas), none besides.
  void multicast(unsigned group) {
    verdict_ = Verdict::multicast;
    egress_port_ = group;
  }
  /// The group, after multicast().
  unsigned group() const { return egress_port_; }
  /// Header of a packet that the packet generator made; null: it came from outside.
  const GeneratedHeader* generated() const {
    return where_.gress == Gress::ingress ? brings_.generated : nullptr;
  }
  /// For the device, before an ingress pass.
  void comes_again() { resubmitted_ = true; }
  void comes_from(const GeneratedHeader& header) { brings_.generated = &header; }
  /// For the Mirror object: a copy as well.
  void mirror(const MirrorRequest& request) {
    mirror_ = request;
    asks_ = true;
  }
  const std::optional<MirrorRequest>& mirror_request() const { return mirror_; }
  /// For the QueueChoice object: a queue of the egress port other than that of the packet's class.
  void enqueue_in(unsigned queue) { queue_ = static_cast<std::uint8_t>(queue); }
  unsigned queue() const { return queue_; }
  /// For the QueueControl object.
  void control_queue(const QueueRequest& request) {
    queue_request_ = request;
    asks_ = true;
  }
  const QueueRequest& queue_request() const { return queue_request_; }
  /// Whether there is a mirror_request() or a queue_request().
  bool asks() const { return asks_; }
  /// The header that was put before a mirrored copy.
  const MirrorHeader& mirror_header() const { return mirror_header_; }
  void set_mirror_header(const MirrorHeader& header) { mirror_header_ = header; }
  Verdict verdict() const { return verdict_; }
  /// Where it was told to go; in egress, the port it leaves by.
  unsigned egress_port() const { return egress_port_; }
  /// For the device, before an egress pass.
  void leaves_by(unsigned port) { egress_port_ = port; }

  /// In egress: the telemetry header of the packet; null: it has none.
  Feedback* telemetry() const {
    return where_.gress == Gress::egress ? brings_.telemetry : nullptr;
  }
  /// With that: cells of the bytes that the packet left behind in its queue (deq_qdepth of
  /// tofino2_base.p4; there each packet's last cell counts whole).
  std::uint32_t cells_behind() const { return cells_behind_; }
  /// For the device, before an egress pass of a packet that has one.
  void carries(Feedback& telemetry, std::uint32_t cells) {
    brings_.telemetry = &telemetry;
    cells_behind_ = cells;
  }

  /// "pass 12 (packet 0x10000000003, ingress of pipeline 0)", for messages.
  std::string describe() const;

 protected:
  AnyPass(Packet& packet, PipelineId where, std::uint64_t serial, unsigned ingress_port,
          Picoseconds now)
      : packet_(packet), where_(where), serial_(serial), now_(now), ingress_port_(ingress_port) {}
  ~AnyPass() = default;

 private:
  Packet& packet_;
  PipelineId where_;
  std::uint64_t serial_;
  Picoseconds now_;
  unsigned ingress_port_;
  unsigned egress_port_ = 0;
  unsigned loopback_pipeline_ = 0;
  std::uint32_t cells_behind_ = 0;
  Verdict verdict_ = Verdict::undecided;
  bool through_egress_ = false;
  bool resubmitted_ = false;
  bool asks_ = false;
  std::uint8_t loopback_ = 0;
  std::uint8_t queue_ = 0;
  QueueRequest queue_request_{};
  union {
    Feedback* telemetry = nullptr;     ///< in egress
    const GeneratedHeader* generated;  ///< in ingress
  } brings_;
  MirrorHeader mirror_header_{};
  std::optional<MirrorRequest> mirror_;
};

/// A pass in which objects refuse what their rules forbid.
class Pass final : public AnyPass {
 public:
  Pass(Packet& packet, PipelineId where, std::uint64_t serial, unsigned ingress_port,
       Picoseconds now)
      : AnyPass(packet, where, serial, ingress_port, now), owner_(where.number()) {}

 private:
  friend class Object;
  friend class Gateway;
  std::uint64_t owner_;  ///< where() as a number, for the check of every access
  /// Results of gateways in this pass, for the objects that they guard: `GuardBits`.
  mutable std::uint64_t found_ = 1;
};

/// A pass of a program that keeps the rules: what breaks none of them does the same in it in less
/// time. Objects look at no rule and do not remember that they were used.
class TrustedPass final : public AnyPass {
 public:
  TrustedPass(Packet& packet, PipelineId where, std::uint64_t serial, unsigned ingress_port,
              Picoseconds now)
      : AnyPass(packet, where, serial, ingress_port, now) {}
};

/// A pass of either kind. A program that keeps the rules is written over it, once for both.
template <class P>
concept PassKind = std::derived_from<P, AnyPass>;
template <class P>
inline constexpr bool is_trusted = std::same_as<std::remove_cvref_t<P>, TrustedPass>;

}  // namespace horae::dataplane
