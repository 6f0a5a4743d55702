#include "horae/rnic/host/pcie_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "horae/core/error.hpp"
#include "horae/rnic/host/host_addresses.hpp"

namespace horae::rnic {
namespace {

constexpr std::int64_t parts = 1'000'000'000;  // a share in parts per 10^9

constexpr std::int64_t giga_transfers(std::uint32_t generation) { return 1LL << generation; }

/// The exponent of a power of two.
unsigned bits_of(Bytes bytes) {
  return static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(bytes.count())));
}

/// Bytes between two ACKs, and between two flow control updates, that the specification recommends
/// (PCIe Base Specification 5.0, tables 2-48 and 3-9: 8 GT/s; 16 and 32 GT/s are the same).
std::int64_t update_distance(std::uint32_t lanes, Bytes max_payload) {
  constexpr std::array<std::array<std::int64_t, 3>, 5> distance = {{
      // MPS 128, 256, 512
      {333, 512, 655},  // x1
      {224, 313, 385},  // x2
      {169, 214, 250},  // x4
      {163, 203, 182},  // x8
      {144, 168, 182},  // x16
  }};
  // 32 are two links of 16.
  const auto row = static_cast<std::size_t>(std::countr_zero(std::min(lanes, 16u)));
  const std::size_t column = bits_of(max_payload) - 7;
  return distance.at(row).at(column);
}

/// Share of each direction that ACKs, flow control and skip ordered sets take, in parts.
std::int64_t overhead_parts(const PcieConfig& c) {
  if (c.link_overhead) return static_cast<std::int64_t>(*c.link_overhead * parts);
  constexpr std::int64_t dllp = 8, skip = 4, skip_distance = 1538;
  if (c.flits()) return skip * parts / skip_distance;
  const std::int64_t distance = update_distance(c.lanes, c.max_payload);
  return 2 * dllp * parts / distance + skip * parts / skip_distance;
}

/// Share of TLPs in the bits on the lanes but for that: 128b/130b, or what flits are made of.
struct Coding {
  std::int64_t tlps, of;
};
Coding coding(const PcieConfig& c) {
  return c.flits() ? Coding{flit_tlp_bytes, flit_bytes} : Coding{128, 130};
}

/// ps per byte of TLPs on the link, in 2^-fraction_bits.
std::uint64_t byte_time(const PcieConfig& c, unsigned fraction_bits) {
  using horae::detail::Wide;
  constexpr Wide ps_per_gigabit_byte = 8'000;  // one byte at 1 Gb/s
  const auto [tlps, of] = coding(c);
  const Wide above = (ps_per_gigabit_byte * static_cast<Wide>(of) * parts) << fraction_bits;
  const Wide below = static_cast<Wide>(giga_transfers(c.generation) * c.lanes.value * tlps) *
                     static_cast<Wide>(parts - overhead_parts(c));
  return static_cast<std::uint64_t>((above + below / 2) / below);
}

const PcieConfig& checked(const PcieConfig& config) {
  config.check();
  return config;
}

/// Bytes of whole double words that hold `size` bytes at `address`: TLPs carry nothing smaller.
constexpr std::int64_t double_words(std::uint64_t address, std::int64_t size) {
  return (static_cast<std::int64_t>(address % 4) + size + 3) & ~std::int64_t{3};
}

/// Pieces of 2^bits bytes that `bytes` need.
constexpr std::int64_t pieces(std::int64_t bytes, unsigned bits) {
  return (bytes + (std::int64_t{1} << bits) - 1) >> bits;
}

constexpr std::int64_t credits_of(std::int64_t data) { return pieces(data, 4); }

/// Applies `op` to every pair of counters.
template <class Op>
void combine(PcieCounters& a, const PcieCounters& b, Op op) {
  op(a.read_requests, b.read_requests);
  op(a.bytes_requested, b.bytes_requested);
  op(a.bytes_completed, b.bytes_completed);
  op(a.completions, b.completions);
  op(a.writes, b.writes);
  op(a.bytes_written, b.bytes_written);
  op(a.mmio_writes, b.mmio_writes);
  op(a.upstream_busy, b.upstream_busy);
  op(a.downstream_busy, b.downstream_busy);
  op(a.reads_in_flight, b.reads_in_flight);
  for (std::size_t i = 0; i < pcie_waits; ++i) {
    op(a.waited[i], b.waited[i]);
    op(a.waits[i], b.waits[i]);
  }
  for_each_pair(a.ledger, b.ledger, op);
}

}  // namespace

PcieCounters operator-(PcieCounters a, const PcieCounters& b) {
  combine(a, b, [](auto& x, const auto& y) { x -= y; });
  return a;
}
PcieCounters operator+(PcieCounters a, const PcieCounters& b) {
  combine(a, b, [](auto& x, const auto& y) { x += y; });
  return a;
}

PcieLink::PcieLink(const PcieConfig& config)
    : config_(checked(config)),
      tlp_(TlpBytes::of(config)),
      max_read_request_(config.max_read_request),
      max_payload_(config.max_payload.value.count()),
      payload_bits_(bits_of(config.max_payload)),
      boundary_bits_(bits_of(config.read_completion_boundary)),
      byte_time_(byte_time(config, fraction_bits)),
      request_time_(wire_time(tlp_.read_request)),
      whole_write_time_(wire_time(tlp_.write + config.max_payload)),
      posted_(config.posted_headers, config.posted_data),
      non_posted_(config.non_posted_headers, 0),
      releases_(config.tags) {}

void PcieLink::refuse_past(Picoseconds now) const {
  throw ModelError(
      fmt::format("PCIe: a request at {} ps after one at {} ps", now.count(), now_.count()));
}

Picoseconds PcieLink::take_tag(Picoseconds now) {
  releases_.drop_until(now);
  if (!releases_.full()) return now;
  // This tag goes over to this request: who waits next gets the next one.
  return releases_.pop();
}

inline Picoseconds PcieLink::request(Picoseconds asked, Bytes size) {
  const Picoseconds admitted = non_posted_.take(tag_taken_, 0);
  const Picoseconds end = upstream_.reserve(std::max(admitted, last_write_), request_time_);
  non_posted_.give_back(end + config_.credit_return, 0);

  ++counters_.read_requests;
  counters_.bytes_requested += static_cast<std::uint64_t>(size.count());
  counters_.upstream_busy += request_time_;
  count_wait(PcieWait::tag, tag_taken_ - asked);
  count_wait(PcieWait::credit, admitted - tag_taken_);
  count_wait(PcieWait::upstream, end - request_time_ - admitted);
  return end;
}

// Once or more per packet: all that those with [[gnu::flatten]] call is worth inlining.
[[gnu::flatten]] Picoseconds PcieLink::begin_read(Picoseconds now, Bytes size) {
  advance(now);
  tag_taken_ = take_tag(now);
  return request(now, size);
}

PcieLink::OpenRead PcieLink::begin_open_read(Picoseconds now, Picoseconds asked, Bytes size) {
  advance(now);
  releases_.drop_until(now);
  tag_taken_ = releases_.size() + open_ < config_.tags ? now : releases_.pop();
  ++open_;
  most_tags_ = std::max(most_tags_, releases_.size() + open_);
  return {request(asked, size), tag_taken_};
}

std::int64_t PcieLink::completions_of(std::uint64_t address, std::int64_t size) const {
  const auto offset =
      static_cast<std::int64_t>(address & ((std::uint64_t{1} << boundary_bits_) - 1));
  if (config_.completion_split == CompletionSplit::boundary) {
    return pieces(offset + size, boundary_bits_);
  }
  if (size <= max_payload_) return 1;
  // All but the last completion end at a boundary, so from the second on they begin at one.
  const std::int64_t first = ((offset + max_payload_) >> boundary_bits_ << boundary_bits_) - offset;
  return 1 + pieces(size - first, payload_bits_);
}

inline Picoseconds PcieLink::complete(Picoseconds ready, std::uint64_t address, Bytes size,
                                      std::int64_t completions, Bytes bytes) {
  const Picoseconds time = wire_time(bytes);
  const Picoseconds end = downstream_.reserve(ready, time);

  releases_.push(end);
  most_tags_ = std::max(most_tags_, releases_.size());

  counters_.completions += static_cast<std::uint64_t>(completions);
  counters_.bytes_completed += static_cast<std::uint64_t>(size.count());
  counters_.downstream_busy += time;
  counters_.reads_in_flight += end - tag_taken_;
  const PcieUse use = host_address::use_of(address);
  counters_.ledger.add_read(use, tlp_.read_request.count(), bytes.count());
  count_wait(PcieWait::downstream, end - time - ready);
  return end;
}

[[gnu::flatten]] Picoseconds PcieLink::finish_read(Picoseconds ready, std::uint64_t address,
                                                   Bytes size) {
  const std::int64_t completions = completions_of(address, size.count());
  const Bytes bytes = Bytes(double_words(address, size.count())) + tlp_.completion * completions;
  return complete(ready, address, size, completions, bytes);
}

Picoseconds PcieLink::finish_open_read(Picoseconds now, std::uint64_t address, Bytes size,
                                       Picoseconds tag_taken, bool ok) {
  advance(now);
  releases_.drop_until(now);
  tag_taken_ = tag_taken;
  --open_;
  // A completion that tells of an error has no data (PCIe Base Specification 5.0, 2.2.9).
  return ok ? finish_read(now, address, size) : complete(now, address, 0_B, 1, tlp_.completion);
}

Picoseconds PcieLink::write_tlp(Picoseconds asked, std::int64_t data, Picoseconds time) {
  const Picoseconds in_turn = std::max(asked, last_write_);
  const std::int64_t credits = credits_of(data);
  const Picoseconds admitted = posted_.take(in_turn, credits);
  last_write_ = upstream_.reserve(admitted, time);
  posted_.give_back(last_write_ + config_.credit_return, credits);
  return admitted - in_turn;
}

[[gnu::flatten]] Picoseconds PcieLink::write(Picoseconds now, std::uint64_t address, Bytes size) {
  advance(now);
  Picoseconds asked = now;
  Picoseconds credit_wait{}, busy{};
  std::uint64_t tlps = 0;
  std::int64_t left = size.count(), words = 0;
  // TLPs behind the first begin where it does within a double word: max_payload is a power of two.
  const bool aligned = address % 4 == 0;
  for (; left >= max_payload_ && aligned; left -= max_payload_, ++tlps) {
    credit_wait += write_tlp(asked, max_payload_, whole_write_time_);
    asked = last_write_;
    busy += whole_write_time_;
    words += max_payload_;
  }
  for (; left > 0; left -= max_payload_, ++tlps) {
    const std::int64_t data = double_words(address, std::min(left, max_payload_));
    const Picoseconds time = wire_time(tlp_.write + Bytes(data));
    credit_wait += write_tlp(asked, data, time);
    asked = last_write_;
    busy += time;
    words += data;
  }
  counters_.bytes_written += static_cast<std::uint64_t>(size.count());
  counters_.writes += tlps;
  counters_.ledger.add(host_address::use_of(address), PcieDirection::to_host,
                       words + tlp_.write.count() * static_cast<std::int64_t>(tlps));
  counters_.upstream_busy += busy;
  count_wait(PcieWait::credit, credit_wait);
  // Time that is neither on the link nor a wait for credits.
  count_wait(PcieWait::upstream, last_write_ - now - busy - credit_wait);
  return last_write_;
}

Picoseconds PcieLink::mmio_write(Picoseconds now, Picoseconds latency, Bytes size, PcieUse use) {
  advance(now);
  const Picoseconds time = wire_time(tlp_.write + size);
  const Picoseconds end = downstream_.reserve(now + latency, time);
  ++counters_.mmio_writes;
  counters_.ledger.add(use, PcieDirection::to_nic, (tlp_.write + size).count());
  counters_.downstream_busy += time;
  count_wait(PcieWait::downstream, end - time - (now + latency));
  return end;
}

std::size_t PcieLink::tags_in_use(Picoseconds t) const { return releases_.after(t) + open_; }

double tlp_bandwidth(const PcieConfig& c) {
  c.check();
  constexpr double giga = 1e9;
  const double share = 1.0 - static_cast<double>(overhead_parts(c)) / parts;
  const auto [tlps, of] = coding(c);
  return static_cast<double>(giga_transfers(c.generation) * c.lanes.value) * giga *
         static_cast<double>(tlps) / static_cast<double>(of) * share;
}

double read_bandwidth(const PcieConfig& c, Bytes size) {
  const auto parts_of = [](std::int64_t all, std::int64_t most) { return (all + most - 1) / most; };
  const std::int64_t bytes = size.count();
  const std::int64_t most = c.max_read_request.value.count();
  const std::int64_t chunk = c.completion_split == CompletionSplit::boundary
                                 ? c.read_completion_boundary.value.count()
                                 : c.max_payload.value.count();
  const std::int64_t completions =
      bytes / most * parts_of(most, chunk) + parts_of(bytes % most, chunk);
  const std::int64_t down = bytes + TlpBytes::of(c).completion.count() * completions;
  const std::int64_t up = TlpBytes::of(c).read_request.count() * parts_of(bytes, most);
  return tlp_bandwidth(c) * static_cast<double>(bytes) / static_cast<double>(std::max(down, up));
}

double write_bandwidth(const PcieConfig& c, Bytes size) {
  const std::int64_t most = c.max_payload.value.count();
  const std::int64_t tlps = (size.count() + most - 1) / most;
  return tlp_bandwidth(c) * static_cast<double>(size.count()) /
         static_cast<double>(size.count() + TlpBytes::of(c).write.count() * tlps);
}

}  // namespace horae::rnic
