// H5: the PSN window binds while a gap is open.
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/retransmit/parameters.hpp"

namespace horae::policy {
namespace {

/// New data stays within `gap_window` PSNs of the oldest unacknowledged packet until what was
/// NACKed is acknowledged.
class WindowStallPolicy final : public RetransmitPolicy {
 public:
  explicit WindowStallPolicy(const WindowStall& config) : config_(config) {}

  std::uint32_t gap_window() const override { return config_.gap_window; }

 private:
  WindowStall config_;
};

}  // namespace

const Schema<WindowStall>& WindowStall::schema() {
  static const auto s =
      Schema<WindowStall>("window_stall", "H5: the window binds while a gap is open.")
          .field("gap_window", &WindowStall::gap_window,
                 {.doc = "most PSNs from the oldest unacknowledged packet to the newest, while a "
                         "NACKed packet is unacknowledged",
                  .min = 1,
                  .max = 65536,
                  .source = "ConnectX-7: 512 (packet-spraying paper 6.1), others 128 (mlxconfig "
                            "LOG_TX_PSN_WINDOW 9 and 7)"});
  return s;
}

RetransmitEntry window_stall_mechanism() {
  return {.name = "window_stall",
          .hypothesis = "H5",
          .doc = "the PSN window binds while a gap is open",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<RetransmitPolicy> {
            return std::make_unique<WindowStallPolicy>(parameters.of<WindowStall>());
          },
          .parameters = {table_of<WindowStall>()}};
}

}  // namespace horae::policy
