// Programs of the host behind a NIC, and when they go on. No SystemC.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "horae/rnic/parts/queue_pair.hpp"
#include "horae/traffic/host_program.hpp"

namespace horae::rnic {

class HostPrograms {
 public:
  /// Returns its number.
  int add(std::unique_ptr<traffic::HostProgram> program) {
    all_.push_back({std::move(program), {}, never});
    return static_cast<int>(all_.size()) - 1;
  }
  /// A queue pair of the NIC: of a program, or not.
  void add(const QueuePairConfig& config) {
    if (config.program < 0 || !config.source) return;
    all_[static_cast<std::size_t>(config.program)].gates[config.channel] = config.exchange;
  }

  std::size_t size() const { return all_.size(); }
  traffic::HostProgram& operator[](std::size_t i) { return *all_[i].program; }
  const traffic::HostProgram& operator[](std::size_t i) const { return *all_[i].program; }
  /// The exchange that lets the messages of a channel go.
  int gate(std::size_t program, std::uint32_t channel) const {
    return all_[program].gates.at(channel);
  }

  /// Whether an event of the program at `at` is to be planned: none that is as early is.
  bool plan(std::size_t program, Picoseconds at) {
    if (at >= all_[program].planned) return false;
    all_[program].planned = at;
    return true;
  }
  /// An event that was planned came.
  void came(std::size_t program, Picoseconds now) {
    if (now >= all_[program].planned) all_[program].planned = never;
  }

  bool finished() const {
    for (const auto& one : all_) {
      if (!one.program->finished()) return false;
    }
    return true;
  }

 private:
  struct One {
    std::unique_ptr<traffic::HostProgram> program;
    std::unordered_map<std::uint32_t, int> gates;  ///< by channel
    Picoseconds planned = never;                   ///< its earliest event that is planned
  };
  std::vector<One> all_;
};

}  // namespace horae::rnic
