// When a receiver acknowledges.
#pragma once

#include <cstdint>

#include "horae/core/psn.hpp"

namespace horae::policy {

/// Decides on coalesced ACKs: one after every `every` in-order packets, and one as soon as the
/// expected PSN has passed a packet that asked for it.
class AckCoalescer {
 public:
  explicit AckCoalescer(std::uint32_t every) : every_(every) {}

  /// A packet asked for an acknowledgement.
  void request(Psn psn) {
    if (!requested_ || psn.after(request_)) request_ = psn;
    requested_ = true;
  }
  /// The expected PSN advanced by `packets` to `expected`; whether to acknowledge now.
  bool advanced(std::uint32_t packets, Psn expected) {
    since_ += packets;
    const bool asked = requested_ && request_.before(expected);
    if (since_ < every_ && !asked) return false;
    acknowledged(expected);
    return true;
  }
  /// An ACK or NACK that says `expected` is being sent.
  void acknowledged(Psn expected) {
    since_ = 0;
    if (requested_ && request_.before(expected)) requested_ = false;
  }

 private:
  std::uint32_t every_;
  std::uint32_t since_ = 0;
  bool requested_ = false;
  Psn request_;
};

}  // namespace horae::policy
