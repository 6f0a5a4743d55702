#include "horae/p4prog/p4_switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/p4prog/chip_ports.hpp"

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
    out.loopback.insert(recirculation_lane(tofino2) + 128 * pipe);
  out.cpu_port = p4prog::cpu_port(tofino2);
  return out;
}

P4Switch::P4Switch(const p4lang::Program& program, const SwitchOptions& options)
    : program_(program), options_(options) {
  if (program.pipes.empty()) throw InputError("the program has no pipe");
  manager_.generator.tofino2 = options.tofino2;
  codes_ = code_of(program);
  if (options.compiled != nullptr && !use_compiled(codes_, *options.compiled))
    throw InputError(std::string(other_code));
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
  begin(now);
  arrivals_.push_back({port, FrameBytes(bytes), std::nullopt});
  return run_to_end(port);
}

void P4Switch::begin(Picoseconds now) {
  now_ = now;
  outputs_.clear();
  passes_.clear();
  arrivals_.clear();
  passes_allowed_ = most_passes;
}

std::vector<P4Switch::Output> P4Switch::run_to_end(unsigned port) {
  for (std::size_t next = 0; next < arrivals_.size(); ++next) {
    if (next == passes_allowed_)
      throw ModelError(
          fmt::format("a packet from port {} goes round more than {} times", port, most_passes));
    ingress(std::move(arrivals_[next]));
  }
  return std::move(outputs_);
}

std::vector<P4Switch::Output> P4Switch::fire_timer(unsigned app, std::optional<unsigned> pipe,
                                                   Picoseconds now) {
  if (pipe && *pipe >= pipes_.size())
    throw InputError(fmt::format("pipe {}; there are {}", *pipe, pipes_.size()));
  begin(now);
  bool any = false;
  for (const auto& [key, set_up] : manager_.generator.apps) {
    if (key.first != app) continue;
    any = true;
    const bool once = set_up.trigger == GeneratorApp::Trigger::one_shot;
    if (!once && set_up.trigger != GeneratorApp::Trigger::timer)
      throw InputError(fmt::format("packet generator {} has no timer", app));
    for (unsigned i = 0; i < pipes_.size(); ++i) {
      if (!set_up.is_in(i) || pipe.value_or(i) != i) continue;
      if (!once || fired_.emplace(i, app).second) generate(i, app, set_up, {}, true);
    }
  }
  if (!any) throw InputError(fmt::format("packet generator {} is not set up", app));
  return run_to_end(recirculation_lane(options_.tofino2));
}

std::vector<P4Switch::Output> P4Switch::port_down(unsigned port, Picoseconds now) {
  begin(now);
  const unsigned pipe = pipe_of(port);
  for (const auto& [key, app] : manager_.generator.apps) {
    if (app.trigger != GeneratorApp::Trigger::port_down || !app.is_in(pipe)) continue;
    if (app.ports && !app.ports->contains(port)) continue;
    if (fallen_.emplace(key.first, port).second)
      generate(pipe, key.first, app, {.port = port, .bytes = {}}, true);
  }
  return run_to_end(recirculation_lane(options_.tofino2));
}

void P4Switch::generate(unsigned pipe, unsigned number, const GeneratorApp& app,
                        const GeneratorEvent& event, bool by_itself) {
  const GeneratorTable& table = manager_.generator;
  if (by_itself) passes_allowed_ += std::size_t{app.batches} * app.packets;
  for (std::uint32_t batch = 0; batch < app.batches; ++batch) {
    for (std::uint32_t i = 0; i < app.packets; ++i) {
      if (arrivals_.size() > passes_allowed_) return;
      arrivals_.push_back({table.port(app, pipe, i),
                           FrameBytes(table.packet(number, app, pipe, batch, i, event)),
                           std::nullopt});
    }
  }
}

/// Generates what a packet, or a message to the packet generator, triggers.
void P4Switch::trigger(unsigned pipe, GeneratorApp::Trigger kind, const GeneratorEvent& event) {
  for (const auto& [key, app] : manager_.generator.apps) {
    if (app.trigger == kind && app.is_in(pipe) && manager_.generator.matches(app, event.bytes))
      generate(pipe, key.first, app, event, false);
  }
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

/// A pass of v1model has all.
void P4Switch::v1_pass(unsigned number, const Arrival& arrival) {
  PipePasses& passes = *pipes_[number].passes;
  auto leaving = passes.v1({number, Gress::ingress}, serial_, arrival.port, arrival.bytes, now_);
  note(number, Gress::ingress, arrival.port, arrival.bytes.size(), passes.note(),
       leaving.empty() ? "dropped" : fmt::format("{} packets leave", leaving.size()));
  for (auto& packet_out : leaving)
    outputs_.push_back({packet_out.port, Bytes8(packet_out.bytes.begin(), packet_out.bytes.end())});
}

void P4Switch::ingress(Arrival arrival) {
  const unsigned number = pipe_of(arrival.port);
  PipePasses& passes = *pipes_[number].passes;
  if (passes.is_v1model()) return v1_pass(number, arrival);
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
  const auto message = std::move(result.message);
  for (const Departure& d : departures) egress(d, arrival.bytes);
  if (copy) mirror(*copy);
  if (message) trigger(number, GeneratorApp::Trigger::deparser, *message);
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
  if (passes_.size() > most_passes + 2 * passes_allowed_)
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
  if (!options_.loopback.contains(port)) {
    outputs_.push_back({port, Bytes8(bytes.begin(), bytes.end())});
    return;
  }
  const GeneratorEvent event{
      .port = port,
      .bytes = Bytes8(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(
                                                         std::min<std::size_t>(bytes.size(), 16)))};
  arrivals_.push_back({port, std::move(bytes), std::nullopt});
  if ((port & 0x7f) == recirculation_lane(options_.tofino2))
    trigger(pipe_of(port), GeneratorApp::Trigger::recirculation, event);
}

}  // namespace horae::p4prog
