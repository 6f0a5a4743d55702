// H4: receiving an acknowledgement locks the queue pair context against TX.
#include "common_keys.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/retransmit/parameters.hpp"

namespace horae::policy {
namespace {

/// The queue pair sends nothing for `lock` per received NACK, whether or not it makes it
/// retransmit, and per received ACK if `acks`.
class ContextLockPolicy final : public RetransmitPolicy {
 public:
  explicit ContextLockPolicy(const ContextLock& config) : config_(config) {}

  Picoseconds lock(bool nack) const override {
    return nack || config_.acks ? config_.lock : Picoseconds(0);
  }

 private:
  ContextLock config_;
};

}  // namespace

const Schema<ContextLock>& ContextLock::schema() {
  static const auto s =
      Schema<ContextLock>("context_lock", "H4: an acknowledgement locks the context against TX.")
          .field("lock", &ContextLock::lock,
                 {.doc = "time for which an acknowledgement locks the context",
                  .max = 1_ms,
                  .source = no_public_value,
                  .verified = false})
          .field("acks", &ContextLock::acks, {.doc = "ACKs lock the context too, not only NACKs"});
  return s;
}

RetransmitEntry context_lock_mechanism() {
  return {.name = "context_lock",
          .hypothesis = "H4",
          .doc = "an acknowledgement locks the queue pair against TX",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<RetransmitPolicy> {
            return std::make_unique<ContextLockPolicy>(parameters.of<ContextLock>());
          },
          .parameters = {table_of<ContextLock>()}};
}

}  // namespace horae::policy
