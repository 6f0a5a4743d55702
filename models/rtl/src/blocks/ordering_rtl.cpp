#include "horae/rtl/ordering_rtl.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::rtl {

using policy::OrderingAnswer;

namespace {

// Far above what any request takes: all of a search and of the largest bitmap, one word at a time.
constexpr std::uint32_t most_clocks = 1'000'000;

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

// Clocks until the response was taken; the request is taken in the first.
std::uint32_t run(OrderingTop& top, OrderingInputs inputs, OrderingOutputs& response,
                  PinObserver* pins = nullptr) {
  if (!top.outputs().request_ready) throw ModelError("not ready for a request");
  if (top.outputs().response_valid) throw ModelError("a response without a request");
  if (pins != nullptr) pins->clocked(inputs, top.outputs());
  top.clock(inputs);
  inputs.request_valid = false;
  std::uint32_t clocks = 1;
  for (;;) {
    response = top.outputs();
    if (pins != nullptr) pins->clocked(inputs, response);
    top.clock(inputs);
    ++clocks;
    if (response.response_valid) {
      if (top.outputs().response_valid) {
        throw ModelError("response_valid stays after the response was taken");
      }
      return clocks;
    }
    if (clocks > most_clocks) {
      throw ModelError(fmt::format("no response after {} clocks", most_clocks));
    }
  }
}

}  // namespace

OrderingRtl::OrderingRtl(std::string name, std::uint32_t connections,
                         std::unique_ptr<OrderingTop> top, Make make)
    : name_(std::move(name)), connections_(connections), top_(std::move(top)), make_(make) {
  OrderingInputs reset;
  reset.reset = true;
  top_->clock(reset);
  clocks_ = 1;
  requests_.reserve(2 * keep);
  before_ = top_->save();
}

OrderingOutputs OrderingRtl::serve(const OrderingInputs& request) {
  if (request.connection >= connections_) {
    throw InputError(fmt::format("connection {}: the RTL '{}' has room for {} connections",
                                 request.connection, name_, connections_));
  }
  if (requests_.size() == keep) between_ = top_->save();
  if (requests_.size() == 2 * keep) {
    before_ = std::move(between_);
    between_ = top_->save();
    requests_.erase(requests_.begin(), requests_.begin() + keep);
  }
  requests_.push_back({request, 0});
  OrderingOutputs response;
  const std::uint32_t clocks = run(*top_, request, response, pins_);
  requests_.back().clocks = clocks;
  clocks_ += clocks;
  last_clocks_ = clocks - 1;
  return response;
}

OrderingAnswer OrderingRtl::on_packet(const policy::OrderingPacket& packet) {
  const OrderingOutputs out = serve(as_inputs(packet));
  OrderingAnswer answer;
  answer.tracking = static_cast<policy::Tracking>(out.tracking);
  answer.rejection = static_cast<policy::Rejection>(out.rejection);
  answer.advanced = out.advanced;
  answer.expected = Psn(out.expected);
  answer.completed = out.completed;
  answer.ops.cycles = last_clocks_;
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

void OrderingRtl::write_waveform(const std::string& file, std::uint64_t clocks) const {
  const auto fresh = make_(0);
  fresh->restore(before_);
  std::uint64_t left = 0;
  for (const Request& r : requests_) left += r.clocks;
  bool writing = false;
  for (const Request& r : requests_) {
    if (!writing && left <= clocks) {
      fresh->start_waveform(file);
      writing = true;
    }
    // The last may be one that never ended.
    if (!writing && &r == &requests_.back()) fresh->start_waveform(file);
    OrderingOutputs response;
    if (r.clocks > 0) {
      run(*fresh, r.inputs, response);
    } else {
      OrderingInputs inputs = r.inputs;
      for (std::uint64_t i = 0; i < clocks; ++i) {
        fresh->clock(inputs);
        inputs.request_valid = false;
      }
    }
    left -= r.clocks;
  }
  fresh->stop_waveform();
}

}  // namespace horae::rtl
