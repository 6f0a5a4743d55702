// Options for views of a run beside its results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::views {

/// The views of a run, as the command line has them; ViewFilter reads and checks the texts.
struct ViewOptions {
  static constexpr std::uint64_t default_most = 2'000'000;

  bool trace = false;                  ///< trace.json, for ui.perfetto.dev
  bool transactions = false;           ///< transactions.txlog, for SCViewer
  bool ftr = false;                    ///< transactions.ftr: the same in binary form
  bool waves = false;                  ///< waves.vcd, for GTKWave
  bool waterfall = false;              ///< waterfall.json and .csv: where messages' time goes
  bool recovery = false;               ///< recovery.json and .csv: timelines of retransmissions
  std::vector<std::string> pcap = {};  ///< DEVICE or DEVICE:PORT each: captures in ports/
  std::optional<std::string> from = {}, to = {};
  std::vector<std::string> flows = {};  ///< SRC, SRC-DST or SRC-DST:QP each
  std::uint32_t every = 1;              ///< one packet in so many
  std::uint64_t most = default_most;    ///< events that a view keeps

  /// A view that shows packets or messages one by one.
  bool any_of_packets() const {
    return trace || transactions || ftr || waterfall || recovery || !pcap.empty();
  }
  bool any() const { return waves || any_of_packets(); }
  /// The first option that says what a view shows, and means nothing without one; null: none.
  const char* narrowing() const;
  /// The first option that chooses packets; null: none.
  const char* choosing() const;
};

}  // namespace horae::views
