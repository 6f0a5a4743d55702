// H5': a recovery handshake: no new data between the retransmissions and their acknowledgement.
#include "horae/policy/retransmit/policies.hpp"

namespace horae::policy {
namespace {

/// The second retransmitted packet is sent "so as to cause the second computer to acknowledge
/// receipt" (US 11870590, claim 7); until that ACK comes the queue pair sends nothing new, and
/// NACKs that come meanwhile merge. The stall is the network's round trip and has no parameter. A
/// NACK of a second loss would wait for the retransmission timer; after `guard` it is served
/// instead (ours: without it two losses in one window end in a timeout).
class RecoveryHandshake final : public RetransmitPolicy {
 public:
  explicit RecoveryHandshake(const RetransmitConfig::RecoveryHandshake& config) : config_(config) {}

  void add_work(RetransmitWork& work) const override { work.serial_reads += config_.serial_reads; }
  Scope server() const override { return Scope::queue_pair; }
  Merge merge() const override { return Merge::one_pending; }
  Scope stall() const override {
    return config_.hold_from == RetransmitConfig::HoldFrom::nack ? Scope::queue_pair : Scope::none;
  }
  bool hold_new_data() const override { return true; }
  Picoseconds hold_guard() const override { return config_.guard; }

 private:
  RetransmitConfig::RecoveryHandshake config_;
};

}  // namespace

std::unique_ptr<RetransmitPolicy> make_recovery_handshake(const RetransmitConfig& config) {
  return std::make_unique<RecoveryHandshake>(config.recovery_handshake);
}

}  // namespace horae::policy
