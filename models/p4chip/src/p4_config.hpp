// The table of a P4 program in a platform, and what its files say.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "horae/dataplane/design/design.hpp"
#include "horae/p4chip/p4_program.hpp"
#include "horae/p4lang/program.hpp"
#include "horae/p4prog/code.hpp"
#include "horae/p4prog/entries.hpp"
#include "horae/params/located.hpp"
#include "route_entries.hpp"

namespace horae::p4chip {

struct P4Config {
  Located<std::string> source;
  std::vector<Located<std::string>> entries;
  std::vector<Located<std::string>> control;
  std::string control_host;
  Picoseconds control_latency{};
  std::vector<Located<std::string>> include;
  std::vector<std::string> define;
  std::optional<Located<std::string>> content;
  std::optional<Located<std::string>> compiled;
  bool tofino1 = false;
  bool random_unwritten = false;
  std::optional<Located<std::uint32_t>> stages;
  std::optional<Located<std::string>> cpu_packets;
  std::optional<Picoseconds> ghost_period;  ///< absent: 100 ns
  std::optional<RoutesConfig> routes;

  static const Schema<P4Config>& schema();
};

/// Content of the files of a configuration, read once for all switches that have it.
struct P4Files {
  std::shared_ptr<const p4lang::Program> program;
  p4prog::ProgramCode codes;
  std::vector<p4prog::Entries> entries;
  std::vector<p4prog::ControlStep> later;  ///< what scripts do during the simulation
  std::vector<p4prog::PortName> ports;
  bool tofino2 = true;
  bool random_unwritten = false;
  /// Frames that the CPU sends, without FCS, and when.
  std::vector<std::vector<std::uint8_t>> cpu_frames;
  std::vector<Picoseconds> cpu_times;
  bool deflects = false;   ///< packets may ask for another way where their queue has no room
  bool has_ghost = false;  ///< the program has a ghost thread
  std::vector<dataplane::Design> designs;  ///< by pipe; empty: the source has no price
  std::optional<RouteEntries> routes;
  std::string stages_from;  ///< where it is not the price: what, and why

  const p4prog::PipeCode& code(unsigned pipe) const {
    return *codes[pipe < codes.size() ? pipe : codes.size() - 1];
  }
};

/// Reads the files, and tries the entries on a pipe of their own. InputError with its place.
/// Fills in `content`.
std::shared_ptr<const P4Files> read_files(P4Config& config, const P4Host& host);

}  // namespace horae::p4chip
