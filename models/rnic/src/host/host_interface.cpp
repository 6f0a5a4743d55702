#include "horae/rnic/host/host_interface.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/fabric/packet_link.hpp"

namespace horae::rnic {

namespace {

/// Leaves nothing of a target's own in a payload whose call did not return: its extensions and
/// memory manager may be on a stack that is gone.
void forget(tlm::tlm_generic_payload& payload) {
  for (unsigned i = 0; i < tlm::max_num_extensions(); ++i) payload.set_extension(i, nullptr);
  payload.set_mm(nullptr);
}

}  // namespace

host_interface::host_interface(sc_core::sc_module_name name, const PcieConfig& pcie,
                               const HostMemoryConfig& memory_config, std::uint64_t seed)
    : sc_module(name),
      link_(pcie),
      memory_config_(memory_config),
      seed_(seed),
      mmio_latency_(memory_config.mmio_latency) {
  fabric::require_picoseconds();
  sized_.set_extension(&timing_only_);
}

host_interface::~host_interface() {
  forget(sized_);
  forget(filled_);
}

void host_interface::before_end_of_elaboration() {
  // Also counts a socket of a module around this one, which size() does not see yet.
  if (memory.get_base_port().bind_count() > 0) return;
  own_memory_ = std::make_unique<host_memory>("host_memory", memory_config_,
                                              link_.unloaded_read(64_B), seed_);
  memory.bind(own_memory_->socket);
}

void host_interface::end_of_elaboration() {
  target_ = memory.operator->();
  if (!calls_out()) return;
  SC_HAS_PROCESS(host_interface);
  SC_METHOD(target_waits);
  sensitive << waits_;
  dont_initialize();
}

Picoseconds host_interface::transport(tlm::tlm_command command, Picoseconds arrival,
                                      std::uint64_t address, Bytes size, unsigned char* data) {
  const Picoseconds kernel = fabric::from_sc_time(sc_core::sc_time_stamp());
  tlm::tlm_generic_payload& p = data == nullptr ? sized_ : filled_;
  const auto length = static_cast<unsigned>(size.count());
  p.set_command(command);
  p.set_address(address);
  p.set_data_ptr(data == nullptr ? scratch_.data() : data);
  p.set_data_length(length);
  p.set_streaming_width(length);
  p.set_byte_enable_ptr(nullptr);
  p.set_dmi_allowed(false);
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = fabric::to_sc_time(arrival - kernel);
  call(p, delay);
  if (!p.is_response_ok()) [[unlikely]]
    refuse(p);
  return kernel + fabric::from_sc_time(delay);
}

void host_interface::call(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
  // A target that waits may do so for ever, and nobody would come to look: so this event does.
  if (calls_out()) waits_.notify(fabric::to_sc_time(1_ps));
  called_ = &p;
  try {
    target_->b_transport(p, delay);
  } catch (...) {
    waits_.cancel();
    forget(p);
    sized_.set_extension(&timing_only_);
    throw;
  }
  called_ = nullptr;
  waits_.cancel();
}

void host_interface::target_waits() {
  const ModelError error(fmt::format(
      "{}: the target at `memory` waits in b_transport for {}: expected it to return at once, and "
      "to add the time that it takes to the annotated delay",
      name(), describe(*called_)));
  if (clock_ != nullptr) return clock_->fail(std::make_exception_ptr(error), this);
  SC_REPORT_ERROR(fabric::window_clock::error_report(false), error.what());
}

std::string host_interface::describe(const tlm::tlm_generic_payload& payload) const {
  return fmt::format("a {} of {} bytes at {:#x}", payload.is_write() ? "write" : "read",
                     payload.get_data_length(), payload.get_address());
}

void host_interface::refuse(const tlm::tlm_generic_payload& payload) const {
  throw ModelError(fmt::format("{}: host memory answers {} to {}", name(),
                               payload.get_response_string(), describe(payload)));
}

Picoseconds host_interface::read_pieces(Picoseconds now, std::uint64_t address, Bytes size,
                                        unsigned char* into) {
  Picoseconds done = now;
  while (size.count() > 0) {
    const Bytes piece = link_.first_request(address, size);
    const Picoseconds arrival = link_.begin_read(now, piece);
    const Picoseconds ready = access(tlm::TLM_READ_COMMAND, now, arrival, address, piece, into);
    done = std::max(done, link_.finish_read(ready, address, piece));
    address += static_cast<std::uint64_t>(piece.count());
    size -= piece;
    if (into != nullptr) into += piece.count();
  }
  return done;
}

Picoseconds host_interface::write_pieces(Picoseconds now, std::uint64_t address, Bytes size,
                                         unsigned char* from) {
  while (size.count() > 0) {
    const Bytes piece = link_.first_write(address, size);
    const Picoseconds arrival = link_.write(now, address, piece);
    visible_ =
        std::max(visible_, access(tlm::TLM_WRITE_COMMAND, now, arrival, address, piece, from));
    address += static_cast<std::uint64_t>(piece.count());
    size -= piece;
    if (from != nullptr) from += piece.count();
  }
  return visible_;
}

Picoseconds host_interface::read(Picoseconds now, std::uint64_t address, Bytes size) {
  return read_pieces(now, address, size, nullptr);
}
Picoseconds host_interface::read(Picoseconds now, std::uint64_t address,
                                 std::span<unsigned char> into) {
  return read_pieces(now, address, Bytes(static_cast<std::int64_t>(into.size())), into.data());
}
Picoseconds host_interface::write(Picoseconds now, std::uint64_t address, Bytes size) {
  return write_pieces(now, address, size, nullptr);
}
Picoseconds host_interface::write(Picoseconds now, std::uint64_t address,
                                  std::span<const unsigned char> from) {
  // The generic payload has one pointer for both directions; a target does not write through that
  // of a write command (IEEE 1666-2011, clause 14).
  return write_pieces(now, address, Bytes(static_cast<std::int64_t>(from.size())),
                      const_cast<unsigned char*>(from.data()));
}

}  // namespace horae::rnic
