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

/// Longest window: its arrivals are put in order by times of so many bits.
constexpr Picoseconds longest_window{std::int64_t{1} << (ArrivalOrder::time_bits - 1)};

constexpr const char* strange = "something was thrown that is no std::exception";

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

Picoseconds now_in_systemc() { return from_sc_time(sc_core::sc_time_stamp()); }

bool stopped() {
  const auto status = sc_core::sc_get_status();
  return status == sc_core::SC_STOPPED || status == sc_core::SC_END_OF_SIMULATION;
}

const sc_core::sc_module_name& before_elaboration(const sc_core::sc_module_name& name) {
  if (sc_core::sc_get_status() <= sc_core::SC_BEFORE_END_OF_ELABORATION) return name;
  throw InputError(
      "SystemC has elaborated in this process: expected one simulation per process (make all of it "
      "before the first sc_start(), or run the next one in another process)");
}

/// Text of an error, with the module that it belongs to.
std::string text_of(const std::exception& e, const sc_core::sc_object* where) {
  const std::string text = e.what();
  const bool named = where == nullptr || text.find(where->name()) != std::string::npos;
  return named ? text : fmt::format("{}: {}", where->name(), text);
}

}  // namespace

/// While run_to() drives the simulation.
class window_clock::Driven {
 public:
  Driven(window_clock& clock, Picoseconds limit) : clock_(clock) {
    clock.driven_ = true;
    clock.paused_here_ = false;
    clock.limit_ = limit;
  }
  ~Driven() {
    clock_.driven_ = false;
    clock_.limit_ = never;
  }
  Driven(const Driven&) = delete;
  Driven& operator=(const Driven&) = delete;

 private:
  window_clock& clock_;
};

window_clock::window_clock(sc_core::sc_module_name name, const time_config& config)
    : sc_module(before_elaboration(name)), config_(config) {
  require_picoseconds();
}

void window_clock::join(rank_border& border) {
  if (config_.mode == scheduling::exact_wake)
    throw InputError("several ranks need windows: expected sim.scheduling = \"windowed\"");
  border_ = &border;
}

void window_clock::limit_window(Picoseconds link_delay) { window_ = std::min(window_, link_delay); }

void window_clock::end_of_elaboration() {
  set_window();
  if (config_.mode == scheduling::exact_wake) return;
  SC_HAS_PROCESS(window_clock);
  SC_METHOD(next_window);
  sensitive << next_;
  dont_initialize();
}

void window_clock::start_of_simulation() {
  make_team();
  if (config_.mode == scheduling::windowed) next_.notify(sc_core::SC_ZERO_TIME);
}

/// Called before devices have events: the clock is older than they are.
void window_clock::make_team() {
  if (config_.threads.count < 2 || devices_.size() < 2 || config_.mode == scheduling::exact_wake)
    return;
  sim_context& context = devices_.front()->context();
  if (context.watcher == nullptr)
    team_ = std::make_unique<thread_team>(devices_, context, config_.threads);
}

void window_clock::set_window() {
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
  window_ = std::min(window_, longest_window);
}

void window_clock::next_window() {
  const Picoseconds begin = now_in_systemc();
  slept_ = never;
  if (border_ != nullptr && begin == border_->due()) [[unlikely]] {
    cross(begin);
    if (error_) return;
  }
  // Up to here nothing arrives that is not known.
  const Picoseconds limit = border_ == nullptr ? limit_ : std::min(limit_, border_->due());
  horizon_ = std::min(begin + window_, limit);
  ++windows_;
  Picoseconds next = horizon_;
  constexpr std::uint64_t windows_between_idle_checks = 256;
  // Pending activity belongs to SystemC processes outside the fabric, which may still send.
  if (windows_ % windows_between_idle_checks == 0 && !sc_core::sc_pending_activity())
    next = look_ahead(limit);
  if (next != never) [[likely]]
    next_.notify(to_sc_time(next - begin));
  run_devices();
  if (next != horizon_) [[unlikely]]
    slept_ = std::exchange(horizon_, never);
}

/// When the next window begins. Nothing is handed over before anybody has something to do. Up to
/// there one long window is exact, but only run_to() knows that a user's program will not hand over
/// something meanwhile; else there is no window, which wake() may end.
Picoseconds window_clock::look_ahead(Picoseconds limit) {
  const Picoseconds busy = earliest(devices_, horizon_);
  if (busy <= horizon_) return horizon_;
  const Picoseconds next = std::min(busy, limit);
  if (!driven_) return next;
  if (busy == never && border_ == nullptr) {
    paused_here_ = true;
    sc_core::sc_pause();
  } else {
    horizon_ = next;
  }
  return horizon_;
}

void window_clock::wake() {
  if (slept_ == never) return;
  const Picoseconds now = now_in_systemc();
  horizon_ = std::max(now, std::exchange(slept_, never));
  next_.notify(to_sc_time(horizon_ - now));
}

void window_clock::run_devices() {
  if (team_ != nullptr) {
    const auto failure = team_->run_window(horizon_);
    if (failure.error != nullptr) fail_in(failure);
    return;
  }
  // From the last constructed on: calendars gather what was pushed last first
  // (EventQueue::advance_to), and of events of one time those of earlier ports come first.
  for (auto d = devices_.rbegin(); d != devices_.rend(); ++d) {
    try {
      if (const auto next = std::next(d); next != devices_.rend()) (*next)->expect_window();
      (*d)->run_window(horizon_);
    } catch (const sc_core::sc_unwind_exception&) {
      throw;  // this process is being ended
    } catch (...) {
      fail(std::current_exception(), *d);
    }
  }
}

void window_clock::fail_in(const thread_team::Failure& failure) {
  try {
    std::rethrow_exception(failure.error);
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // this process is being ended
  } catch (...) {
    fail(failure.error, failure.where);
  }
}

void window_clock::cross(Picoseconds now) {
  try {
    // Pending activity belongs to SystemC processes outside the fabric, which may still send.
    const bool tell = border_->asks_for_idle_time() && !sc_core::sc_pending_activity();
    border_->cross(now, tell ? earliest(devices_, now) : now, limit_);
  } catch (...) {
    fail(std::current_exception());
  }
}

/// Devices ran up to their own last event, or the last window: lets them account for the time up to
/// now.
void window_clock::account(Picoseconds now) {
  if (config_.mode == scheduling::exact_wake) {
    for (device* d : devices_) d->run_to(now);
  } else if (slept_ < now) {
    for (device* d : devices_) d->run_window(now);
    if (team_ != nullptr) team_->deliver_told();
    slept_ = now;
  }
}

run_end window_clock::run_to(Picoseconds t) {
  if (stopped()) {
    throw ModelError(fmt::format("{}: sc_stop() ended the simulation at {}: it cannot go on",
                                 name(), sc_core::sc_time_stamp().to_string()));
  }
  const Picoseconds now = now_in_systemc();
  if (t <= now) {
    if (now.count() > 0) account(now);
    return idle() ? run_end::idle : run_end::reached;
  }
  {
    const Driven driven(*this, t);
    wake();
    sc_core::sc_start(to_sc_time(t - now));
  }
  if (!error_ && config_.mode == scheduling::exact_wake) account(now_in_systemc());
  if (error_) rethrow();
  return end_at(t);
}

run_end window_clock::end_at(Picoseconds t) {
  if (stopped()) return run_end::stopped;
  if (now_in_systemc() < t) return paused_here_ ? run_end::idle : run_end::paused;
  return idle() ? run_end::idle : run_end::reached;
}

void window_clock::fail(std::exception_ptr error, const sc_core::sc_object* where) {
  if (error_) return;
  if (!driven_) {
    report(error, where);
    return sc_core::sc_stop();
  }
  error_ = std::move(error);
  failed_ = where;
  sc_core::sc_pause();
  try {
    report(error_, where);
  } catch (const sc_core::sc_report&) {
    // run_to() throws what it reports.
  }
}

void window_clock::report(const std::exception_ptr& error, const sc_core::sc_object* where) const {
  std::string text;
  bool of_input = false;
  try {
    std::rethrow_exception(error);
  } catch (const sc_core::sc_report&) {
    throw;  // a user's target reported it
  } catch (const InputError& e) {
    of_input = true;
    text = text_of(e, where);
  } catch (const std::exception& e) {
    text = text_of(e, where);
  } catch (...) {
    text = text_of(ModelError(strange), where);
  }
  sc_core::sc_report_handler::report(sc_core::SC_ERROR, error_report(of_input), text.c_str(),
                                     __FILE__, __LINE__);
}

void window_clock::rethrow() {
  const std::exception_ptr error = std::exchange(error_, nullptr);
  if (border_ == nullptr || failed_ == nullptr) std::rethrow_exception(error);
  try {
    std::rethrow_exception(error);
  } catch (const InputError& e) {
    throw InputError(text_of(e, failed_));
  } catch (const std::exception& e) {
    throw ModelError(text_of(e, failed_));
  } catch (...) {
    throw ModelError(text_of(ModelError(strange), failed_));
  }
}

bool window_clock::idle() const {
  if (border_ != nullptr && !border_->empty()) return false;
  if (calls_.open() > 0 && sc_core::sc_pending_activity()) return false;
  return std::all_of(joints_.begin(), joints_.end(),
                     [](const module_joint* m) { return m->held() == 0 && !m->pending(); }) &&
         std::all_of(devices_.begin(), devices_.end(),
                     [](const device* d) { return d->next_time() == never; });
}

}  // namespace horae::fabric
