// H5: the PSN window binds while a gap is open.
#include "horae/policy/retransmit/policies.hpp"

namespace horae::policy {
namespace {

/// New data stays within `gap_window` PSNs of the oldest unacknowledged packet until what was
/// NACKed is acknowledged.
class WindowStall final : public RetransmitPolicy {
 public:
  explicit WindowStall(const RetransmitConfig::WindowStall& config) : config_(config) {}

  std::uint32_t gap_window() const override { return config_.gap_window; }

 private:
  RetransmitConfig::WindowStall config_;
};

}  // namespace

std::unique_ptr<RetransmitPolicy> make_window_stall(const RetransmitConfig& config) {
  return std::make_unique<WindowStall>(config.window_stall);
}

}  // namespace horae::policy
