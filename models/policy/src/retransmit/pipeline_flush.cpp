// H2: a retransmission discards what the TX pipe has prefetched, and the pipe is filled again.
#include "horae/policy/retransmit/policies.hpp"

namespace horae::policy {
namespace {

/// Stalls the port for the flush, the fetch of the WQE and the payloads; then new data waits for
/// its WQEs and payloads to be read once more. The wire shows what a merged H1 shows; host memory
/// is read more often per byte sent.
class PipelineFlush final : public RetransmitPolicy {
 public:
  explicit PipelineFlush(const RetransmitConfig::PipelineFlush& config) : config_(config) {}

  void add_work(RetransmitWork& work) const override {
    work.processor += config_.flush;
    work.serial_reads += config_.serial_reads;
    work.flush = true;
  }
  Scope server() const override { return Scope::port; }
  Merge merge() const override { return config_.merge; }
  Scope stall() const override { return Scope::port; }

 private:
  RetransmitConfig::PipelineFlush config_;
};

}  // namespace

std::unique_ptr<RetransmitPolicy> make_pipeline_flush(const RetransmitConfig& config) {
  return std::make_unique<PipelineFlush>(config.pipeline_flush);
}

}  // namespace horae::policy
