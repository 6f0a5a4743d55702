#include "horae/policy/transport/unreliable.hpp"

#include "horae/core/error.hpp"
#include "horae/core/verb.hpp"

namespace horae::policy {
namespace {

/// Has no window, no timer and nothing to send again.
class UnreliableSender final : public TransportSender {
 public:
  explicit UnreliableSender(Psn first) : left_(first), fresh_(first) {}

  void post(std::uint32_t packets) override { unsent_ += packets; }
  bool can_send() const override { return unsent_ > 0; }
  bool retransmission_due() const override { return false; }
  Transmission next(Picoseconds /*now*/) override {
    const Psn psn = fresh_;
    ++fresh_;
    --unsent_;
    return {.psn = psn};
  }
  AckOutcome on_ack(Psn next_expected, Picoseconds /*now*/) override {
    const std::int32_t advance = next_expected - left_;
    if (advance <= 0 || advance > fresh_ - left_) return {};
    left_ = next_expected;
    return {.newly_acked = static_cast<std::uint32_t>(advance)};
  }
  bool accepts_nack(Psn /*expected_psn*/) const override { return false; }
  void retransmit(Psn /*expected_psn*/, Picoseconds /*now*/) override {}
  void on_timeout(Picoseconds /*now*/) override {}
  Picoseconds next_deadline() const override { return never; }
  void abandon() override {
    unsent_ = 0;
    left_ = fresh_;
  }
  std::uint32_t unsent() const override { return unsent_; }
  std::uint32_t unacked() const override { return static_cast<std::uint32_t>(fresh_ - left_); }
  Psn oldest_unacked() const override { return left_; }

 private:
  Psn left_;   ///< everything before has left, as its owner said
  Psn fresh_;  ///< next never sent
  std::uint32_t unsent_ = 0;
};

TransportEntry entry(std::string_view name, std::string_view doc) {
  TransportEntry out{.name = name,
                     .doc = doc,
                     .make_sender = [](const TransportConfig& /*config*/,
                                       Psn first) -> std::unique_ptr<TransportSender> {
                       return std::make_unique<UnreliableSender>(first);
                     },
                     .make_receiver = nullptr};
  out.retries = false;
  return out;
}

template <Service service>
std::unique_ptr<TransportReceiver> make_receiver(const TransportConfig& /*config*/, Psn first) {
  return std::make_unique<UnreliableReceiver>(service, first);
}

constexpr bool begins_message(Opcode o) {
  return o == Opcode::send_first || o == Opcode::send_only || o == Opcode::send_only_immediate ||
         o == Opcode::write_first || o == Opcode::write_only || o == Opcode::write_only_immediate;
}

}  // namespace

bool UnreliableReceiver::goes_on(const Arrival& a) const {
  return under_way_ && a.psn == expected_ && !begins_message(a.operation) &&
         sends_ != is_write(a.operation);
}

bool UnreliableReceiver::wants_receive_wqe(const Arrival& a) const {
  if (!takes_receive_wqe(a.operation)) return false;
  if (service_ == Service::ud) return true;
  // One that a SEND left is taken first; the message under way leaves its own.
  const bool goes_on_with_it = goes_on(a);
  const bool left = wqe_left_ || (under_way_ && sends_ && !goes_on_with_it);
  return !left && (begins_message(a.operation) || goes_on_with_it);
}

UnreliableReceiver::Outcome UnreliableReceiver::on_packet(const Arrival& a, bool wqe) {
  Outcome out;
  const bool wants = wants_receive_wqe(a);
  out.lacks_wqe = wants && !wqe;
  out.takes_wqe = wants && wqe;
  if (service_ == Service::ud) {
    out.delivered = out.completes = !out.lacks_wqe;
    return out;
  }
  out.ahead = a.psn - expected_;
  const bool begins = begins_message(a.operation);
  if (!goes_on(a)) {
    out.gap = out.ahead != 0 && !lost_;
    out.broke = under_way_;
    wqe_left_ = wqe_left_ || (under_way_ && sends_);
    under_way_ = begins;
    sends_ = begins && !is_write(a.operation);
  }
  expected_ = a.psn + 1;
  if (out.lacks_wqe) under_way_ = sends_ = false;
  lost_ = !under_way_;
  if (!under_way_) return out;
  if (takes_receive_wqe(a.operation)) wqe_left_ = false;
  out.delivered = true;
  out.completes = ends_message(a.operation);
  // The next message begins in order: nothing is lost by that.
  if (out.completes) under_way_ = sends_ = lost_ = false;
  return out;
}

ReceiveOutcome UnreliableReceiver::on_data(Psn /*psn*/, bool /*ack_request*/,
                                           bool /*ends_message*/) {
  throw ModelError("data of the reliable connection for a queue pair of another service");
}

const TransportEntry& unreliable_transport(Service service) {
  static const TransportEntry uc = [] {
    TransportEntry e = entry("uc", "unreliable connection");
    e.make_receiver = make_receiver<Service::uc>;
    return e;
  }();
  static const TransportEntry ud = [] {
    TransportEntry e = entry("ud", "unreliable datagram");
    e.make_receiver = make_receiver<Service::ud>;
    return e;
  }();
  return service == Service::uc ? uc : ud;
}

}  // namespace horae::policy
