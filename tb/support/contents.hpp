// Bytes of host memory that messages move: filled before a run at where they come from, compared
// after it with where they go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "horae/rnic/host/host_addresses.hpp"
#include "horae/rnic/rnic.hpp"

namespace horae::test {

/// Messages of each connection, all alike.
struct MessageShape {
  std::uint64_t mtu = 1024, message = 9000, count = 30;
  std::uint64_t packets() const { return (message + mtu - 1) / mtu; }
  std::uint64_t bytes_of(std::uint64_t packet) const {
    return packet % packets() == packets() - 1 ? message - (packets() - 1) * mtu : mtu;
  }
};

/// No two places are alike.
inline std::vector<unsigned char> pattern(std::uint64_t where, std::size_t size) {
  std::vector<unsigned char> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<unsigned char>((where + i) * 0x9e3779b97f4a7c15u >> 56);
  return bytes;
}

/// A connection by its ends: whose messages they are, and whose memory data leaves and reaches.
struct DataPath {
  rnic::rnic *requester, *from, *to;
  std::size_t requester_qp, from_qp, to_qp;
  const rnic::QueuePair& requests() const { return requester->queue_pair(requester_qp); }
  std::uint64_t source(std::uint64_t offset) const {
    return rnic::host_address::source(from_qp, offset);
  }
  /// Bytes that lie there before the run.
  std::vector<unsigned char> sent(std::uint64_t offset, std::size_t size) const {
    return pattern(source(offset) + from->id(), size);
  }
};

inline std::vector<DataPath> data_paths(const std::vector<rnic::rnic*>& nics) {
  std::vector<DataPath> paths;
  for (auto* from : nics) {
    for (std::size_t i = 0; i < from->queue_pairs(); ++i) {
      const auto& qp = from->queue_pair(i);
      if (!qp.has_source()) continue;
      for (auto* to : nics) {
        if (to->id() != qp.config().peer) continue;
        const std::size_t j = qp.config().remote.value() - to->number_of(0).value();
        paths.push_back(qp.requests_reads() ? DataPath{from, to, from, i, j, i}
                                            : DataPath{from, from, to, i, i, j});
      }
    }
  }
  return paths;
}

inline std::uint64_t offset_of(const DataPath& path, std::uint64_t packet, std::uint64_t mtu) {
  return rnic::host_address::ring_offset(
      path.requests().config().first_send + static_cast<std::int32_t>(packet), mtu);
}

/// Once memories are there.
inline void fill_sources(const std::vector<rnic::rnic*>& nics, const MessageShape& shape = {}) {
  for (const DataPath& path : data_paths(nics)) {
    for (std::uint64_t k = 0; k < shape.count * shape.packets(); ++k) {
      const std::uint64_t offset = offset_of(path, k, shape.mtu);
      path.from->host()->poke(path.source(offset), path.sent(offset, shape.mtu));
    }
  }
}

struct Moved {
  std::uint64_t messages = 0, failed = 0;  ///< completed, and ended with an error
  std::uint64_t bytes = 0;                 ///< of completed messages
  std::uint64_t wrong = 0;                 ///< of them, other than what was sent
};

inline Moved moved(const std::vector<rnic::rnic*>& nics, const MessageShape& shape = {}) {
  Moved out;
  for (const DataPath& path : data_paths(nics)) {
    const auto& progress = path.requests().progress();
    out.messages += progress.completed_messages;
    out.failed += progress.failed_messages;
    for (std::uint64_t k = 0; k < progress.completed_messages * shape.packets(); ++k) {
      const std::uint64_t offset = offset_of(path, k, shape.mtu);
      std::vector<unsigned char> got(shape.bytes_of(k));
      path.to->host()->peek(rnic::host_address::payload(path.to_qp, offset), got);
      const auto sent = path.sent(offset, got.size());
      out.bytes += got.size();
      for (std::size_t b = 0; b < got.size(); ++b) out.wrong += got[b] == sent[b] ? 0 : 1;
    }
  }
  return out;
}

}  // namespace horae::test
