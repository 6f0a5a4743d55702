#include "horae/p4prog/p4_switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "horae/core/error.hpp"

namespace horae::p4prog {

using dataplane::Gress;

namespace {

// Passes that one packet may take in all.
constexpr std::size_t most_passes = 1000;

/// As counters and meters count it: with the FCS. Who wants Ethernet's shortest frame pads it.
std::uint16_t counted_bytes(std::size_t bytes) {
  return static_cast<std::uint16_t>(std::min<std::size_t>(bytes + 4, 0xffff));
}

/// Where the traffic manager sends a packet, in words.
std::string ways_text(const std::vector<Departure>& departures) {
  std::string out;
  const auto add = [&](const std::string& way) { out += (out.empty() ? "" : ", ") + way; };
  for (const Departure& d : departures) {
    if (d.by == Departure::By::unicast) add(fmt::format("to port {}", d.port));
    if (d.by == Departure::By::group && d.first_replica) add(fmt::format("to group {}", d.group));
    if (d.by == Departure::By::copy_to_cpu) add("to the CPU");
  }
  return out.empty() ? "dropped" : out;
}

}  // namespace

SwitchOptions SwitchOptions::of(bool tofino2) {
  SwitchOptions out;
  out.tofino2 = tofino2;
  for (unsigned pipe = 0; pipe < out.pipes; ++pipe)
    out.loopback.insert((tofino2 ? 6 : 68) + 128 * pipe);
  out.cpu_port = tofino2 ? 0 : 192;
  return out;
}

P4Switch::P4Switch(const p4lang::Program& program, const SwitchOptions& options)
    : program_(program), options_(options) {
  if (program.pipes.empty()) throw InputError("the program has no pipe");
  for (const p4lang::Pipe& pipe : program.pipes)
    codes_.push_back(std::make_unique<PipeCode>(code_of(program, pipe)));
  std::vector<Machine*> machines;
  for (unsigned i = 0; i < options.pipes; ++i) {
    const PipeCode& code = *codes_[std::min<std::size_t>(i, codes_.size() - 1)];
    Pipe pipe;
    pipe.pipeline =
        std::make_unique<dataplane::Pipeline>(fmt::format("switch.pipe{}", i), i, options.seed);
    pipe.passes = std::make_unique<PipePasses>(program, code, *pipe.pipeline, manager_,
                                               options.tofino2, options.cpu_port);
    if (options.watch_unwritten) pipe.passes->watch_unwritten();
    if (options.random_unwritten)
      pipe.passes->fill_unwritten(options.seed, fmt::format("switch.pipe{}", i));
    const auto own = pipe.passes->machines();
    machines.insert(machines.end(), own.begin(), own.end());
    pipes_.push_back(std::move(pipe));
  }
  control_plane_ = std::make_unique<ControlPlane>(program, std::move(machines));
}

std::vector<P4Switch::Output> P4Switch::inject(unsigned port, std::span<const std::uint8_t> bytes,
                                               Picoseconds now) {
  now_ = now;
  outputs_.clear();
  passes_.clear();
  arrivals_.clear();
  arrivals_.push_back({port, FrameBytes(bytes), std::nullopt});
  for (std::size_t next = 0; next < arrivals_.size(); ++next) {
    if (next == most_passes)
      throw ModelError(
          fmt::format("a packet from port {} goes round more than {} times", port, most_passes));
    ingress(std::move(arrivals_[next]));
  }
  return std::move(outputs_);
}

void P4Switch::run_ghost(unsigned queue, std::uint64_t depth, Picoseconds now) {
  bool any = false;
  for (unsigned number = 0; number < pipes_.size(); ++number) {
    PipePasses& passes = *pipes_[number].passes;
    if (!passes.has_ghost()) continue;
    any = true;
    Packet packet;
    passes.ghost({packet, {number, Gress::ingress}, serial_++, 0, now}, queue, depth);
  }
  if (!any) throw InputError("the program has no ghost thread");
}

void P4Switch::note(unsigned pipe, Gress gress, unsigned port, std::size_t length,
                    const PassNote& note, std::string outcome) {
  passes_.push_back({pipe, gress, port, static_cast<std::uint32_t>(length), note.parsed_bytes,
                     note.error, note.instructions, std::move(outcome)});
}

std::vector<std::string> P4Switch::take_warnings() {
  std::vector<std::string> out;
  for (const Pipe& pipe : pipes_) {
    for (std::string& line : pipe.passes->take_warnings()) {
      if (warned_.insert(line).second) out.push_back(std::move(line));
    }
  }
  return out;
}

void P4Switch::take_digests(PipePasses& passes) {
  auto digests = passes.take_digests();
  std::move(digests.begin(), digests.end(), std::back_inserter(digests_));
}

void P4Switch::ingress(Arrival arrival) {
  const unsigned number = pipe_of(arrival.port);
  PipePasses& passes = *pipes_[number].passes;
  Packet packet;
  packet.frame = counted_bytes(arrival.bytes.size());
  const dataplane::Pass pass(packet, {number, Gress::ingress}, serial_++, arrival.port, now_);
  const std::size_t length = arrival.bytes.size();
  IngressResult& result = passes.ingress(pass, arrival.port, arrival.bytes,
                                         arrival.resubmitted ? &*arrival.resubmitted : nullptr);
  take_digests(passes);
  const auto seen = [&](std::string outcome) {
    note(number, Gress::ingress, arrival.port, length, result.note, std::move(outcome));
  };
  if (result.end == IngressResult::End::dropped_by_parser)
    return seen("dropped by the parser: " + program_.errors.at(result.note.error));
  if (result.end == IngressResult::End::resubmitted) {
    seen("resubmitted");
    arrivals_.push_back({arrival.port, std::move(arrival.bytes), std::move(result.resubmitted)});
    return;
  }
  seen(ways_text(result.departures));
  // A copy that comes round is another pass of this gress, which takes the result away.
  const auto departures = std::move(result.departures);
  const auto copy = std::move(result.copy);
  for (const Departure& d : departures) egress(d, arrival.bytes);
  if (copy) mirror(*copy);
}

void P4Switch::mirror(MirroredPacket copy) {
  Departure d;
  d.by = Departure::By::mirror;
  d.port = copy.session.port;
  egress(d, std::move(copy.bytes));
}

void P4Switch::egress(Departure d, FrameBytes bytes) {
  const unsigned number = pipe_of(d.port);
  PipePasses& passes = *pipes_[number].passes;
  if (d.bypass || !passes.has(Gress::egress)) return leave(d.port, std::move(bytes));
  if (passes_.size() > most_passes)
    throw ModelError(fmt::format("a packet makes more than {} passes", most_passes));
  Packet packet;
  packet.frame = counted_bytes(bytes.size());
  const dataplane::Pass pass(packet, {number, Gress::egress}, serial_++, 0, now_);
  d.queued = now_;
  const std::size_t length = bytes.size();
  EgressResult& result = passes.egress(pass, d, bytes);
  const bool dropped = result.told_to_drop;
  note(number, Gress::egress, d.port, length, result.note,
       dropped ? "dropped" : fmt::format("leaves by port {}", d.port));
  const auto copy = std::move(result.copy);
  if (copy) mirror(*copy);
  if (!dropped) leave(d.port, std::move(bytes));
}

void P4Switch::leave(unsigned port, FrameBytes bytes) {
  if (options_.loopback.contains(port))
    arrivals_.push_back({port, std::move(bytes), std::nullopt});
  else
    outputs_.push_back({port, Bytes8(bytes.begin(), bytes.end())});
}

}  // namespace horae::p4prog
