// The PCIe link of a NIC in time: reservations of both directions, tags and credits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/rnic/host/pcie_ledger.hpp"
#include "horae/rnic/parts/busy_timeline.hpp"
#include "horae/rnic/spec/pcie_config.hpp"

namespace horae::rnic {

/// Overhead of a TLP on the link besides data: framing and sequence number 4 bytes, LCRC 4, header
/// 16 (64-bit address) or 12 (completion). PCIe Base Specification 5.0, 2.2 and 3.6; also
/// pcie-bench/pcie-model 40703cf.
namespace tlp {
inline constexpr Bytes read_request{24};
inline constexpr Bytes write{24};
inline constexpr Bytes completion{20};
}  // namespace tlp

/// The same of a link, by its generation. In FLIT mode (generation 6) sequence numbers, CRC and
/// ACKs are the flit's, so a TLP is its header and data. PCIe Base Specification 6.0, 2.2
/// and 4.2.3: headers of 16 and 12 bytes; what a TLP may have beside (OHC, ECRC) is not counted.
struct TlpBytes {
  Bytes read_request = tlp::read_request;
  Bytes write = tlp::write;
  Bytes completion = tlp::completion;

  static TlpBytes of(const PcieConfig& config) {
    return config.flits() ? TlpBytes{16_B, 16_B, 12_B} : TlpBytes{};
  }
};

/// A flit, and what of it TLPs have; the rest is 6 bytes of data link layer, 8 of CRC and 6 of
/// error correction (PCIe Base Specification 6.0, 4.2.3).
inline constexpr std::int64_t flit_bytes = 256, flit_tlp_bytes = 236;

/// No request crosses a 4 KiB boundary (PCIe Base Specification 5.0, 2.2.7).
inline constexpr std::int64_t pcie_page = 4096;

/// Cause of a wait of a request on the link.
enum class PcieWait : std::uint8_t {
  tag,         ///< reads: all tags are out
  credit,      ///< the root complex has no room
  upstream,    ///< other TLPs towards the host, earlier writes that may not be passed among them
  downstream,  ///< other TLPs towards the NIC
  count_
};
inline constexpr std::size_t pcie_waits = static_cast<std::size_t>(PcieWait::count_);

constexpr std::string_view name_of(PcieWait wait) {
  constexpr std::array<std::string_view, pcie_waits> names = {"tag", "credit", "upstream",
                                                              "downstream"};
  return names[static_cast<std::size_t>(wait)];
}

/// Totals since the start of the run; the difference of two is what happened in between. Everything
/// counts with its call, also what it reserves in the future.
struct PcieCounters {
  std::uint64_t read_requests = 0;
  std::uint64_t bytes_requested = 0;
  std::uint64_t bytes_completed = 0;  ///< data of completions
  std::uint64_t completions = 0;      ///< TLPs
  std::uint64_t writes = 0;           ///< TLPs
  std::uint64_t bytes_written = 0;
  std::uint64_t mmio_writes = 0;
  Picoseconds upstream_busy{};  ///< time TLPs occupy the direction
  Picoseconds downstream_busy{};
  /// From a tag taken to its last completion, summed over reads: over a span of time, that many
  /// reads are in flight on average.
  Picoseconds reads_in_flight{};
  std::array<Picoseconds, pcie_waits> waited{};   ///< summed over requests
  std::array<std::uint64_t, pcie_waits> waits{};  ///< requests that waited at all
  PcieLedger ledger{};                            ///< every TLP, by the address of its request

  friend PcieCounters operator-(PcieCounters a, const PcieCounters& b);
  friend PcieCounters operator+(PcieCounters a, const PcieCounters& b);
};

/// A PCIe link seen from the NIC, as reservation arithmetic: every call says when what it asks for
/// is done. Calls come with a `now` that never decreases; a request made later may still use time
/// that is free before earlier ones (BusyTimeline), but reads and writes each keep their order, and
/// a read request never passes a write (PCIe Base Specification 5.0, 2.4.1).
///
/// Both directions run at the TLP bandwidth: what ACKs, flow control and skip ordered sets take is
/// spread evenly. Credits towards the NIC are not modelled: a NIC takes completions at line rate.
class PcieLink {
 public:
  /// InputError when the configuration is not one of a link.
  explicit PcieLink(const PcieConfig& config);

  const PcieConfig& config() const { return config_; }

  /// Time `bytes` on the link occupy one direction, rounded up; TLP overhead included by the
  /// caller.
  Picoseconds wire_time(Bytes bytes) const {
    const auto n = static_cast<std::uint64_t>(bytes.count()) * byte_time_;
    return Picoseconds(
        static_cast<std::int64_t>((n + (std::uint64_t{1} << fraction_bits) - 1) >> fraction_bits));
  }

  /// How much of a read (write) of `size` at `address` the first read request (write) covers.
  Bytes first_request(std::uint64_t address, Bytes size) const {
    return first_piece(address, size, max_read_request_);
  }
  Bytes first_write(std::uint64_t address, Bytes size) const {
    return first_piece(address, size, Bytes(pcie_page));
  }

  /// One read request, first half: when its last bit is at the root complex. `size` as
  /// first_request() gives it.
  Picoseconds begin_read(Picoseconds now, Bytes size);
  /// Second half, to follow at once: the root complex has the data at `ready` (not before the
  /// request); returns when the last bit is at the NIC.
  Picoseconds finish_read(Picoseconds ready, std::uint64_t address, Bytes size);

  /// Reads whose data comes at a time that is not known yet. Whether one may begin at `now`: not
  /// while all tags are out and none is known to come back.
  bool may_begin(Picoseconds now) {
    releases_.drop_until(now);
    return open_ < config_.tags;
  }
  struct OpenRead {
    Picoseconds arrival;    ///< its last bit at the root complex
    Picoseconds tag_taken;  ///< to be given to finish_open_read()
  };
  /// First half, if may_begin(): of a read that was `asked` for then.
  OpenRead begin_open_read(Picoseconds now, Picoseconds asked, Bytes size);
  /// Second half, at `now`, when the root complex has the data, or, not `ok`, a completion without
  /// data: when its last bit is at the NIC.
  Picoseconds finish_open_read(Picoseconds now, std::uint64_t address, Bytes size,
                               Picoseconds tag_taken, bool ok);

  /// A write that does not cross a 4 KiB boundary (first_write()), in TLPs of max_payload: when its
  /// last bit is at the root complex.
  Picoseconds write(Picoseconds now, std::uint64_t address, Bytes size);

  /// A write of the CPU to the NIC that reaches the root complex's port `latency` after `now`: when
  /// its last bit is at the NIC.
  Picoseconds mmio_write(Picoseconds now, Picoseconds latency, Bytes size,
                         PcieUse use = PcieUse::doorbell);

  /// Time of the link in the round trip of an unloaded read that is one completion.
  Picoseconds unloaded_read(Bytes size) const {
    return wire_time(tlp_.read_request) + wire_time(tlp_.completion + size);
  }

  const PcieCounters& counters() const { return counters_; }
  /// Tags out at `t`, which is not before the last call's `now`.
  std::size_t tags_in_use(Picoseconds t) const;
  /// Most tags out at once since the start or the last reset.
  std::size_t most_tags_in_use() const { return most_tags_; }
  void reset_most_tags_in_use() { most_tags_ = 0; }

 private:
  /// Room at the root complex for requests of one kind, first in, first out.
  class Credits {
   public:
    /// `data` in units of 16 bytes.
    Credits(std::size_t headers, std::int64_t data)
        : slots_(headers), last_(headers - 1), free_data_(data) {}

    /// The first time from `t` on at which a header and `data` are free, taking them.
    Picoseconds take(Picoseconds t, std::int64_t data) {
      // One slot per header: what it held last must be back.
      const Slot& slot = slots_.data()[next_];
      t = std::max(t, slot.back);
      if (slot.data > 0) reclaim(next_);
      while (free_data_ < data) [[unlikely]] {
          t = std::max(t, slots_[oldest_].back);
          reclaim(oldest_);
        }
      free_data_ -= data;
      return t;
    }
    /// Credits taken last are back at `back`, never before those taken earlier.
    void give_back(Picoseconds back, std::int64_t data) {
      slots_.data()[next_] = {back, data};
      next_ = after(next_);
    }

   private:
    struct Slot {
      Picoseconds back{};
      std::int64_t data = 0;
    };
    std::size_t after(std::size_t i) const { return i == last_ ? 0 : i + 1; }
    /// Takes back the data of `i`, the oldest that was not reclaimed yet.
    void reclaim(std::size_t i) {
      free_data_ += slots_.data()[i].data;
      slots_.data()[i].data = 0;
      oldest_ = after(i);
    }

    std::vector<Slot> slots_;
    std::size_t last_;  ///< slots - 1
    std::size_t next_ = 0, oldest_ = 0;
    std::int64_t free_data_;
  };

  /// When the tags that are out come back, in order.
  class Releases {
   public:
    explicit Releases(std::size_t tags)
        : times_(std::bit_ceil(tags)), mask_(times_.size() - 1), tags_(tags) {}

    std::size_t size() const { return end_ - begin_; }
    bool full() const { return size() == tags_; }
    void drop_until(Picoseconds now) {
      while (begin_ != end_ && at(begin_) <= now) ++begin_;
    }
    Picoseconds pop() { return at(begin_++); }
    void push(Picoseconds t) {
      std::size_t i = end_++;
      for (; i != begin_ && at(i - 1) > t; --i) at(i) = at(i - 1);
      at(i) = t;
    }
    std::size_t after(Picoseconds t) const {
      std::size_t i = begin_;
      while (i != end_ && times_.data()[i & mask_] <= t) ++i;
      return end_ - i;
    }

   private:
    Picoseconds& at(std::size_t i) { return times_.data()[i & mask_]; }

    std::vector<Picoseconds> times_;  ///< a ring
    std::size_t mask_;
    std::size_t tags_;
    std::size_t begin_ = 0, end_ = 0;  ///< ever growing
  };

  static constexpr unsigned fraction_bits = 20;

  static Bytes first_piece(std::uint64_t address, Bytes size, Bytes most) {
    const auto offset = static_cast<std::int64_t>(address % pcie_page);
    return std::min(size, std::min(most, Bytes(pcie_page - offset)));
  }
  void advance(Picoseconds now) {
    if (now < now_) [[unlikely]]
      refuse_past(now);
    now_ = now;
    upstream_.forget_before(now);
    downstream_.forget_before(now);
  }
  [[noreturn]] void refuse_past(Picoseconds now) const;
  Picoseconds take_tag(Picoseconds now);
  /// The request of a read that was `asked` for, and has its tag.
  Picoseconds request(Picoseconds asked, Bytes size);
  /// Completions of `bytes` on the link with `size` of data.
  Picoseconds complete(Picoseconds ready, std::uint64_t address, Bytes size,
                       std::int64_t completions, Bytes bytes);
  /// One TLP of a write, behind the ones before; returns how long it waited for credits.
  Picoseconds write_tlp(Picoseconds asked, std::int64_t data, Picoseconds time);
  std::int64_t completions_of(std::uint64_t address, std::int64_t size) const;
  void count_wait(PcieWait cause, Picoseconds time) {
    if (time.count() == 0) return;
    counters_.waited[static_cast<std::size_t>(cause)] += time;
    ++counters_.waits[static_cast<std::size_t>(cause)];
  }

  PcieConfig config_;
  TlpBytes tlp_;
  Bytes max_read_request_;
  std::int64_t max_payload_;
  unsigned payload_bits_;    ///< max_payload = 2^payload_bits_
  unsigned boundary_bits_;   ///< read_completion_boundary = 2^boundary_bits_
  std::uint64_t byte_time_;  ///< ps per byte, in 2^-fraction_bits
  Picoseconds request_time_;
  Picoseconds whole_write_time_;  ///< of a write TLP of max_payload, in whole double words
  Picoseconds now_{};
  BusyTimeline upstream_;
  BusyTimeline downstream_;
  Credits posted_;
  Credits non_posted_;
  Releases releases_;
  Picoseconds tag_taken_{};   ///< by the read that is begun
  Picoseconds last_write_{};  ///< end of the last write upstream
  std::size_t most_tags_ = 0;
  std::size_t open_ = 0;  ///< tags out that come back at a time that is not known
  PcieCounters counters_;
};

/// Bandwidth left for TLPs in each direction, in bits per second:
///   lanes x transfer rate x 128/130 x (1 - link_overhead)
/// where the overhead that the specification recommends is 8/A + 8/F + 4/1538: an ACK (an UpdateFC)
/// of 8 bytes per A (F) bytes, and 4 of every 1538 for skip ordered sets. That is how
/// pcie-bench/pcie-model 40703cf counts. With flits (generation 6) it is
///   lanes x 64 GT/s x 236/256 x (1 - link_overhead)
/// with 4/1538 for skip ordered sets, as ACKs and UpdateFCs lie in the flits. The tables give A and
/// F in symbol times; were each of them a byte on every lane, the first two terms would be smaller
/// by the number of lanes.
double tlp_bandwidth(const PcieConfig& config);
/// Most data per second, in bits, that reads of `size` at aligned addresses get: the smaller of
///   tlp_bandwidth x size / (size + 20 x completions)   downstream
///   tlp_bandwidth x size / (24 x read requests)        upstream
/// with enough tags and credits; 12 and 16 bytes with flits.
double read_bandwidth(const PcieConfig& config, Bytes size);
/// The same for writes: tlp_bandwidth x size / (size + 24 x TLPs).
double write_bandwidth(const PcieConfig& config, Bytes size);

}  // namespace horae::rnic
