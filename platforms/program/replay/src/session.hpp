// One replay: the switch, what stands at its ports, and what is written of it.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horae/capture/dissection.hpp"
#include "horae/config/platform.hpp"
#include "horae/elaboration/switches.hpp"
#include "horae/replay/addresses.hpp"
#include "horae/replay/connections.hpp"
#include "horae/replay/options.hpp"
#include "horae/replay/port.hpp"
#include "horae/replay/recorder.hpp"
#include "horae/replay/replay.hpp"
#include "horae/results/progress.hpp"
#include "horae/results/result_folder.hpp"
#include "horae/results/result_stream.hpp"
#include "switch_ports.hpp"

namespace horae::replay {

/// The whole of a replay: made, it is ready to run.
class Session {
 public:
  Session(const config::PlatformConfig& platform, const ReplayOptions& options,
          results::ResultFolder* folder);

  ReplayOutcome run();

 private:
  struct Entry {
    unsigned port;
    std::unique_ptr<Trace> trace;
  };

  const std::string& device_name() const { return platform_.devices[vertex_].name; }
  /// Null: a plain switch.
  const config::TofinoProfile* chip_profile() const;
  bool works_on_bytes() const;
  std::vector<std::string> warnings(const nlohmann::ordered_json& summary) const;

  // Setting up (session.cpp).
  void find_entries();
  /// Classes of the switch by codes.
  fabric::ClassMaps class_maps() const;
  capture::DissectOptions dissect_options() const;
  std::vector<Entry> open_traces(ReplayAddresses& addresses) const;
  /// Connections found in a first pass over all of the traces.
  void learn();
  void build();

  // Files that are written while it runs (session_files.cpp).
  /// Where the folder's files are, under names that messages can show.
  results::ResultStream stream(const std::string& name);
  void record();
  /// By full name ("tor0.pipe1.path") or in every pipeline by its own ("path").
  void watch_registers();

  // Running (session_run.cpp).
  /// Whether every packet came in and went out, or was dropped.
  bool complete() const;
  bool over() const;
  /// The last bit of a packet in, or the first one of a packet out, whichever is later.
  Picoseconds ended() const;
  double share() const;
  /// Shows how far it is, and gives up when the user asks for that.
  void look(double done, std::string_view what);
  void run_to_end();

  // summary.json (session_summary.cpp).
  nlohmann::ordered_json summary() const;
  /// Packets of the traces and copies = delivered + dropped + held, or the model lost one.
  nlohmann::ordered_json packets_json() const;
  nlohmann::ordered_json results_json() const;
  nlohmann::ordered_json port_rows() const;
  nlohmann::ordered_json kind_rows() const;
  nlohmann::ordered_json program_json() const;
  nlohmann::ordered_json statistics() const;
  /// Options of the request, beside the platform.
  nlohmann::ordered_json request() const;

  static constexpr std::uint64_t look_every = 1 << 16;

  const config::PlatformConfig& platform_;
  const ReplayOptions& options_;
  results::ResultFolder* folder_;
  unsigned vertex_;
  std::vector<fabric::RouteTable> routes_;
  std::vector<PortSpec> specs_;
  ReplayAddresses addresses_;
  std::vector<unsigned> entry_ports_;
  ReplayConnections connections_;
  std::uint64_t not_added_ = 0;
  fabric::sim_context context_;
  results::Progress progress_;
  ReplayRecorder recorder_;
  std::unique_ptr<fabric::device> device_;
  tofino::tofino_switch* chip_ = nullptr;
  std::vector<Entry> entries_;
  Picoseconds lead_{};
  std::optional<std::int64_t> stamp_ns_;
  bool watched_ = false;
  std::vector<std::unique_ptr<replay_port>> ends_;  ///< by port
};

}  // namespace horae::replay
