// WQEs and CQEs as bytes in host memory. No SystemC.
#pragma once

#include <array>
#include <cstdint>

#include "horae/core/psn.hpp"
#include "horae/core/verb.hpp"

namespace horae::rnic {

/// A queue entry. Numbers are big-endian; bytes that no field names are zero.
using QueueEntry = std::array<unsigned char, 64>;

/// WQE of an RDMA WRITE or READ. The order of its parts is that of a ConnectX's send WQE (control,
/// remote address and data segments of 16 bytes each: rdma-core, providers/mlx5/mlx5dv.h); what is
/// in them is ours.
struct RdmaWqe {
  std::uint32_t message = 0;         ///< bytes 0 to 2: its number from 0, modulo 2^24
  Verb verb = Verb::write;           ///< byte 3: 0x08, RDMA WRITE, or 0x10, RDMA READ
  Qpn qp;                            ///< bytes 4 to 6 (byte 7: 3, segments)
  std::uint64_t remote_address = 0;  ///< bytes 16 to 23: in the peer's buffer, from 0
  std::uint32_t remote_key = 0;      ///< bytes 24 to 27
  std::uint32_t length = 0;          ///< bytes 32 to 35: bytes
  std::uint32_t local_key = 0;       ///< bytes 36 to 39
  std::uint64_t local_address = 0;   ///< bytes 40 to 47: of host memory, before the address map

  QueueEntry bytes() const;
};

/// CQE of a queue pair.
struct SendCqe {
  Qpn qp;                     ///< bytes 0 to 2
  std::uint32_t message = 0;  ///< bytes 4 to 6: number of the last message that it tells of
  bool error = false;         ///< byte 8: 1

  QueueEntry bytes() const;
};

/// The key of the buffers that a queue pair's messages are written to and read from.
constexpr std::uint32_t key_of(Qpn qp) { return qp.value() << 8 | 1; }

}  // namespace horae::rnic
