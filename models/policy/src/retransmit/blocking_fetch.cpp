// H1: a NACK preempts TX, and what it asks for is fetched again before anything else is sent.
#include "horae/policy/retransmit/policies.hpp"

namespace horae::policy {
namespace {

/// Stalls the port for `serial_reads` dependent reads (queue pair context, WQE, translation) and
/// the read of the two payloads, so the stall is proportional to the PCIe round trip and
/// independent of the network. "Fetching retransmitted packets may block the normal TX data path"
/// (packet-spraying paper 2.3, issue 2).
class BlockingFetch final : public RetransmitPolicy {
 public:
  explicit BlockingFetch(const RetransmitConfig::BlockingFetch& config) : config_(config) {}

  void add_work(RetransmitWork& work) const override { work.serial_reads += config_.serial_reads; }
  Scope server() const override { return Scope::port; }
  Merge merge() const override { return config_.merge; }
  Scope stall() const override { return Scope::port; }

 private:
  RetransmitConfig::BlockingFetch config_;
};

}  // namespace

std::unique_ptr<RetransmitPolicy> make_blocking_fetch(const RetransmitConfig& config) {
  return std::make_unique<BlockingFetch>(config.blocking_fetch);
}

}  // namespace horae::policy
