// H1: a NACK preempts TX, and what it asks for is fetched again before anything else is sent.
#include "common_keys.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/retransmit/parameters.hpp"

namespace horae::policy {
namespace {

/// Stalls the port for `serial_reads` dependent reads (queue pair context, WQE, translation) and
/// the read of the two payloads, so the stall is proportional to the PCIe round trip and
/// independent of the network. "Fetching retransmitted packets may block the normal TX data path"
/// (packet-spraying paper 2.3, issue 2).
class BlockingFetchPolicy final : public RetransmitPolicy {
 public:
  explicit BlockingFetchPolicy(const BlockingFetch& config) : config_(config) {}

  void add_work(RetransmitWork& work) const override { work.serial_reads += config_.serial_reads; }
  Scope server() const override { return Scope::port; }
  Merge merge() const override { return config_.merge; }
  Scope stall() const override { return Scope::port; }

 private:
  BlockingFetch config_;
};

}  // namespace

const Schema<BlockingFetch>& BlockingFetch::schema() {
  static const auto s =
      Schema<BlockingFetch>("blocking_fetch", "H1: TX waits while a retransmission is fetched.")
          .choice("merge", &BlockingFetch::merge, merges(), {.doc = merge_doc})
          .field("serial_reads", &BlockingFetch::serial_reads, serial_reads_info());
  return s;
}

RetransmitEntry blocking_fetch_mechanism() {
  return {.name = "blocking_fetch",
          .hypothesis = "H1",
          .doc = "TX waits while what a NACK asks for is fetched again",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<RetransmitPolicy> {
            return std::make_unique<BlockingFetchPolicy>(parameters.of<BlockingFetch>());
          },
          .parameters = {table_of<BlockingFetch>()}};
}

}  // namespace horae::policy
