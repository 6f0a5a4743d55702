// H4: receiving an acknowledgement locks the queue pair context against TX.
#include "horae/policy/retransmit/policies.hpp"

namespace horae::policy {
namespace {

/// The queue pair sends nothing for `lock` per received NACK, whether or not it makes it
/// retransmit, and per received ACK if `acks`.
class ContextLock final : public RetransmitPolicy {
 public:
  explicit ContextLock(const RetransmitConfig::ContextLock& config) : config_(config) {}

  Picoseconds lock(bool nack) const override {
    return nack || config_.acks ? config_.lock : Picoseconds(0);
  }

 private:
  RetransmitConfig::ContextLock config_;
};

}  // namespace

std::unique_ptr<RetransmitPolicy> make_context_lock(const RetransmitConfig& config) {
  return std::make_unique<ContextLock>(config.context_lock);
}

}  // namespace horae::policy
