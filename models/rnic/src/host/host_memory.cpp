#include "horae/rnic/host_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "horae/core/error.hpp"
#include "horae/fabric/packet_link.hpp"

namespace horae::rnic {
namespace {

constexpr std::uint64_t page_bytes = 4096;

/// The response of an access that cannot be carried out, as IEEE 1666-2011, clause 14, names it.
tlm::tlm_response_status fault(const tlm::tlm_generic_payload& access) {
  const unsigned length = access.get_data_length();
  if (!access.is_read() && !access.is_write() && access.get_command() != tlm::TLM_IGNORE_COMMAND)
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (access.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (length == 0 || access.get_streaming_width() < length) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (access.get_byte_enable_ptr() != nullptr && access.get_byte_enable_length() == 0)
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (access.get_address() + (length - 1) < access.get_address())
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

/// A probability in parts of 2^32.
std::uint64_t in_draws(double probability) {
  return static_cast<std::uint64_t>(probability * 0x1.0p32);
}

}  // namespace

host_memory::host_memory(sc_core::sc_module_name name, const HostMemoryConfig& config,
                         Picoseconds link_time, std::uint64_t seed, Picoseconds path)
    : sc_module(name),
      config_(config),
      read_(config.round_trip.value - link_time),
      write_(config.write_latency.value - path * 2),
      varies_(config.jitter.value.count() > 0 || config.tail_probability > 0 ||
              config.iotlb_miss_probability > 0 || MemoryRates::limited(config)),
      tail_(in_draws(config.tail_probability)),
      iotlb_miss_(in_draws(config.iotlb_miss_probability)),
      stream_(seed, sc_module::name()) {
  fabric::require_picoseconds();
  MemoryRates::check(config);
  if (read_.count() < 0) {
    throw input_error(config.round_trip.where,
                      fmt::format("round_trip = {} ps is less than the {} ps the link takes of it",
                                  config.round_trip.value.count(), link_time.count()));
  }
  if (write_.count() < 0) {
    throw input_error(config.write_latency.where,
                      fmt::format("write_latency = {} ps is less than the path of {} ps both ways",
                                  config.write_latency.value.count(), path.count()));
  }
  if (config.jitter.value > std::min(read_, write_)) {
    throw input_error(
        config.jitter.where,
        fmt::format("jitter = {} ps could make a latency negative: reads take {} ps besides the "
                    "link, writes {} ps",
                    config.jitter.value.count(), read_.count(), write_.count()));
  }
  if (config.gpu) {
    gpu_read_ = config.gpu->round_trip.value - link_time;
    gpu_write_ = config.gpu->write_latency.value - path * 2;
    if (gpu_write_.count() < 0) {
      throw input_error(
          config.gpu->write_latency.where,
          fmt::format("gpu.write_latency = {} ps is less than the path of {} ps both ways",
                      config.gpu->write_latency.value.count(), path.count()));
    }
    if (gpu_read_.count() < 0) {
      throw input_error(
          config.gpu->round_trip.where,
          fmt::format("gpu.round_trip = {} ps is less than the {} ps the link takes of it",
                      config.gpu->round_trip.value.count(), link_time.count()));
    }
  }
  if (config.remote) {
    for (Picoseconds* read : {&read_, &gpu_read_}) *read += config.numa_extra;
    for (Picoseconds* write : {&write_, &gpu_write_}) *write += config.numa_extra / 2;
  }
  if (MemoryRates::limited(config)) rates_.emplace(config);
  socket.register_b_transport(this, &host_memory::b_transport);
  socket.register_transport_dbg(this, &host_memory::transport_dbg);
}

Picoseconds host_memory::varied_latency(bool write, Picoseconds now, Picoseconds arrival,
                                        std::uint64_t address, Bytes size) {
  if (!rates_) return (write ? write_ : read_) + drawn_extra();
  const Picoseconds idle =
      rates_->of_gpu(address) ? (write ? gpu_write_ : gpu_read_) : (write ? write_ : read_);
  return idle + drawn_extra() + rates_->wait(now, write, arrival, address, size);
}

Picoseconds host_memory::drawn_extra() {
  Picoseconds t{};
  if (const auto half = static_cast<std::uint32_t>(config_.jitter.value.count()); half > 0) {
    t += Picoseconds(stream_.below(2 * half + 1)) - config_.jitter.value;
  }
  if (happens(tail_)) {
    ++tails_;
    t += config_.tail_extra;
  }
  if (happens(iotlb_miss_)) {
    ++iotlb_misses_;
    t += config_.iotlb_miss_extra;
  }
  return t;
}

host_memory::Page* host_memory::find(std::uint64_t address) {
  const auto page = pages_.find(address / page_bytes);
  return page == pages_.end() ? nullptr : page->second.get();
}

host_memory::Page& host_memory::get(std::uint64_t address) {
  auto& page = pages_[address / page_bytes];
  if (!page) page = std::make_unique<Page>();
  return *page;
}

void host_memory::copy(tlm::tlm_generic_payload& access, unsigned bytes,
                       const unsigned char* enables) {
  const bool write = access.is_write();
  const unsigned enables_length = access.get_byte_enable_length();
  for (unsigned done = 0; done < bytes;) {
    const std::uint64_t address = access.get_address() + done;
    const auto offset = static_cast<unsigned>(address % page_bytes);
    const unsigned n = std::min(bytes - done, static_cast<unsigned>(page_bytes) - offset);
    unsigned char* data = access.get_data_ptr() + done;
    static Page zeros{};
    Page* page = write ? &get(address) : find(address);
    unsigned char* here = (page != nullptr ? *page : zeros).data() + offset;
    unsigned char* to = write ? here : data;
    const unsigned char* from = write ? data : here;
    if (enables == nullptr) {
      std::memcpy(to, from, n);
    } else {
      for (unsigned i = 0; i < n; ++i) {
        if (enables[(done + i) % enables_length] == TLM_BYTE_ENABLED) to[i] = from[i];
      }
    }
    done += n;
  }
}

void host_memory::b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
  access.set_dmi_allowed(false);
  const auto status = fault(access);
  access.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE || access.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  const Picoseconds now = fabric::from_sc_time(sc_core::sc_time_stamp());
  delay += fabric::to_sc_time(latency(access.is_write(), now, now + fabric::from_sc_time(delay),
                                      access.get_address(), Bytes(access.get_data_length())));
  if (access.get_extension<timing_only>() == nullptr) {
    copy(access, access.get_data_length(), access.get_byte_enable_ptr());
  }
}

void host_memory::move(bool write, std::uint64_t address, unsigned char* data, unsigned length) {
  tlm::tlm_generic_payload access;
  access.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  access.set_address(address);
  access.set_data_ptr(data);
  copy(access, length, nullptr);
}

unsigned host_memory::transport_dbg(tlm::tlm_generic_payload& access) {
  const unsigned length = access.get_data_length();
  if ((!access.is_read() && !access.is_write()) || length == 0 || access.get_data_ptr() == nullptr)
    return 0;
  // Debug transport has no byte enables, and says how many bytes it moved.
  const std::uint64_t room = ~access.get_address();
  const unsigned n = room < length - 1 ? static_cast<unsigned>(room) + 1 : length;
  copy(access, n, nullptr);
  return n;
}

}  // namespace horae::rnic
