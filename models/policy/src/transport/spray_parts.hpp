// The two halves of spray_sr.
#pragma once

#include <memory>

#include "horae/policy/transport/transport.hpp"

namespace horae::policy {

std::unique_ptr<TransportSender> make_spray_sender(const TransportConfig& config, Psn first);
std::unique_ptr<TransportReceiver> make_spray_receiver(const TransportConfig& config, Psn first);

}  // namespace horae::policy
