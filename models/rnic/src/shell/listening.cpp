// Which transports give a congestion control what it listens to.
#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/rnic/rnic_config.hpp"

namespace horae::rnic {

void check_listening(const RnicConfig& config) {
  if (policy::find_transport(config.transport).selective && config.ordering.engine != "none") {
    throw InputError(
        fmt::format("ordering.engine = '{}' takes the place of the receiver that transport = '{}' "
                    "needs; expected 'none'",
                    config.ordering.engine, config.transport));
  }
  const auto& algorithm = policy::find_congestion_algorithm(config.congestion.algorithm);
  if (algorithm.make_grants != nullptr && !policy::find_transport(config.transport).selective) {
    throw InputError(
        fmt::format("algorithm = '{}' grants single packets, which transport = '{}' does not know; "
                    "expected 'spray_sr'",
                    algorithm.name, config.transport));
  }
  if (!algorithm.listens.every_ack || config.reliability.ack_every == 1) return;
  throw InputError(fmt::format(
      "algorithm = '{}' listens to an acknowledgement for every packet, but reliability.ack_every "
      "= {}; expected 1",
      algorithm.name, config.reliability.ack_every));
}

}  // namespace horae::rnic
