#include "horae/tofino/chip_pipeline.hpp"

namespace horae::tofino {

ChipPipeline::ChipPipeline(const std::string& name, unsigned index, std::uint64_t seed,
                           const programs::ProgramFactory& factory, const programs::Routes& routes,
                           const ChipConfig& config)
    : objects_(std::make_unique<dataplane::Pipeline>(name, index, seed)),
      program_(factory.make(*objects_, routes)),
      trusted_(program_->trusted()),
      index_(index),
      clock_(Clock(config.mau_clock)),
      ingress_deparser_(config.ingress_deparser),
      egress_fixed_(config.egress_parser + config.egress_deparser + config.mac_tx),
      mac_tx_(config.mac_tx) {}

void ChipPipeline::set_latencies(const dataplane::Ledger& ledger) {
  using dataplane::Gress;
  ingress_cycles_ = ledger.latency[static_cast<std::size_t>(Gress::ingress)];
  egress_latency_ =
      egress_fixed_ + clock_.edge(ledger.latency[static_cast<std::size_t>(Gress::egress)]);
}

}  // namespace horae::tofino
