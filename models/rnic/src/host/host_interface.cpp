#include "horae/rnic/host/host_interface.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/fabric/packet_link.hpp"
#include "horae/rnic/host/host_addresses.hpp"

namespace horae::rnic {

host_interface::host_interface(sc_core::sc_module_name name, const PcieConfig& pcie,
                               const HostMemoryConfig& memory_config, std::uint64_t seed)
    : sc_module(name),
      link_(pcie),
      memory_config_(memory_config),
      seed_(seed),
      mmio_latency_(memory_config.mmio_latency),
      apart_(memory_config.contents),
      map_(memory_config.base, memory_config.size) {
  fabric::require_picoseconds();
  memory.register_nb_transport_bw(this, &host_interface::nb_transport_bw);
}

host_interface::~host_interface() = default;

void host_interface::before_end_of_elaboration() {
  // Also counts a socket of a module around this one, which size() does not see yet.
  if (memory.get_base_port().bind_count() > 0) {
    if (owner_.context == nullptr)
      throw ModelError(fmt::format("{}: a target at `memory` needs a NIC that owns it", name()));
    owner_.context->clock.limit_window(memory_config_.path);
    owner_.context->clock.calls().serve(owner_.runs_here);
    return;
  }
  own_memory_ = std::make_unique<host_memory>("host_memory", memory_config_,
                                              link_.unloaded_read(64_B), seed_);
  memory.bind(own_memory_->socket);
}

void host_interface::end_of_elaboration() {
  if (!calls_out()) return;
  apart_ = true;
  open_ = std::make_unique<OpenAccesses>(
      link_, [this](std::uint32_t number, const OpenAccesses::Request& r) { begin(number, r); });
  master_ = std::make_unique<bus_master>(
      *memory.operator->(), owner_.context->clock, *this, owner_.device, memory_config_.calls,
      [this](std::uint32_t number, Picoseconds at, bool ok) {
        answers_[number] = ok;
        owner_.hear(at + memory_config_.path, ordinal_++, number);
      });
}

void host_interface::begin(std::uint32_t number, const OpenAccesses::Request& request) {
  if (number >= answers_.size()) answers_.resize(number + 1);
  master_->begin(request.arrival + memory_config_.path, number,
                 {request.write, map_(request.address), request.length, request.data});
}

template <bool contents>
Picoseconds host_interface::read_pieces(Picoseconds now, std::uint64_t address, Bytes size,
                                        [[maybe_unused]] unsigned char* into) {
  Picoseconds done = now;
  while (size.count() > 0) {
    const Bytes piece = link_.first_request(address, size);
    const Picoseconds arrival = link_.begin_read(now, piece);
    const Picoseconds ready = arrival + own_memory_->latency(false, now, arrival, address, piece);
    if constexpr (contents) {
      own_memory_->move(false, address, into, static_cast<unsigned>(piece.count()));
      into += piece.count();
    }
    done = std::max(done, link_.finish_read(ready, address, piece));
    address += static_cast<std::uint64_t>(piece.count());
    size -= piece;
  }
  return done;
}

template <bool contents>
Picoseconds host_interface::write_pieces(Picoseconds now, std::uint64_t address, Bytes size,
                                         [[maybe_unused]] unsigned char* from) {
  while (size.count() > 0) {
    const Bytes piece = link_.first_write(address, size);
    const Picoseconds arrival = link_.write(now, address, piece);
    visible_ =
        std::max(visible_, arrival + own_memory_->latency(true, now, arrival, address, piece));
    if constexpr (contents) {
      own_memory_->move(true, address, from, static_cast<unsigned>(piece.count()));
      from += piece.count();
    }
    address += static_cast<std::uint64_t>(piece.count());
    size -= piece;
  }
  return visible_;
}

// Those without contents are called where the class is declared.
template Picoseconds host_interface::read_pieces<false>(Picoseconds, std::uint64_t, Bytes,
                                                        unsigned char*);
template Picoseconds host_interface::write_pieces<false>(Picoseconds, std::uint64_t, Bytes,
                                                         unsigned char*);

Picoseconds host_interface::read(Picoseconds now, std::uint64_t address,
                                 std::span<unsigned char> into) {
  const Bytes size(static_cast<std::int64_t>(into.size()));
  if (open_) return open_->read(now, address, size, into.data()), never;
  return read_pieces<true>(now, address, size, into.data());
}
Picoseconds host_interface::write(Picoseconds now, std::uint64_t address,
                                  std::span<const unsigned char> from) {
  // The generic payload has one pointer for both directions; a target does not write through that
  // of a write command (IEEE 1666-2011, clause 14).
  auto* const data = const_cast<unsigned char*>(from.data());
  const Bytes size(static_cast<std::int64_t>(from.size()));
  if (open_) return open_->write(now, address, size, data), never;
  return write_pieces<true>(now, address, size, data);
}

Picoseconds host_interface::read_apart(Picoseconds now, std::uint64_t address, Bytes size) {
  if (!memory_config_.contents || !host_address::has_contents(address)) {
    if (open_) return open_->read(now, address, size, nullptr), never;
    return read_pieces<false>(now, address, size, nullptr);
  }
  auto& contents = read_[address];
  // Never the one of a read that is under way still.
  contents = std::make_shared<Contents>(static_cast<std::size_t>(size.count()));
  if (!open_) return read_pieces<true>(now, address, size, contents->data());
  open_->read(now, address, size, contents->data());
  open_->when_known([kept = contents](Picoseconds, Picoseconds, bool) {});
  return never;
}

Picoseconds host_interface::write_apart(Picoseconds now, std::uint64_t address, Bytes size) {
  std::shared_ptr<Contents> contents;
  if (const auto staged = staged_.find(address); staged != staged_.end()) {
    contents = std::move(staged->second);
    staged_.erase(staged);
    contents->resize(static_cast<std::size_t>(size.count()));
  }
  unsigned char* const data = contents ? contents->data() : nullptr;
  if (open_) {
    open_->write(now, address, size, data);
    if (contents) open_->when_known([kept = contents](Picoseconds, Picoseconds, bool) {});
    return never;
  }
  return contents ? write_pieces<true>(now, address, size, data)
                  : write_pieces<false>(now, address, size, nullptr);
}

std::shared_ptr<const host_interface::Contents> host_interface::take_read(std::uint64_t address) {
  const auto found = read_.find(address);
  if (found == read_.end()) return nullptr;
  auto contents = std::move(found->second);
  read_.erase(found);
  return contents;
}

void host_interface::stage(std::uint64_t address, std::span<const unsigned char> bytes) {
  staged_[address] = std::make_shared<Contents>(bytes.begin(), bytes.end());
}

void host_interface::peek(std::uint64_t address, std::span<unsigned char> into) {
  debug(false, address, into.data(), into.size());
}

void host_interface::poke(std::uint64_t address, std::span<const unsigned char> from) {
  // As in write(): nobody writes through it.
  debug(true, address, const_cast<unsigned char*>(from.data()), from.size());
}

void host_interface::debug(bool write, std::uint64_t address, unsigned char* data,
                           std::size_t size) {
  if (own_memory_) return own_memory_->move(write, address, data, static_cast<unsigned>(size));
  constexpr std::size_t page = 4096;
  while (size > 0) {
    // Pages lie where the address map puts them.
    const std::size_t n = std::min(size, page - static_cast<std::size_t>(address % page));
    tlm::tlm_generic_payload access;
    access.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    access.set_address(map_(address));
    access.set_data_ptr(data);
    access.set_data_length(static_cast<unsigned>(n));
    access.set_streaming_width(static_cast<unsigned>(n));
    if (const unsigned moved = memory->transport_dbg(access); moved != n) {
      throw InputError(fmt::format(
          "{}: the target at `memory` moves {} of {} bytes at {:#x} by debug transport; expected "
          "all, as memory.contents needs it",
          name(), moved, n, map_(address)));
    }
    address += n;
    data += n;
    size -= n;
  }
}

}  // namespace horae::rnic
