// Parameters of the transport `spray_sr`, for who sets them in C++.
#pragma once

#include <cstdint>

#include "horae/params/schema.hpp"
#include "horae/policy/transport/send_times.hpp"

namespace horae::policy {

struct SprayParameters {
  std::uint32_t sack_bits = 64;         ///< bitmap of an acknowledgement: 64, 128, 192 or 256
  SendTimer timer = SendTimer::packet;  ///< which send times the sender keeps

  static const Schema<SprayParameters>& schema();
};

}  // namespace horae::policy
