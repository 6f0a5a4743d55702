// The shared clock: how SystemC time and the devices' local time keep together.
#pragma once

#include <exception>
#include <systemc>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::fabric {

class device;
class module_joint;
class rank_border;

/// How devices are run. Both give byte-identical results; windows cost far fewer kernel events.
enum class scheduling {
  windowed,    ///< every device runs once per window, by the clock's one process
  exact_wake,  ///< every device wakes at each of its own event times
};

struct time_config {
  scheduling mode = scheduling::windowed;
  /// Window length; zero: the smallest link delay of the platform. Never above it.
  Picoseconds window{};
};

/// Runs the devices window by window, in one method process: a process per device and window costs
/// SystemC about 120 instructions. In each window [begin, end) every device handles its events
/// before `end` and hands packets to its peers at times no earlier than `end` (guaranteed by links
/// at least as long as a window), so running devices one after the other within a window is exact.
class window_clock : public sc_core::sc_module {
 public:
  window_clock(sc_core::sc_module_name name, const time_config& config);

  /// The run has other processes: windows end where all exchange what crosses. Before any device is
  /// constructed. InputError with exact_wake, which has no windows.
  void join(rank_border& border);
  /// Called by every device that runs here when it is constructed.
  void attach(device& d) { devices_.push_back(&d); }
  /// Called by every module on a link: what it holds is not idle.
  void attach(const module_joint& m) { joints_.push_back(&m); }
  /// Called for every link: no window may be longer than the shortest delay.
  void limit_window(Picoseconds link_delay);

  scheduling mode() const { return config_.mode; }
  /// End of the current window: the earliest time at which anything may reach another device.
  Picoseconds horizon() const { return horizon_; }
  /// Window length in use (after elaboration).
  Picoseconds window() const { return window_; }

  /// Runs the simulation to `t`: every event before `t` is handled in every device, none at or
  /// after it. Stops early (returns false) when no device has anything left to do and no process
  /// outside the fabric waits for anything.
  bool run_to(Picoseconds t);

  /// A process failed: stops the simulation, and run_to() throws what it threw. (SystemC would turn
  /// it into a report of its own.) `where`: the device it belongs to, which is named where a run
  /// has several processes.
  void fail(std::exception_ptr error, const device* where = nullptr);

  /// Whether no device has any pending event or packet, and no module on a link a packet.
  bool idle() const;
  const std::vector<device*>& devices() const { return devices_; }
  std::uint64_t windows() const { return windows_; }

 protected:
  void end_of_elaboration() override;

 private:
  void next_window();
  void run_devices();
  void cross(Picoseconds now);
  [[noreturn]] void rethrow();

  time_config config_;
  Picoseconds window_ = never;
  Picoseconds horizon_{};
  Picoseconds limit_{};
  std::vector<device*> devices_;
  std::vector<const module_joint*> joints_;
  sc_core::sc_event next_{"next"};
  std::uint64_t windows_ = 0;
  std::exception_ptr error_;
  const device* failed_ = nullptr;
  rank_border* border_ = nullptr;
};

}  // namespace horae::fabric
