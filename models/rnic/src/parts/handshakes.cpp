#include "horae/rnic/parts/handshakes.hpp"

namespace horae::rnic {
namespace {

/// Initial sequence numbers need not be random here, only different.
Psn initial_of_client(std::size_t qp, std::uint32_t attempt) {
  return Psn(static_cast<std::uint32_t>(qp) * 0x1000u + attempt * 0x10u);
}
Psn initial_of_server(std::size_t qp) {
  return Psn(0x800000u + static_cast<std::uint32_t>(qp) * 0x1000u);
}

}  // namespace

TcpSegment Handshakes::begin(std::size_t qp) {
  Client& c = clients_[qp];
  c.initial = initial_of_client(qp, ++c.attempts);
  c.state = State::asked;
  return {.flags = TcpSegment::syn, .sequence = c.initial};
}

Handshakes::Outcome Handshakes::receive(std::size_t qp, bool client, const TcpSegment& s,
                                        bool of_peer) {
  ++counts_.received;
  if (!client) {
    if (s.flags != TcpSegment::syn) return {};
    return {.answer = TcpSegment{.flags = TcpSegment::syn_ack,
                                 .sequence = initial_of_server(qp),
                                 .acknowledgement = s.sequence + 1}};
  }
  Client& c = clients_[qp];
  if (s.flags == TcpSegment::rst && c.state == State::told) {
    ++counts_.resets;
    return {.again = true};
  }
  const bool answers = s.flags == TcpSegment::syn_ack && s.acknowledgement == c.initial + 1;
  if (!answers || c.state == State::connected) return {};
  c.state = of_peer ? State::connected : State::told;
  if (of_peer) ++counts_.connected;
  return {.answer = TcpSegment{.flags = TcpSegment::ack,
                               .sequence = c.initial + 1,
                               .acknowledgement = s.sequence + 1},
          .connected = of_peer};
}

}  // namespace horae::rnic
