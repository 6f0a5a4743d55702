#include "horae/fabric/events/arrival_order.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "horae/core/error.hpp"

namespace horae::fabric {
namespace {

/// So few are put in order one by one.
constexpr std::size_t few_arrivals = 12;
/// Counters of so many buckets take a half of a cache of 32 KiB.
constexpr unsigned most_bucket_bits = 12;

/// Each key moves before the greater ones that precede it: fast where few do.
void insert_each(std::uint64_t* keys, std::size_t n) {
  for (std::size_t i = 1; i < n; ++i) {
    const std::uint64_t key = keys[i];
    if (keys[i - 1] < key) [[likely]]
      continue;
    std::size_t at = i;
    do {
      keys[at] = keys[at - 1];
      --at;
    } while (at > 0 && keys[at - 1] > key);
    keys[at] = key;
  }
}

}  // namespace

void ArrivalOrder::start(Picoseconds begin, Picoseconds end, std::uint32_t likely, bool several) {
  base_ = end - Picoseconds(std::int64_t{1} << time_bits);
  count_ = 0;
  if (!several) return;
  begin_ = std::max(begin, base_);
  const auto length =
      static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>((end - begin_).count() - 1)));
  const unsigned bits =
      std::min({most_bucket_bits, static_cast<unsigned>(std::bit_width(likely)), length});
  shift_ = length - bits;
  buckets_ = std::size_t{1} << bits;
  if (places_ == nullptr) grow(1);
  std::fill_n(places_.get(), buckets_, 0);
}

ArrivalOrder::Cursor ArrivalOrder::put_in_order(bool several) {
  std::uint64_t* keys = keys_.get();
  if (several) {
    if (count_ > few_arrivals) keys = into_buckets();
    insert_each(keys, count_);
  }
  return {keys, keys + count_, packets_.get(), base_};
}

std::uint64_t* ArrivalOrder::into_buckets() {
  std::uint32_t* const places = places_.get();
  std::uint32_t sum = 0;
  for (std::size_t b = 0; b < buckets_; ++b) sum += std::exchange(places[b], sum);
  const std::uint64_t* const keys = keys_.get();
  std::uint64_t* const sorted = sorted_.get();
  const auto from = static_cast<std::uint64_t>((begin_ - base_).count());
  for (std::size_t i = 0; i < count_; ++i) {
    const std::uint64_t key = keys[i];
    sorted[places[((key >> place_bits) - from) >> shift_]++] = key;
  }
  return sorted;
}

void ArrivalOrder::grow(std::size_t n) {
  constexpr std::size_t least = 1024;
  if (n > most) throw ModelError("more packets arrive at a device in one window than it can order");
  room_ = std::bit_ceil(std::max(n, least));
  auto keys = std::make_unique_for_overwrite<std::uint64_t[]>(room_);
  auto packets = std::make_unique_for_overwrite<Packet*[]>(room_);
  std::copy_n(keys_.get(), count_, keys.get());
  std::copy_n(packets_.get(), count_, packets.get());
  keys_ = std::move(keys);
  packets_ = std::move(packets);
  sorted_ = std::make_unique_for_overwrite<std::uint64_t[]>(room_);
  if (places_ == nullptr)
    places_ = std::make_unique<std::uint32_t[]>(std::size_t{1} << most_bucket_bits);
}

}  // namespace horae::fabric
