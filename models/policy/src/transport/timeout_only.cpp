// Timeout-only recovery: direct data placement without NACKs (packet-spraying paper, section 2.2).
#include "bitmap_receiver.hpp"
#include "horae/policy/transport/windowed_sender.hpp"

namespace horae::policy {
namespace {

/// Only a timeout resends; a NACK from a receiver of another kind counts as an acknowledgement of
/// what lies before it.
class TimeoutOnlySender final : public WindowedSender {
 public:
  using WindowedSender::WindowedSender;

  bool accepts_nack(Psn /*expected_psn*/) const override { return false; }
  void retransmit(Psn /*expected_psn*/, Picoseconds /*now*/) override {}
};

}  // namespace

// The receiver is the hardware of RNIC-SR without NACKs: it never sends one, and a sender that gets
// one all the same treats it as an acknowledgement.
TransportEntry timeout_only_transport() {
  return {.name = "timeout_only",
          .doc =
              "the receiver places packets out of order and sends no NACKs; only the timeout "
              "recovers losses",
          .make_sender = [](const TransportConfig& config,
                            Psn first) -> std::unique_ptr<TransportSender> {
            return std::make_unique<TimeoutOnlySender>(config, first);
          },
          .make_receiver = [](const TransportConfig& config,
                              Psn first) -> std::unique_ptr<TransportReceiver> {
            return make_bitmap_receiver(config, first, NackRule::never);
          },
          .reads = true};
}

}  // namespace horae::policy
