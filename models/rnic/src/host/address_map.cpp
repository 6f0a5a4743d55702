#include "horae/rnic/host/address_map.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"

namespace horae::rnic {
namespace {

constexpr std::uint64_t map_page = 4096;
constexpr std::int64_t least = std::int64_t{1} << 20;

}  // namespace

AddressMap::AddressMap(Bytes base, std::optional<Bytes> size)
    : base_(static_cast<std::uint64_t>(base.count())) {
  if (base.count() < 0 || base.count() % static_cast<std::int64_t>(map_page) != 0)
    throw InputError(fmt::format("memory.base = {}: expected a multiple of 4 KiB", to_text(base)));
  if (!size) return;
  const auto bytes = static_cast<std::uint64_t>(size->count());
  if (size->count() < least || !std::has_single_bit(bytes))
    throw InputError(
        fmt::format("memory.size = {}: expected a power of two from 1 MiB on", to_text(*size)));
  share_ = bytes / regions;
}

AddressMap::Place AddressMap::place_of(std::uint64_t a) {
  using namespace host_address;
  constexpr std::uint64_t queue_bytes = std::uint64_t{1} << 18;
  if (a < received) {
    const std::uint64_t qp = a / send_region - 1, offset = a % send_region;
    if (offset < send_payload) return {0, qp * queue_bytes + offset};
    return {1, qp * send_payload + (offset - send_payload)};
  }
  if (a < kept_apart(0)) return {2, a - received};
  if (a < completion_queues) return {3, a - kept_apart(0)};
  if (a < contexts) return {4, a - completion_queues};
  if (a < translations) return {5, a - contexts};
  if (a < retransmission_contexts) return {6, a - translations};
  // Pages of contexts and of payload in turn.
  const bool payload = a >= retransmissions;
  const std::uint64_t at = a - (payload ? retransmissions : retransmission_contexts);
  return {7, (2 * (at / map_page) + (payload ? 1 : 0)) * map_page + at % map_page};
}

}  // namespace horae::rnic
