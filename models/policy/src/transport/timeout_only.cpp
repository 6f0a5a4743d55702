// Timeout-only recovery: direct data placement without NACKs (packet-spraying paper, section 2.2).
#include "horae/policy/transport/policies.hpp"
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

std::unique_ptr<TransportSender> make_timeout_only_sender(const TransportConfig& config,
                                                          Psn first) {
  return std::make_unique<TimeoutOnlySender>(config, first);
}

}  // namespace horae::policy
