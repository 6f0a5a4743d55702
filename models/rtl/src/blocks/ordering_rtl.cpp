#include "horae/rtl/ordering_rtl.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::rtl {

using policy::OrderingAnswer;

namespace {

OrderingInputs as_inputs(const policy::OrderingPacket& packet) {
  return {.reset = false,
          .request_valid = true,
          .connection = packet.connection,
          .psn = packet.psn.value(),
          .head = packet.head.value(),
          .last = packet.last,
          .close = false,
          .response_ready = true};
}

}  // namespace

OrderingRtl::OrderingRtl(std::string name, std::uint32_t connections,
                         std::unique_ptr<OrderingTop> top, Make make)
    : name_(std::move(name)), connections_(connections), hardware_(std::move(top), make) {}

OrderingOutputs OrderingRtl::serve(const OrderingInputs& request) {
  if (request.connection >= connections_) {
    throw InputError(fmt::format("connection {}: the RTL '{}' has room for {} connections",
                                 request.connection, name_, connections_));
  }
  return hardware_.serve(request);
}

OrderingAnswer OrderingRtl::on_packet(const policy::OrderingPacket& packet) {
  const OrderingOutputs out = serve(as_inputs(packet));
  OrderingAnswer answer;
  answer.tracking = static_cast<policy::Tracking>(out.tracking);
  answer.rejection = static_cast<policy::Rejection>(out.rejection);
  answer.advanced = out.advanced;
  answer.expected = Psn(out.expected);
  answer.completed = out.completed;
  answer.ops.cycles = hardware_.last_clocks();
  return answer;
}

void OrderingRtl::close(policy::ConnectionId connection) {
  OrderingInputs request;
  request.request_valid = true;
  request.connection = connection;
  request.close = true;
  request.response_ready = true;
  serve(request);
}

}  // namespace horae::rtl
