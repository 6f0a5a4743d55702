// H8: the receiver's NACK generator is limited in rate.
#include "horae/policy/retransmit/policies.hpp"

namespace horae::policy {
namespace {

/// A NACK that would come sooner than `interval` after the last one of its queue pair is not sent;
/// the next packet out of order after that time brings it.
class NackRateLimit final : public RetransmitPolicy {
 public:
  explicit NackRateLimit(const RetransmitConfig::NackRateLimit& config) : config_(config) {}

  Picoseconds nack_interval() const override { return config_.interval; }

 private:
  RetransmitConfig::NackRateLimit config_;
};

}  // namespace

std::unique_ptr<RetransmitPolicy> make_nack_rate_limit(const RetransmitConfig& config) {
  return std::make_unique<NackRateLimit>(config.nack_rate_limit);
}

}  // namespace horae::policy
