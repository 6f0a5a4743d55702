#include "horae/rnic/host/host_interface.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/fabric/packet_link.hpp"

namespace horae::rnic {

host_interface::host_interface(sc_core::sc_module_name name, const PcieConfig& pcie,
                               const HostMemoryConfig& memory_config, std::uint64_t seed)
    : sc_module(name),
      link_(pcie),
      memory_config_(memory_config),
      seed_(seed),
      mmio_latency_(memory_config.mmio_latency),
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

}  // namespace horae::rnic
