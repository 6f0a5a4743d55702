// Transports in shorthand, so that a test reads as a scenario.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "horae/core/error.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::policy {

/// Where scenarios start: every one of them must read the same from any PSN, so they run from the
/// start of the number space, across its end, across the sign change of serial arithmetic, and from
/// within a word of the bitmap.
inline auto starting_psns() {
  return testing::Values(0u, 1u, 37u, 0x7ffffeu, 0x800000u, 0xffff00u, 0xfffffdu, 0xffffffu);
}
inline std::string psn_name(const testing::TestParamInfo<std::uint32_t>& info) {
  return fmt::format("from_{:06x}", info.param);
}

/// A configuration whose sender asks for ACKs nowhere but where the protocol itself does.
inline TransportConfig plain_config() { return {.ack_request_every = 0}; }

/// A receiver; PSNs are written as offsets from the first one.
class ReceiverScript {
 public:
  ReceiverScript(std::string_view transport, const TransportConfig& config, std::uint32_t first)
      : first_(first), receiver_(find_transport(transport).make_receiver(config, first_)) {}

  /// Packets arrive in this order: "0 2-5 7?" with `?` for AckReq and `.` for the end of a message.
  /// Gives the responses in their order, such as "nack 1, ack 8".
  std::string arrive(std::string_view packets) {
    std::string said;
    const char* at = packets.data();
    const char* const end = at + packets.size();
    while (at != end) {
      std::int32_t from = 0;
      at = std::from_chars(at, end, from).ptr;
      std::int32_t to = from;
      if (at != end && *at == '-') at = std::from_chars(at + 1, end, to).ptr;
      bool asks = false;
      bool ends = false;
      for (; at != end && *at != ' '; ++at) {
        if (*at != '?' && *at != '.') throw std::invalid_argument(std::string(packets));
        asks |= *at == '?';
        ends |= *at == '.';
      }
      for (; at != end && *at == ' '; ++at) {
      }
      for (std::int32_t i = from; i <= to; ++i) {
        last = receiver_->on_data(first_ + i, asks, ends);
        if (!last.response) continue;
        said += fmt::format("{}{} {}", said.empty() ? "" : ", ",
                            last.response->nack ? "nack" : "ack", last.response->psn - first_);
        msn = last.response->msn;
      }
    }
    return said;
  }

  std::int32_t expected() const { return receiver_->expected_psn() - first_; }
  Bytes memory() const { return receiver_->memory(); }

  ReceiveOutcome last;      ///< of the packet that arrived last
  std::uint32_t msn = ~0u;  ///< of the response that was sent last

 private:
  Psn first_;
  std::unique_ptr<TransportReceiver> receiver_;
};

/// A sender; PSNs are written as offsets from the first one, and `now` is what the test says it is.
class SenderScript {
 public:
  SenderScript(std::string_view transport, const TransportConfig& config, std::uint32_t first)
      : first_(first), sender_(find_transport(transport).make_sender(config, first_)) {}

  void post(std::uint32_t packets) { sender_->post(packets); }

  /// Packets that the sender sends now, at most `packets`: "0-9 10?", and what is sent again by its
  /// kind, such as "expected 2, last 9?".
  std::string send(int packets = 1 << 20) {
    std::string sent;
    int run = 0;  // packets in the run that ends with `previous`
    Transmission previous;
    while (packets-- > 0 && sender_->can_send()) {
      const Transmission t = sender_->next(now);
      const bool continues = run > 0 && t.kind == previous.kind && t.psn == previous.psn + 1 &&
                             !t.ack_request && !previous.ack_request;
      if (!continues) {
        close_run(sent, run, previous);
        sent += fmt::format("{}{}{}", sent.empty() ? "" : ", ", kind_name(t.kind), t.psn - first_);
        run = 0;
      }
      ++run;
      previous = t;
    }
    close_run(sent, run, previous);
    return sent;
  }

  /// Returns the packets newly acknowledged.
  std::uint32_t ack(std::int32_t psn) { return sender_->on_ack(first_ + psn, now).newly_acked; }
  AckOutcome nack(std::int32_t psn) { return sender_->on_nack(first_ + psn, now); }
  void received(std::int32_t psn) { sender_->on_received(first_ + psn); }
  void timeout() { sender_->on_timeout(now); }

  bool can_send() const { return sender_->can_send(); }
  std::uint32_t unsent() const { return sender_->unsent(); }
  std::uint32_t unacked() const { return sender_->unacked(); }
  Picoseconds deadline() const { return sender_->next_deadline(); }

  Picoseconds now{};

 private:
  void close_run(std::string& sent, int run, const Transmission& previous) const {
    if (run > 1) sent += fmt::format("-{}", previous.psn - first_);
    if (run > 0 && previous.ack_request) sent += '?';
  }
  static std::string_view kind_name(SendKind kind) {
    switch (kind) {
      case SendKind::fresh:
        return "";
      case SendKind::expected:
        return "expected ";
      case SendKind::last:
        return "last ";
      case SendKind::rewind:
        return "rewind ";
      case SendKind::timeout:
        return "timeout ";
      case SendKind::trimmed:
        return "trimmed ";
      case SendKind::count_:
        break;
    }
    return "? ";
  }

  Psn first_;
  std::unique_ptr<TransportSender> sender_;
};

}  // namespace horae::policy
