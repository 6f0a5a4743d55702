// When a receiver acknowledges.
#pragma once

#include <cstdint>

#include "horae/core/cxx20.hpp"

namespace horae::policy {

/// Decides on coalesced ACKs: one after every `every` in-order packets, and one as soon as the
/// expected PSN has passed a packet that asked for it.
class AckCoalescer {
 public:
  explicit AckCoalescer(std::uint32_t every, bool ends_ask = true)
      : every_(every), ends_ask_(ends_ask) {}

  /// Whether a packet is to be answered (TransportConfig::ends_ask).
  bool asks(bool ack_request, bool ends_message) const {
    return ack_request || (ends_message && ends_ask_);
  }

  /// The expected PSN advanced by `packets`, of which one or more `asked`; whether to acknowledge
  /// now. If so, the ACK counts as sent.
  bool advanced(std::uint32_t packets, bool asked) {
    since_ += packets;
    if (since_ < every_ && !asked) return false;
    acknowledged();
    return true;
  }
  /// An ACK or NACK is being sent for another reason.
  void acknowledged() { since_ = 0; }

 private:
  std::uint32_t every_;
  bool ends_ask_;
  std::uint32_t since_ = 0;
};

}  // namespace horae::policy
