#include "horae/rnic/host/memory_rates.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/rnic/host/host_addresses.hpp"

namespace horae::rnic {
namespace {

template <class Op>
void combine(MemoryCounters& a, const MemoryCounters& b, Op op) {
  op(a.dram_read, b.dram_read);
  op(a.dram_written, b.dram_written);
  op(a.lines_written, b.lines_written);
  op(a.lines_spilled, b.lines_spilled);
  for (std::size_t p = 0; p < memory_parts; ++p) op(a.waited[p], b.waited[p]);
}

}  // namespace

void MemoryRates::check(const HostMemoryConfig& config) {
  if (config.dram && config.dram->left().count() <= 0) {
    throw input_error(
        config.dram->background.where,
        fmt::format("background = {} leaves nothing of bandwidth = {}",
                    to_text(config.dram->background.value), to_text(config.dram->bandwidth)));
  }
  if (!config.ddio) return;
  const DdioConfig& ddio = *config.ddio;
  if (ddio.size.value.count() % DdioConfig::line != 0 ||
      (ddio.ways > 0 && ddio.lines() % ddio.ways != 0)) {
    throw input_error(ddio.size.where,
                      fmt::format("size = {}: expected whole sets of {} lines of 64 bytes",
                                  to_text(ddio.size.value), ddio.ways));
  }
  if (!config.dram) {
    throw input_error(ddio.size.where,
                      "ddio without memory.dram: what it spares has no end; expected "
                      "dram = {bandwidth = ..}");
  }
}

MemoryCounters operator-(MemoryCounters a, const MemoryCounters& b) {
  combine(a, b, [](auto& x, const auto& y) { x -= y; });
  return a;
}
MemoryCounters operator+(MemoryCounters a, const MemoryCounters& b) {
  combine(a, b, [](auto& x, const auto& y) { x += y; });
  return a;
}

MemoryRates::MemoryRates(const HostMemoryConfig& config)
    : dram_(config.dram),
      gpu_(config.gpu),
      socket_rate_(config.remote ? config.socket_rate : std::nullopt) {
  if (config.ddio) cache_.emplace(config.ddio->lines(), config.ddio->ways);
}

bool MemoryRates::of_gpu(std::uint64_t address) const {
  if (!gpu_) return false;
  switch (host_address::use_of(address)) {
    case PcieUse::payload:
      return true;
    case PcieUse::wqe:
    case PcieUse::receive_wqe:
    case PcieUse::cqe:
      return gpu_->queues;
    default:
      return false;
  }
}

Picoseconds MemoryRates::take(MemoryPart part, BusyTimeline& timeline, Picoseconds now,
                              Picoseconds at, std::int64_t bytes, BitRate rate) {
  const Picoseconds time = serialisation_time(Bytes(bytes), rate);
  timeline.forget_before(now);
  const Picoseconds begin = timeline.reserve(at, time) - time;
  counters_.waited[static_cast<std::size_t>(part)] += begin - at;
  return begin;
}

std::int64_t MemoryRates::dram_bytes(bool write, std::uint64_t address, Bytes size) {
  constexpr auto line = static_cast<std::uint64_t>(DdioConfig::line);
  const std::uint64_t first = address / line;
  const std::uint64_t last = (address + static_cast<std::uint64_t>(size.count()) - 1) / line;
  if (!cache_) return static_cast<std::int64_t>((last - first + 1) * line);
  std::int64_t lines = 0;
  for (std::uint64_t l = first; l <= last; ++l) {
    if (!write) {
      lines += cache_->holds(l) ? 0 : 1;
      continue;
    }
    ++counters_.lines_written;
    if (!cache_->use(l).evicted) continue;
    ++counters_.lines_spilled;
    ++lines;
  }
  return lines * DdioConfig::line;
}

Picoseconds MemoryRates::wait(Picoseconds now, bool write, Picoseconds arrival,
                              std::uint64_t address, Bytes size) {
  Picoseconds at = arrival;
  const std::size_t direction = write ? 1 : 0;
  if (socket_rate_)
    at = take(MemoryPart::socket, socket_busy_[direction], now, at, size.count(), *socket_rate_);
  if (of_gpu(address)) {
    const auto rate = write ? gpu_->write_rate : gpu_->read_rate;
    if (rate) at = take(MemoryPart::gpu, gpu_busy_[direction], now, at, size.count(), *rate);
    return at - arrival;
  }
  if (!dram_) return at - arrival;
  const std::int64_t bytes = dram_bytes(write, address, size);
  if (bytes == 0) return at - arrival;
  (write ? counters_.dram_written : counters_.dram_read) += static_cast<std::uint64_t>(bytes);
  return take(MemoryPart::dram, dram_busy_, now, at, bytes, dram_->left()) - arrival;
}

}  // namespace horae::rnic
