// Counters of a device as SystemC signals, for waveforms of a program of one's own.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/fabric/device.hpp"

namespace horae::fabric {

/// Signals that are set to a device's counters every `period`, the first time at 0. A device is
/// ahead of sc_time_stamp() by up to a window, and so is what it has counted. sc_start() without a
/// time does not return while there is one.
class counter_signals : public sc_core::sc_module {
 public:
  /// `counters`: names as statistics() has them, groups and name joined by dots ("acks_sent",
  /// "entropy.random"). Made before simulation starts. InputError, with the nearest name, for one
  /// that the device does not have, and for a period of nothing.
  counter_signals(const sc_core::sc_module_name& name, const device& of,
                  const std::vector<std::string>& counters, Picoseconds period);

  /// By the counter's name, in the counter's unit; InputError for one that was not asked for.
  const sc_core::sc_signal<double>& at(const std::string& counter) const;
  /// Adds all of them to a waveform file of the program's, by their names.
  void trace(sc_core::sc_trace_file* file) const;

 private:
  void sample();
  std::vector<std::pair<std::string, double>> counted() const;

  const device& device_;
  sc_core::sc_time period_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<sc_core::sc_signal<double>>> signals_;  ///< by name
};

}  // namespace horae::fabric
