// A pipeline of the chip in time: its copy of the program, the clock at which headers enter, and
// how long its passes take.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "horae/core/fast_clock.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "horae/programs/program.hpp"
#include "horae/tofino/chip_config.hpp"

namespace horae::tofino {

/// Ingress takes one header per clock, and so does egress where the chip's timing says so: else the
/// rates of its ports are taken to keep below it.
class ChipPipeline {
 public:
  /// Builds the program's objects; `name` is the pipeline's. `set_latencies` follows.
  ChipPipeline(const std::string& name, unsigned index, std::uint64_t seed,
               const programs::ProgramFactory& factory, const programs::Routes& routes,
               const ChipConfig& config);
  /// The MAU cycles of either gress are those of the placement that `ledger` shows.
  void set_latencies(const dataplane::Ledger& ledger);

  /// When a header is in the MAU and out of the deparser of ingress.
  struct Slot {
    Picoseconds entered;
    Picoseconds deparsed;
  };
  /// The next clock edge at or after `t` at which no other header enters; it is taken.
  [[gnu::always_inline]] Slot reserve(Picoseconds t) {
    const Cycles entry = std::max(clock_.at_or_after(t), last_entry_ + Cycles(1));
    last_entry_ = entry;
    const Picoseconds entered = clock_.edge(entry);
    counters_.wait += entered - t;
    return {entered, clock_.edge(entry + ingress_cycles_) + ingress_deparser_};
  }
  /// Likewise when a header enters the MAU of egress, without the rest.
  Picoseconds reserve_egress(Picoseconds t) {
    const Cycles entry = std::max(clock_.at_or_after(t), last_egress_entry_ + Cycles(1));
    last_egress_entry_ = entry;
    return clock_.edge(entry);
  }
  /// A trusted pass only where passes are not checked().
  void run_ingress(dataplane::PassKind auto& pass) {
    ++counters_.ingress_passes;
    passes_of(pass).ingress(pass);
  }
  void run_egress(dataplane::PassKind auto& pass) {
    ++counters_.egress_passes;
    passes_of(pass).egress(pass);
  }

  /// From entering the ingress MAU to the end of the deparser.
  Picoseconds ingress_time() const { return clock_.edge(ingress_cycles_) + ingress_deparser_; }
  /// From leaving the queue to the first bit out.
  Picoseconds egress_latency() const { return egress_latency_; }
  /// From leaving the queue to the end of the deparser.
  Picoseconds egress_time() const { return egress_latency_ - mac_tx_; }

  /// Whether its passes are checked: all are, but those of a program that keeps the rules.
  bool checked() const { return trusted_ == nullptr; }
  void check_always() { trusted_ = nullptr; }

  unsigned index() const { return index_; }
  programs::Program& program() { return *program_; }
  const programs::Program& program() const { return *program_; }
  const dataplane::Pipeline& objects() const { return *objects_; }

  struct Counters {
    std::uint64_t ingress_passes = 0;
    std::uint64_t egress_passes = 0;
    Picoseconds wait{};  ///< sum of the time headers waited for a clock
  };
  const Counters& counters() const { return counters_; }

 private:
  programs::Program& passes_of(const dataplane::Pass&) { return *program_; }
  programs::TrustedPasses& passes_of(const dataplane::TrustedPass&) { return *trusted_; }

  std::unique_ptr<dataplane::Pipeline> objects_;
  std::unique_ptr<programs::Program> program_;
  programs::TrustedPasses* trusted_;  ///< null: they are checked
  unsigned index_;
  FastClock clock_;
  Cycles last_entry_{-1};  ///< clock edge at which the last header entered
  Cycles last_egress_entry_{-1};
  Cycles ingress_cycles_{};
  Picoseconds ingress_deparser_;
  Picoseconds egress_fixed_;  ///< parser, deparser and MAC
  Picoseconds egress_latency_{};
  Picoseconds mac_tx_;
  Counters counters_;
};

}  // namespace horae::tofino
