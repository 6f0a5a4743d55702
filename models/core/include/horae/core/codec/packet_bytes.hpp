// A run's packets, which are fields, as bytes on a wire and back, for what works on bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "horae/core/codec.hpp"
#include "horae/core/packet.hpp"

namespace horae {

/// Bytes of the packet without FCS by the default AddressPlan (NIC n is 10.0.0.n+1), with a payload
/// of zeros. InputError for a packet that is no plain RoCEv2 frame by its fields: one with headers
/// of a feature, feedback, records or a trimmed payload, or of TCP.
std::vector<std::uint8_t> wire_bytes_of(const Packet& p, EncodeOptions options = {});

/// A packet as bytes say it.
struct FieldsFound {
  bool roce = false;      ///< the bytes are a RoCEv2 frame of the default AddressPlan
  bool icrc = true;       ///< its ICRC is right, or was not looked at
  Packet fields{};        ///< if it is one
  std::string complaint;  ///< why it is none
};
/// Reads the bytes (without FCS) with which `before` comes out of something that may have changed
/// them: whether an RDMA write has a RETH of its own is as before.
FieldsFound fields_of(std::span<const std::uint8_t> bytes, const Packet& before, bool check_icrc);

/// Takes the fields of a packet from the wire; its history and place stay.
void take_fields(Packet& p, const Packet& from);

}  // namespace horae
