// H2: a retransmission discards what the TX pipe has prefetched, and the pipe is filled again.
#include "common_keys.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/retransmit/parameters.hpp"

namespace horae::policy {
namespace {

/// Stalls the port for the flush, the fetch of the WQE and the payloads; then new data waits for
/// its WQEs and payloads to be read once more. The wire shows what a merged H1 shows; host memory
/// is read more often per byte sent.
class PipelineFlushPolicy final : public RetransmitPolicy {
 public:
  explicit PipelineFlushPolicy(const PipelineFlush& config) : config_(config) {}

  void add_work(RetransmitWork& work) const override {
    work.processor += config_.flush;
    work.serial_reads += config_.serial_reads;
    work.flush = true;
  }
  Scope server() const override { return Scope::port; }
  Merge merge() const override { return config_.merge; }
  Scope stall() const override { return Scope::port; }

 private:
  PipelineFlush config_;
};

}  // namespace

const Schema<PipelineFlush>& PipelineFlush::schema() {
  static const auto s =
      Schema<PipelineFlush>("pipeline_flush", "H2: a retransmission discards what is prefetched.")
          .choice("merge", &PipelineFlush::merge, merges(), {.doc = merge_doc})
          .field("flush", &PipelineFlush::flush,
                 {.doc = "time to empty the pipe",
                  .max = 1_ms,
                  .source = no_public_value,
                  .verified = false})
          .field("serial_reads", &PipelineFlush::serial_reads, serial_reads_info());
  return s;
}

RetransmitEntry pipeline_flush_mechanism() {
  return {.name = "pipeline_flush",
          .hypothesis = "H2",
          .doc = "a retransmission discards prefetched WQEs and payloads",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<RetransmitPolicy> {
            return std::make_unique<PipelineFlushPolicy>(parameters.of<PipelineFlush>());
          },
          .parameters = {table_of<PipelineFlush>()}};
}

}  // namespace horae::policy
