#include "horae/rnic/host/bus_master.hpp"

#include <fmt/format.h>

#include <utility>

#include "horae/core/error.hpp"
#include "horae/fabric/packet_link.hpp"

namespace horae::rnic {
namespace {

Picoseconds now() { return fabric::from_sc_time(sc_core::sc_time_stamp()); }

}  // namespace

bus_master::bus_master(tlm::tlm_fw_transport_if<>& target, fabric::window_clock& clock,
                       const sc_core::sc_object& owner, std::uint32_t device, HostCalls calls,
                       Answered answered)
    : target_(target),
      clock_(clock),
      owner_(owner),
      device_(device),
      calls_(calls),
      answered_(std::move(answered)) {
  clock.calls().begin();
}

bus_master::~bus_master() {
  for (const auto& pooled : payloads_) forget(pooled->payload);
}

/// Leaves nothing of a target's own in a payload whose transaction did not end: its extensions may
/// be on a stack that is gone.
void bus_master::forget(Payload& payload) {
  for (unsigned i = 0; i < tlm::max_num_extensions(); ++i) payload.set_extension(i, nullptr);
}

void bus_master::begin(Picoseconds at, std::uint32_t number, const Access& access) {
  if (number >= accesses_.size()) accesses_.resize(number + 1);
  accesses_[number] = access;
  clock_.calls().asked();
  clock_.calls().add(at, device_, ++serial_, *this, number);
}

void bus_master::call(std::uint32_t number) {
  try {
    calls_ == HostCalls::blocking ? call_blocking(number) : call_non_blocking(number);
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // this process is being ended
  } catch (...) {
    clock_.fail(std::current_exception(), owner_.get_parent_object());
  }
}

bus_master::Payload& bus_master::make(std::uint32_t number) {
  if (free_.empty()) {
    payloads_.push_back(std::make_unique<Pooled>());
    Pooled& pooled = *payloads_.back();
    pool_.emplace(&pooled.payload, &pooled);
    pooled.payload.set_mm(this);
    free_.push_back(&pooled.payload);
  }
  Payload& p = *free_.back();
  free_.pop_back();
  const Access& access = accesses_[number];
  p.acquire();
  p.set_command(access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  p.set_address(access.address);
  p.set_data_ptr(access.data != nullptr ? access.data : pool_.at(&p)->scratch.data());
  p.set_data_length(access.length);
  p.set_streaming_width(access.length);
  p.set_byte_enable_ptr(nullptr);
  p.set_byte_enable_length(0);
  p.set_dmi_allowed(false);
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  if (access.data == nullptr) p.set_extension(&timing_only_);
  under_way_.emplace(&p, number);
  return p;
}

void bus_master::free(Payload* payload) {
  payload->clear_extension<timing_only>();
  payload->reset();
  free_.push_back(payload);
}

void bus_master::call_blocking(std::uint32_t number) {
  Payload& p = make(number);
  sc_core::sc_time delay;
  target_.b_transport(p, delay);
  finish(p, delay);
}

void bus_master::call_non_blocking(std::uint32_t number) {
  if (number == next_request) {
    requesting_ = nullptr;
    taken_ = true;
    if (waiting_.empty()) return;
    number = waiting_.front();
    waiting_.pop_front();
  } else if (!taken_) {
    return waiting_.push_back(number);
  }
  Payload& p = make(number);
  requesting_ = &p;
  taken_ = false;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  switch (target_.nb_transport_fw(p, phase, delay)) {
    case tlm::TLM_ACCEPTED:
      return;
    case tlm::TLM_UPDATED:
      return take_phase(p, phase, delay, false);
    case tlm::TLM_COMPLETED:
      request_ended(delay);
      return finish(p, delay);
  }
}

/// The next request may begin `delay` from now on, ahead of what is due then.
void bus_master::request_ended(const sc_core::sc_time& delay) {
  requesting_ = nullptr;
  clock_.calls().add(now() + fabric::from_sc_time(delay), device_, 0, *this, next_request);
}

void bus_master::take_phase(Payload& p, tlm::tlm_phase phase, const sc_core::sc_time& delay,
                            bool backward) {
  if (phase == tlm::END_REQ) {
    if (requesting_ != &p) refuse(p, "ends a request that is over");
    return request_ended(delay);
  }
  if (phase != tlm::BEGIN_RESP) return;  // of another protocol: ignorable (15.2.5)
  if (requesting_ == &p) request_ended(delay);
  if (!backward) {
    tlm::tlm_phase end = tlm::END_RESP;
    sc_core::sc_time at = delay;
    target_.nb_transport_fw(p, end, at);
  }
  finish(p, delay);
}

tlm::tlm_sync_enum bus_master::nb_transport_bw(Payload& p, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  // Called by processes of a user's own, which are not to end for it.
  try {
    if (!under_way_.contains(&p)) refuse(p, "answers what is not under way");
    const bool responds = phase == tlm::BEGIN_RESP;
    take_phase(p, phase, delay, true);
    if (!responds) return tlm::TLM_ACCEPTED;
    phase = tlm::END_RESP;
    return tlm::TLM_UPDATED;
  } catch (const std::exception&) {
    clock_.fail(std::current_exception(), &owner_);
    return tlm::TLM_COMPLETED;
  }
}

void bus_master::finish(Payload& p, const sc_core::sc_time& delay) {
  const auto at = under_way_.find(&p);
  const std::uint32_t number = at->second;
  under_way_.erase(at);
  const bool ok = p.is_response_ok();
  answered_(number, now() + fabric::from_sc_time(delay), ok);
  clock_.calls().answered();
  p.release();
}

void bus_master::refuse(const Payload& p, const char* what) const {
  throw ModelError(fmt::format("{}: the target at `memory` {}: a {} of {} bytes at {:#x}",
                               owner_.name(), what, p.is_write() ? "write" : "read",
                               p.get_data_length(), p.get_address()));
}

}  // namespace horae::rnic
