// A platform file inside a SystemC program of the user's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "horae/fabric/context.hpp"
#include "horae/fabric/device.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/rnic/rnic.hpp"
#include "horae/run/run.hpp"
#include "horae/tofino/tofino_switch.hpp"
#include "horae/views/view_options.hpp"

namespace horae {

struct PlatformOptions {
  std::vector<std::string> set = {};  ///< as `--set`: "nic.mtu=4KiB"
  std::string point = {};             ///< of the platform's sweep, by its label
  bool show_progress = false;         ///< on a terminal
  /// Recorded beside the results: `.views = {.transactions = true}`, as the options of
  /// `horae run` (context().watcher is taken then).
  views::ViewOptions views = {};
};

/// A platform file as modules of a program with an sc_main of its own. It is elaborated where it is
/// made: before the first sc_start(), and before modules of the program's own whose ports are
/// bound later, as messages that are run alone for their ideal times are runs in copies of this
/// process. One per process.
///
/// It is moved by run(), run_to() or plain sc_start(). The first two measure what `horae run`
/// measures: where they stop on the way changes no result. Devices of what sc_start() moves are up
/// to a window ahead of sc_time_stamp(): measured time begins and ends, routes change and
/// connections close where they are, up to a window later. Messages end at the same times where
/// none of that comes before; what is counted over the run may be a window more. results() is there
/// once the end of the run has been simulated.
class Platform {
 public:
  /// InputError (file:line:column: what was found, what was expected) for what cannot be built.
  explicit Platform(const std::string& file, const PlatformOptions& options = {});
  ~Platform();
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  /// In the order of the file, generated networks first.
  const std::vector<std::string>& names() const;
  /// By name; InputError with the nearest name for one that is not there, or is something else.
  /// What a program binds or sets it does before simulation starts: a NIC's host memory is
  /// `nic("h0").host()->memory` (host() is null without host = "pcie").
  fabric::device& device(const std::string& name);
  rnic::rnic& nic(const std::string& name);
  tofino::tofino_switch& chip(const std::string& name);
  fabric::output_queued_switch& plain_switch(const std::string& name);
  /// A [[host_memory]], likewise.
  rnic::memory_module& memory(const std::string& name);
  /// Shared by all of them: packets, clock, seed, observers.
  fabric::sim_context& context();

  /// Goes on to `t`, or to the end of the run if that is before (sim.duration, or all is done with
  /// sim.stop = "finished"). `paused`, `stopped`: by a call of sc_pause() or sc_stop().
  fabric::run_end run_to(Picoseconds t);
  /// To the end of the run.
  fabric::run_end run() { return run_to(never); }
  /// The run is at its end.
  bool over() const;
  /// Results as `horae run` writes them, to the byte but for the wall time: summary.json,
  /// flows.csv, series.csv. ModelError while it is not over.
  const run::RunOutcome& results();
  /// Writes results(), and the views, to a folder, as `horae run --out`.
  void write(const std::string& folder);
  /// The views alone, of what was simulated so far, however it was moved: the last call.
  /// InputError where PlatformOptions asks for none.
  void write_views(const std::string& folder);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace horae
