// Parameters of what the host does for a message: it posts WQEs, and learns of completions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::rnic {

/// How the NIC comes by a WQE.
enum class PostMethod {
  doorbell,   ///< the host rings, and the NIC reads WQEs from memory
  blue_flame  ///< the host writes the WQEs themselves to the NIC
};

/// Who rings.
enum class Ringer {
  poster,  ///< the thread that wrote the WQEs
  proxy,   ///< one other thread of the host, for all that post
};

/// How WQEs are written and told of. Without it posting takes the host no time, a doorbell tells of
/// all that is posted at one time, and no payload is inline.
struct PostConfig {
  std::uint32_t threads = 1;  ///< that post; queue pair n is posted by thread n modulo `threads`
  Picoseconds wqe{};          ///< of a thread, for a WQE
  std::uint32_t lanes = 1;    ///< WQEs of a doorbell that a thread writes at the same time
  Picoseconds shared{};       ///< of all threads together, for a WQE
  Picoseconds doorbell{};     ///< of a thread, for a doorbell
  std::uint32_t batch = 1;    ///< WQEs that one doorbell tells of, at most
  PostMethod method = PostMethod::doorbell;
  Bytes inline_most = 0_B;   ///< payload up to this lies in the WQE; zero: none
  std::uint32_t sges = 1;    ///< buffers that payload is gathered from, of equal lengths
  Bytes header = 36_B;       ///< of a WQE before inline payload, its length included
  Bytes block = 64_B;        ///< WQEs are whole blocks
  Picoseconds queue_read{};  ///< a read of WQEs takes so much longer than one of payload
  Ringer ringer = Ringer::poster;
  Picoseconds proxy{};  ///< the proxy's time for a doorbell

  /// Whether a message of so many bytes lies in its WQE.
  bool in_wqe(std::int64_t payload) const { return payload > 0 && payload <= inline_most.count(); }
  /// Buffers that a message of so many bytes is gathered from; none of them is empty.
  std::int64_t buffers(std::int64_t payload) const {
    return std::clamp<std::int64_t>(payload, 1, sges);
  }
  /// Bytes of the WQE of a message: the header and its payload, or where that lies (16 bytes for
  /// each buffer, in the place of the 4 of an inline length).
  /// `more`: bytes of its header beside those of a WRITE (QueuePair::wqe_more()).
  std::int64_t wqe_bytes(std::int64_t payload, Bytes more = Bytes(0)) const {
    constexpr std::int64_t inline_length = 4, data_segment = 16;  // rdma-core mlx5dv.h
    const std::int64_t used =
        more.count() + (in_wqe(payload)
                            ? header.count() + payload
                            : header.count() - inline_length + data_segment * buffers(payload));
    return (used + block.count() - 1) / block.count() * block.count();
  }
  /// Calls `piece(buffer, offset in it, bytes)` for the parts of a message's buffers that its
  /// `bytes` bytes from `offset` on lie in, in order.
  template <class Piece>
  void gather(std::int64_t message, std::int64_t offset, std::int64_t bytes, Piece&& piece) const {
    const std::int64_t n = buffers(message), end = offset + bytes;
    for (std::int64_t k = ((offset + 1) * n - 1) / message; offset < end; ++k) {
      const std::int64_t first = k * message / n;
      const std::int64_t stop = std::min(end, (k + 1) * message / n);
      piece(k, offset - first, stop - offset);
      offset = stop;
    }
  }

  static const Schema<PostConfig>& schema();
};

/// How the host learns of completions. Without it a message is complete when its acknowledgement
/// takes effect, and the CQE's write takes PCIe bandwidth alone.
struct CqConfig {
  Picoseconds poll_interval{};  ///< the host looks at whole multiples of it; zero: always
  Picoseconds poll{};           ///< from a CQE that is found to the application
  std::uint32_t messages = 1;   ///< of a queue pair that one CQE tells of, at most
  Picoseconds hold{};           ///< a CQE for fewer is written so long after the first of them
  Bytes cqe = 64_B;             ///< bytes of a CQE
  /// Size of a CQE in a compressed block; absent: CQEs are not compressed.
  std::optional<Bytes> mini_cqe{};

  /// Bytes on PCIe of `n` CQEs of one queue pair that are written together.
  std::int64_t bytes_of(std::uint32_t n) const {
    const std::int64_t whole = cqe.count() * n;
    if (!mini_cqe || n < 2) return whole;
    const std::int64_t minis = (mini_cqe->count() * n + cqe.count() - 1) / cqe.count();
    return std::min(whole, cqe.count() * (1 + minis));
  }

  static const Schema<CqConfig>& schema();
};

}  // namespace horae::rnic
