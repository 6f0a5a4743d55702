// The shared clock: how SystemC time and the devices' local time keep together.
#pragma once

#include <exception>
#include <memory>
#include <systemc>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/fabric/call_queue.hpp"
#include "horae/fabric/threads/thread_team.hpp"

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
  threading threads{};  ///< window_clock::use_threads()
};

/// How run_to() ended.
enum class run_end {
  reached,  ///< at `t`, and there is more to do
  idle,     ///< nothing is left to do; it may be earlier than `t`
  paused,   ///< before `t`, by another sc_pause(): run_to() goes on from there
  stopped,  ///< by another sc_stop(): the simulation is over
};

/// Runs the devices window by window, in one process of SystemC: a process per device and window
/// costs SystemC about 120 instructions. In each window [begin, end) every device handles its
/// events before `end` and hands packets to its peers at times no earlier than `end` (guaranteed by
/// links at least as long as a window), so running devices one after the other within a window is
/// exact.
///
/// The process is a method. What a device asks of a module of a user's own is called by a process
/// of its own, at its own time (calls()).
///
/// It runs from the start of simulation on, whoever calls sc_start(): run_to(), which stops devices
/// exactly, or a user's program, after whose sc_start() devices are up to a window ahead of
/// sc_time_stamp(). Both may take turns. When nothing is left to do, sc_start() of a user's program
/// has no windows until a device has something to do: for a packet of theirs, or after wake().
///
/// What goes wrong in a process of ours is an SC_ERROR with the message type error_report(), the
/// module in its text, and SystemC's time. Within run_to() that is reported, and then run_to()
/// throws what was thrown. Within a user's sc_start() what the report handler does with it counts:
/// by default it throws the report, which leaves sc_start(). A handler that does not throw ends the
/// simulation (sc_stop).
class window_clock : public sc_core::sc_module {
 public:
  /// InputError when SystemC has elaborated before, as it does so once per process, or its time
  /// resolution is not 1 ps.
  window_clock(sc_core::sc_module_name name, const time_config& config);

  /// Message type of the reports of what went wrong: of a user's input, or of a model.
  static const char* error_report(bool of_input) {
    return of_input ? "/horae/input_error" : "/horae/model_error";
  }

  /// The run has other processes: windows end where all exchange what crosses. Before any device is
  /// constructed. InputError with exact_wake, which has no windows.
  void join(rank_border& border);
  /// Called by every device that runs here when it is constructed.
  void attach(device& d) { devices_.push_back(&d); }
  /// Called by every module on a link: what it holds is not idle.
  void attach(const module_joint& m) { joints_.push_back(&m); }
  /// Called for every direction of a link (tx_port::configure), and for what else hands something
  /// over after a delay: no window may be longer than the shortest of them.
  void limit_window(Picoseconds link_delay);

  /// Devices are run by so many threads, or by fewer where there are not so many devices; before
  /// simulation starts. With exact wakes, or with an observer of packets, there is one.
  void use_threads(const threading& threads) { config_.threads = threads; }
  /// Null: there is one thread.
  const thread_team* team() const { return team_.get(); }

  scheduling mode() const { return config_.mode; }
  /// End of the current window: the earliest time at which anything may reach another device.
  Picoseconds horizon() const { return horizon_; }
  /// Window length in use (after elaboration).
  Picoseconds window() const { return window_; }

  /// Runs the simulation to `t`: every event before `t` is handled in every device, none at or
  /// after it (but for what a user's own sc_start() ran ahead). Stops early when no device has
  /// anything left to do and no process outside the fabric waits for anything. At or after `t`
  /// already, only what devices count by time is brought up to now. ModelError after sc_stop().
  run_end run_to(Picoseconds t);

  /// Has the devices run again if nothing was left to do: for who gives a device work otherwise
  /// than by a packet, in a program that calls sc_start() itself.
  void wake();

  /// Something failed in a process of ours, or in a call of ours by a process of a user's: ends the
  /// simulation, as described above. `where`: the module it belongs to.
  void fail(std::exception_ptr error, const sc_core::sc_object* where = nullptr);

  /// Whether no device has any pending event or packet, and no module on a link a packet or more to
  /// come.
  bool idle() const;
  /// Calls of modules of a user's own.
  call_queue& calls() { return calls_; }
  const std::vector<device*>& devices() const { return devices_; }
  std::uint64_t windows() const { return windows_; }

 protected:
  void end_of_elaboration() override;
  void start_of_simulation() override;

 private:
  class Driven;

  void set_window();
  void next_window();
  Picoseconds look_ahead(Picoseconds limit);
  void run_devices();
  void make_team();
  void fail_in(const thread_team::Failure& failure);
  void account(Picoseconds now);
  run_end end_at(Picoseconds t);
  void report(const std::exception_ptr& error, const sc_core::sc_object* where) const;
  void cross(Picoseconds now);
  [[noreturn]] void rethrow();

  time_config config_;
  Picoseconds window_ = never;
  Picoseconds horizon_{};
  Picoseconds limit_ = never;  ///< of run_to()
  bool driven_ = false;        ///< by run_to()
  bool paused_here_ = false;
  Picoseconds slept_ = never;  ///< since devices ran up to there there is nothing to do, and no
                               ///< horizon; `never`: windows go on
  std::vector<device*> devices_;
  std::vector<const module_joint*> joints_;
  sc_core::sc_event next_{"next"};
  std::uint64_t windows_ = 0;
  std::exception_ptr error_;
  const sc_core::sc_object* failed_ = nullptr;
  rank_border* border_ = nullptr;
  call_queue calls_{};
  std::unique_ptr<thread_team> team_;
};

}  // namespace horae::fabric
