#include "horae/fabric/ports/srpt_queue.hpp"
#include "horae/rnic/rnic_config.hpp"

namespace horae::rnic {
namespace {

/// How many packets of its message are left, for switches that schedule by it.
constexpr HeaderExtension remaining_tag{.feature = "remaining_tag",
                                        .between = "NICs and switches",
                                        .bth_reserved = fabric::remaining_mask};

}  // namespace

std::vector<HeaderExtension> header_extensions(const RnicConfig& config) {
  std::vector<HeaderExtension> out;
  const auto add = [&out](const std::vector<HeaderExtension>& more) {
    out.insert(out.end(), more.begin(), more.end());
  };
  if (config.remaining_tag) add({remaining_tag});
  add(policy::find_transport(config.transport).headers);
  add(policy::find_congestion_algorithm(config.congestion.algorithm).headers);
  add(policy::find_ordering_engine(config.ordering.engine).headers);
  return out;
}

}  // namespace horae::rnic
