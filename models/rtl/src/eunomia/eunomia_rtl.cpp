#include "horae/rtl/eunomia_rtl.hpp"

#include <fmt/format.h>

#include <bit>

#include "horae/core/error.hpp"
#include "horae/core/registry.hpp"

namespace horae::rtl {

using policy::OrderingAnswer;
using policy::OrderingMemory;

namespace {

// Far above what any request takes: all of a search and of the largest bitmap, one word at a time.
constexpr std::uint32_t most_clocks = 1'000'000;

EunomiaInputs as_inputs(const policy::OrderingPacket& packet) {
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
std::uint32_t run(EunomiaTop& top, EunomiaInputs inputs, EunomiaOutputs& response,
                  PinObserver* pins = nullptr) {
  if (!top.outputs().request_ready) throw ModelError("eunomia_top: not ready for a request");
  if (pins != nullptr) pins->clocked(inputs, top.outputs());
  top.clock(inputs);
  inputs.request_valid = false;
  std::uint32_t clocks = 1;
  for (;;) {
    response = top.outputs();
    if (pins != nullptr) pins->clocked(inputs, response);
    top.clock(inputs);
    ++clocks;
    if (response.response_valid) return clocks;
    if (clocks > most_clocks) {
      throw ModelError(fmt::format("eunomia_top: no response after {} clocks", most_clocks));
    }
  }
}

}  // namespace

const EunomiaVariant& find_eunomia_variant(std::string_view name) {
  std::vector<std::string> names;
  for (const EunomiaVariant* v : eunomia_variants()) {
    if (v->name == name) return *v;
    names.emplace_back(v->name);
  }
  throw InputError(
      fmt::format("no variant '{}' of the RTL was built{}", name, suggestion(name, names)));
}

EunomiaRtl::EunomiaRtl(const EunomiaVariant& variant, std::uint32_t seed)
    : variant_(variant), top_(variant.make(seed)) {
  EunomiaInputs reset;
  reset.reset = true;
  top_->clock(reset);
  clocks_ = 1;
  requests_.reserve(2 * keep);
  before_ = top_->save();
}

EunomiaOutputs EunomiaRtl::serve(const EunomiaInputs& request) {
  if (request.connection >= variant_.shape.connections) {
    throw InputError(fmt::format("connection {}: the RTL '{}' has room for {} connections",
                                 request.connection, variant_.name, variant_.shape.connections));
  }
  if (requests_.size() == keep) between_ = top_->save();
  if (requests_.size() == 2 * keep) {
    before_ = std::move(between_);
    between_ = top_->save();
    requests_.erase(requests_.begin(), requests_.begin() + keep);
  }
  requests_.push_back({request, 0});
  EunomiaOutputs response;
  const std::uint32_t clocks = run(*top_, request, response, pins_);
  requests_.back().clocks = clocks;
  clocks_ += clocks;
  last_clocks_ = clocks - 1;
  return response;
}

OrderingAnswer EunomiaRtl::on_packet(const policy::OrderingPacket& packet) {
  const EunomiaOutputs out = serve(as_inputs(packet));
  OrderingAnswer answer;
  answer.tracking = static_cast<policy::Tracking>(out.tracking);
  answer.rejection = static_cast<policy::Rejection>(out.rejection);
  answer.advanced = out.advanced;
  answer.expected = Psn(out.expected);
  answer.completed = out.completed;
  answer.ops.cycles = last_clocks_;
  return answer;
}

void EunomiaRtl::close(policy::ConnectionId connection) {
  EunomiaInputs request;
  request.request_valid = true;
  request.connection = connection;
  request.close = true;
  request.response_ready = true;
  serve(request);
}

OrderingMemory EunomiaRtl::memory() const {
  const EunomiaShape& shape = variant_.shape;
  std::int64_t known = 0;
  for (std::uint32_t c = 0; c < shape.connections; ++c) known += top_->connection(c).known;
  std::int64_t rows = 0;
  for (std::uint32_t r = 0; r < shape.index_entries; ++r) {
    rows += top_->metadata_start_index(r).valid;
  }
  std::int64_t words = 0;
  for (std::uint32_t i = 0; i * 64 < shape.blocks; ++i) {
    words += std::popcount(top_->block_alloc_bitmap(i));
  }
  const std::int64_t metadata = rows * shape.metadata_words();
  return {.fixed = Bytes(known * 4),
          .bitmap = Bytes((words - metadata) * 2),
          .metadata = Bytes(metadata * 2 + rows * 3)};
}

Bytes EunomiaRtl::provided(std::uint32_t connections) const {
  const EunomiaShape& shape = variant_.shape;
  return Bytes(std::int64_t{shape.blocks} * 2 + (std::int64_t{shape.blocks} + 7) / 8 +
               std::int64_t{shape.index_entries} * 3 + std::int64_t{connections} * 4);
}

void EunomiaRtl::write_waveform(const std::string& file, std::uint64_t clocks) const {
  const auto fresh = variant_.make(0);
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
    EunomiaOutputs response;
    if (r.clocks > 0) {
      run(*fresh, r.inputs, response);
    } else {
      EunomiaInputs inputs = r.inputs;
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
