// H8: the receiver's NACK generator is limited in rate.
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/retransmit/parameters.hpp"

namespace horae::policy {
namespace {

/// A NACK that would come sooner than `interval` after the last one of its queue pair is not sent;
/// the next packet out of order after that time brings it.
class NackRateLimitPolicy final : public RetransmitPolicy {
 public:
  explicit NackRateLimitPolicy(const NackRateLimit& config) : config_(config) {}

  Picoseconds nack_interval() const override { return config_.interval; }

 private:
  NackRateLimit config_;
};

}  // namespace

const Schema<NackRateLimit>& NackRateLimit::schema() {
  static const auto s =
      Schema<NackRateLimit>("nack_rate_limit", "H8: the receiver limits the rate of its NACKs.")
          .field("interval", &NackRateLimit::interval,
                 {.doc = "least time between two NACKs of a queue pair",
                  .max = 1_ms,
                  .source = "hypothesis, 0 to 2 us",
                  .verified = false});
  return s;
}

RetransmitEntry nack_rate_limit_mechanism() {
  return {.name = "nack_rate_limit",
          .hypothesis = "H8",
          .doc = "the receiver's NACKs are limited in rate",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<RetransmitPolicy> {
            return std::make_unique<NackRateLimitPolicy>(parameters.of<NackRateLimit>());
          },
          .parameters = {table_of<NackRateLimit>()}};
}

}  // namespace horae::policy
