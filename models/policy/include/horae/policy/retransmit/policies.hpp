// The retransmit policies' factories.
#pragma once

#include "horae/policy/retransmit/retransmit.hpp"

namespace horae::policy {

using MakeRetransmitPolicy = std::unique_ptr<RetransmitPolicy>(const RetransmitConfig&);

MakeRetransmitPolicy make_blocking_fetch, make_pipeline_flush, make_strict_priority,
    make_context_lock, make_window_stall, make_recovery_handshake, make_buffer_thrash,
    make_firmware_event, make_nack_rate_limit;

}  // namespace horae::policy
