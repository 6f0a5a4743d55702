#include "horae/fabric/window_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/fabric/device.hpp"
#include "horae/fabric/module_joint.hpp"
#include "horae/fabric/packet_link.hpp"
#include "horae/fabric/rank_border.hpp"

namespace horae::fabric {
namespace {

/// The earliest time at which one of them has something to do, or `never`; of times up to `enough`
/// the first one found.
Picoseconds earliest(const std::vector<device*>& devices, Picoseconds enough) {
  Picoseconds next = never;
  for (const device* d : devices) {
    next = std::min(next, d->next_time());
    if (next <= enough) break;
  }
  return next;
}

}  // namespace

window_clock::window_clock(sc_core::sc_module_name name, const time_config& config)
    : sc_module(name), config_(config) {
  if (config_.mode == scheduling::windowed) {
    SC_HAS_PROCESS(window_clock);
    SC_METHOD(next_window);
    sensitive << next_;
    dont_initialize();
  }
}

void window_clock::join(rank_border& border) {
  if (config_.mode == scheduling::exact_wake)
    throw InputError("several ranks need windows: expected sim.scheduling = \"windowed\"");
  border_ = &border;
}

void window_clock::limit_window(Picoseconds link_delay) { window_ = std::min(window_, link_delay); }

void window_clock::end_of_elaboration() {
  if (window_ == never) window_ = 1_us;  // no links: any window is exact
  if (config_.mode == scheduling::windowed && window_ <= Picoseconds(0)) {
    throw InputError("a link without delay leaves no window to run devices in");
  }
  if (config_.window.count() > 0) {
    if (config_.window > window_) {
      throw InputError(
          fmt::format("the window of {} ps is longer than the smallest link delay, {} ps",
                      config_.window.count(), window_.count()));
    }
    window_ = config_.window;
  }
}

void window_clock::next_window() {
  const Picoseconds begin = from_sc_time(sc_core::sc_time_stamp());
  if (border_ != nullptr && begin == border_->due()) [[unlikely]] {
    cross(begin);
    if (error_) return;
  }
  // Up to here nothing arrives that is not known.
  const Picoseconds limit = border_ == nullptr ? limit_ : std::min(limit_, border_->due());
  horizon_ = std::min(begin + window_, limit);
  ++windows_;
  constexpr std::uint64_t windows_between_idle_checks = 256;
  // What is pending here belongs to SystemC processes outside the fabric, which may still send.
  if (windows_ % windows_between_idle_checks == 0 && !sc_core::sc_pending_activity()) {
    const Picoseconds next = earliest(devices_, horizon_);
    if (next == never && border_ == nullptr) {
      sc_core::sc_pause();
    } else if (next > horizon_) {
      // Nothing is handed over before anybody has something to do: one long window is exact.
      horizon_ = std::min(next, limit);
    }
  }
  next_.notify(to_sc_time(horizon_ - begin));
  run_devices();
}

void window_clock::run_devices() {
  // From the last constructed on: calendars gather what was pushed last first
  // (EventQueue::advance_to), and of events of one time those of earlier ports come first.
  for (auto d = devices_.rbegin(); d != devices_.rend(); ++d) {
    try {
      if (const auto next = std::next(d); next != devices_.rend()) (*next)->expect_window();
      (*d)->run_window(horizon_);
    } catch (...) {
      fail(std::current_exception(), *d);
    }
  }
}

void window_clock::cross(Picoseconds now) {
  try {
    // What is pending here belongs to SystemC processes outside the fabric, which may still send.
    const bool tell = border_->asks_for_idle_time() && !sc_core::sc_pending_activity();
    border_->cross(now, tell ? earliest(devices_, now) : now, limit_);
  } catch (...) {
    fail(std::current_exception());
  }
}

bool window_clock::run_to(Picoseconds t) {
  limit_ = t;
  const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
  if (t <= now) return !idle();
  if (now.count() == 0 && windows_ == 0) next_.notify(sc_core::SC_ZERO_TIME);
  sc_core::sc_start(to_sc_time(t - now));
  if (!error_ && config_.mode == scheduling::exact_wake) {
    // Devices last ran at their own last event: let them account for the time up to here.
    const Picoseconds reached = from_sc_time(sc_core::sc_time_stamp());
    for (device* d : devices_) d->run_to(reached);
  }
  if (error_) rethrow();
  return from_sc_time(sc_core::sc_time_stamp()) == t && !idle();
}

void window_clock::fail(std::exception_ptr error, const device* where) {
  if (!error_) {
    error_ = std::move(error);
    failed_ = where;
  }
  sc_core::sc_pause();
}

void window_clock::rethrow() {
  const std::exception_ptr error = std::exchange(error_, nullptr);
  if (border_ == nullptr || failed_ == nullptr) std::rethrow_exception(error);
  const std::string device = failed_->name();
  const auto named = [&](const std::exception& e) {
    const std::string text = e.what();
    return text.find(device) == std::string::npos ? device + ": " + text : text;
  };
  try {
    std::rethrow_exception(error);
  } catch (const InputError& e) {
    throw InputError(named(e));
  } catch (const std::exception& e) {
    throw ModelError(named(e));
  }
}

bool window_clock::idle() const {
  if (border_ != nullptr && !border_->empty()) return false;
  return std::all_of(joints_.begin(), joints_.end(),
                     [](const module_joint* m) { return m->held() == 0; }) &&
         std::all_of(devices_.begin(), devices_.end(),
                     [](const device* d) { return d->next_time() == never; });
}

}  // namespace horae::fabric
