// A run's packets, which are fields, as bytes on a wire and back: for chips and blocks that work on
// bytes, for NICs whose payload has contents, and for captures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "horae/core/codec.hpp"
#include "horae/core/frame_bytes.hpp"
#include "horae/core/packet.hpp"
#include "horae/core/telemetry.hpp"

namespace horae {

/// Parts of a packet beside its fields, where NICs have contents.
struct PacketContents {
  std::optional<Reth> reth{};
  std::vector<std::uint8_t> payload{};
};

/// A packet of the simulator as bytes from the destination MAC to the ICRC, and its length on the
/// wire without FCS. IPv4, default AddressPlan (NIC n is 10.0.0.n+1) but for the `codes` of
/// classes, payload of zeros (core `frame_of`). A frame that is longer than its headers and
/// payload, by what an ordering layer, an IRN NACK or a switch program adds, has these bytes before
/// its payload, the first four of them `Packet::msn`, or of an acknowledgement the PSN that
/// arrived; one that was cut has fewer bytes than its length. Reserved bits of the BTH are those of
/// `Packet::bth_reserved`.
///
/// With the `feedback` of a packet that has room for it, an acknowledgement has its selective
/// report there (core `SelectiveReport`), then zeros for times and telemetry, and BECN if the data
/// that caused it had CE. The entropy that it echoes is its UDP source port. With `contents` the
/// payload and the RETH are theirs.
struct EncodedPacket {
  std::vector<std::uint8_t> bytes;
  std::uint32_t length;
};
EncodedPacket encode_packet(const Packet& p, const Feedback* feedback = nullptr,
                            const PacketContents* contents = nullptr, EncodeOptions options = {},
                            const ClassCodes& codes = {});

/// The bytes of encode_packet(), for what works on them. InputError for a packet that is no plain
/// RoCEv2 frame by its fields: one with headers of a feature, feedback, records or a trimmed
/// payload, or of TCP.
std::vector<std::uint8_t> wire_bytes_of(const Packet& p, const PacketContents* contents = nullptr,
                                        EncodeOptions options = {}, const ClassCodes& codes = {});

/// A packet as bytes say it.
struct FieldsFound {
  bool roce = false;          ///< the bytes are a RoCEv2 frame of the default AddressPlan
  bool icrc = true;           ///< its ICRC is right, or was not looked at
  Packet fields{};            ///< if it is one
  PacketContents contents{};  ///< likewise
  std::string complaint;      ///< why it is none
};
/// Reads the bytes (without FCS) with which `before` comes out of something that may have changed
/// them: whether an RDMA write has a RETH of its own is as before, and so is its class, as long as
/// the DSCP is one of that class.
FieldsFound fields_of(std::span<const std::uint8_t> bytes, const Packet& before, bool check_icrc,
                      const ClassCodes& codes = {});

/// Takes the fields of a packet from the wire; its history and place stay.
void take_fields(Packet& p, const Packet& from);

/// Marks congestion in the IP header of a frame, if it has one that is capable of it and not marked
/// yet. RFC 3168, 5; the checksum of IPv4 is changed with it (RFC 1624).
void mark_congestion(std::span<std::uint8_t> bytes);

/// The bytes of a simulation's packets: one object for all of its devices. What works on bytes asks
/// for those of a packet that comes to it, and says with which ones it leaves; plain switches and
/// NICs go by the fields. What fields do not hold is kept here in between: contents of NICs, IP
/// time to live, addresses of Ethernet, headers of a program's own.
class WireBytes {
 public:
  /// NICs have contents: every frame has its payload, and its ICRC, which is checked.
  void have_contents() { contents_ = icrc_ = true; }
  /// Frames have their ICRC, and one that is wrong makes a packet corrupted; else it is zero, as it
  /// costs time. For what checks it.
  void have_icrc() { icrc_ = true; }
  bool contents() const { return contents_; }
  /// Codes of classes in all frames; before the simulation starts.
  void use(const ClassCodes& codes) { codes_ = codes; }
  const ClassCodes& codes() const { return codes_; }

  /// Contents of a packet that is made: empty.
  PacketContents& make(const Packet& p);
  /// Null for a packet that has none, as a copy of another one.
  const PacketContents* find(const Packet& p) const;

  /// The bytes, without FCS, with which `p` comes: those with which it left the last time, with a
  /// congestion mark that it got since, or those of its fields and contents. InputError for a
  /// packet that is no plain RoCEv2 frame by its fields. A packet that a link has corrupted has a
  /// wrong last byte (of the ICRC, or of Ethernet's padding), if there is an ICRC.
  void arrive(const Packet& p, FrameBytes& bytes) const;
  /// `p`, which arrive() was asked for, leaves as `bytes` (without FCS): its fields and contents
  /// become what they say. Bytes that are not RoCEv2 leave the fields as they are, but for the
  /// destination where there is an IPv4 header, and an end point finds the packet corrupted, as its
  /// ICRC is not where a NIC looks for it; so it does with a wrong ICRC. Bytes of a later one may
  /// mend that. A mark of a chip's queues (p.ecn) is put into them first. Whether the bytes are
  /// RoCEv2.
  bool leave(Packet& p, FrameBytes& bytes);

  /// Puts what is kept of a packet behind `out`, for another process of the run: nothing if it goes
  /// by its fields.
  void hand_over(const Packet& p, std::vector<std::byte>& out) const;
  /// Keeps of `p`, the packet's copy in this process, what hand_over() put there.
  void take_over(const Packet& p, std::span<const std::byte> from);

 private:
  /// Found by the packet's address, which the pool gives to others when it has ended: the id tells.
  struct Carried {
    std::uint64_t id = 0;
    std::optional<PacketContents> contents{};
    bool unreadable = false;  ///< the packet is corrupted for what its bytes are alone
    std::size_t length = 0;   ///< of the frame, the rest of which is zeros; 0: none left yet
    std::vector<std::uint8_t> bytes;  ///< up to the last one that is not zero
  };
  const Carried* carried(const Packet& p) const;
  Carried& carry(const Packet& p);
  /// Whether a link has corrupted it, which its bytes show.
  bool shows_damage(const Packet& p, const Carried* c) const {
    return icrc_ && p.corrupted && (c == nullptr || !c->unreadable);
  }

  bool contents_ = false;
  bool icrc_ = false;
  ClassCodes codes_{};
  std::unordered_map<const Packet*, Carried> carried_;
};

}  // namespace horae
