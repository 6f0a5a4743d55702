// H5': a recovery handshake: no new data between the retransmissions and their acknowledgement.
#include "common_keys.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/retransmit/parameters.hpp"

namespace horae::policy {
namespace {

/// The second retransmitted packet is sent "so as to cause the second computer to acknowledge
/// receipt" (US 11870590, claim 7); until that ACK comes the queue pair sends nothing new, and
/// NACKs that come meanwhile merge. The stall is the network's round trip and has no parameter. A
/// NACK of a second loss would wait for the retransmission timer; after `guard` it is served
/// instead (ours: without it two losses in one window end in a timeout).
class RecoveryHandshakePolicy final : public RetransmitPolicy {
 public:
  explicit RecoveryHandshakePolicy(const RecoveryHandshake& config) : config_(config) {}

  void add_work(RetransmitWork& work) const override { work.serial_reads += config_.serial_reads; }
  Scope server() const override { return Scope::queue_pair; }
  Merge merge() const override { return Merge::one_pending; }
  Scope stall() const override {
    return config_.hold_from == RecoveryHandshake::HoldFrom::nack ? Scope::queue_pair : Scope::none;
  }
  bool hold_new_data() const override { return true; }
  Picoseconds hold_guard() const override { return config_.guard; }

 private:
  RecoveryHandshake config_;
};

}  // namespace

const Schema<RecoveryHandshake>& RecoveryHandshake::schema() {
  static const auto s =
      Schema<RecoveryHandshake>("recovery_handshake", "H5': no new data until recovery is acked.")
          .choice("hold_from", &RecoveryHandshake::hold_from,
                  {{"nack", RecoveryHandshake::HoldFrom::nack},
                   {"retransmission", RecoveryHandshake::HoldFrom::retransmission}},
                  {.doc = "when new data begins to wait: at the NACK, or once the retransmissions "
                          "are fetched"})
          .field("serial_reads", &RecoveryHandshake::serial_reads, serial_reads_info())
          .field(
              "guard", &RecoveryHandshake::guard,
              {.doc = "a NACK received during recovery is served after this time without the ACK",
               .min = 1_us,
               .max = 100_ms,
               .source = "ours: only a second loss in a window ever waits for it",
               .verified = false});
  return s;
}

RetransmitEntry recovery_handshake_mechanism() {
  return {.name = "recovery_handshake",
          .hypothesis = "H5'",
          .doc = "no new data until the retransmissions are acknowledged",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<RetransmitPolicy> {
            return std::make_unique<RecoveryHandshakePolicy>(parameters.of<RecoveryHandshake>());
          },
          .parameters = {table_of<RecoveryHandshake>()}};
}

}  // namespace horae::policy
