// The transports' factories and the pieces they share.
#pragma once

#include "horae/policy/transport/transport.hpp"

namespace horae::policy {

std::unique_ptr<TransportSender> make_rnic_sr_sender(const TransportConfig& config, Psn first);
std::unique_ptr<TransportReceiver> make_rnic_sr_receiver(const TransportConfig& config, Psn first);
std::unique_ptr<TransportSender> make_go_back_n_sender(const TransportConfig& config, Psn first);
std::unique_ptr<TransportReceiver> make_go_back_n_receiver(const TransportConfig& config,
                                                           Psn first);
std::unique_ptr<TransportSender> make_timeout_only_sender(const TransportConfig& config, Psn first);
std::unique_ptr<TransportReceiver> make_timeout_only_receiver(const TransportConfig& config,
                                                              Psn first);
std::unique_ptr<TransportSender> make_irn_sender(const TransportConfig& config, Psn first);
std::unique_ptr<TransportReceiver> make_irn_receiver(const TransportConfig& config, Psn first);

}  // namespace horae::policy
