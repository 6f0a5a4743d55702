#include "horae/p4prog/p4_switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "horae/core/crc.hpp"
#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"

namespace horae::p4prog {

using dataplane::Gress;

namespace {

// Passes that one packet may take in all.
constexpr std::size_t most_passes = 1000;

// Open Tofino, "Tofino Native Architecture": bytes of the intrinsic metadata, and of the port's
// metadata or what is resubmitted.
constexpr std::uint32_t ingress_intrinsic_bytes = 8;
constexpr std::uint32_t port_metadata_bytes[2] = {8, 24};
constexpr std::uint32_t egress_intrinsic_bytes = 28;

constexpr std::string_view ingress_md = "ingress_intrinsic_metadata_t";
constexpr std::string_view from_parser[2] = {"ingress_intrinsic_metadata_from_parser_t",
                                             "egress_intrinsic_metadata_from_parser_t"};
constexpr std::string_view for_deparser[2] = {"ingress_intrinsic_metadata_for_deparser_t",
                                              "egress_intrinsic_metadata_for_deparser_t"};
constexpr std::string_view for_tm = "ingress_intrinsic_metadata_for_tm_t";
constexpr std::string_view egress_md = "egress_intrinsic_metadata_t";

Bytes8 fcs_of(std::span<const std::uint8_t> packet) {
  static constexpr Crc crc{CrcParameters{}};
  const std::uint64_t sum = crc.of(packet);
  Bytes8 out;
  for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<std::uint8_t>(sum >> 8 * i));
  return out;
}

/// As counters and meters count it: with the FCS, and at least Ethernet's shortest frame.
std::uint16_t counted_bytes(std::size_t bytes, bool at_least_64) {
  const std::size_t with_fcs = bytes + 4;
  return static_cast<std::uint16_t>(
      std::min<std::size_t>(at_least_64 ? std::max<std::size_t>(64, with_fcs) : with_fcs, 0xffff));
}

/// The bits of parser_err (open Tofino, tofino1_base.p4: PARSER_ERROR_*).
std::uint64_t parser_error_bits(const p4lang::Program& program, std::uint32_t error) {
  if (error == 0) return 0;
  const std::string& name = program.errors.at(error);
  if (name == "NoMatch") return 0x0001;
  if (name == "PacketTooShort" || name == "HeaderTooShort") return 0x0002;
  if (name == "CounterRange") return 0x0004;
  if (name == "StackOutOfBounds") return 0xc000;
  return 0x0008;
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
    for (const Gress g : {Gress::ingress, Gress::egress}) {
      const auto n = static_cast<std::size_t>(g);
      if (!code.gress[n].present) continue;
      pipe.machine[n] = std::make_unique<Machine>(program, code.gress[n], *pipe.pipeline, g);
      machines.push_back(pipe.machine[n].get());
    }
    pipes_.push_back(std::move(pipe));
  }
  control_plane_ = std::make_unique<ControlPlane>(program, std::move(machines));
}

std::uint64_t P4Switch::nanoseconds() const {
  return static_cast<std::uint64_t>(now_.count()) / 1000;
}

/// A header of the chip's, as the program declares it, filled up to `bytes`.
Bytes8 P4Switch::front_of(const Machine& machine, std::string_view type, std::uint32_t bytes,
                          const std::map<std::string, std::uint64_t>& fields) const {
  PacketWriter out;
  if (const p4lang::Type* t = machine.intrinsic_type(type)) {
    for (const p4lang::Field& f : t->fields) {
      const auto found = fields.find(f.name);
      out.put(found == fields.end() ? 0 : found->second, bits_of(*f.type));
    }
  }
  Bytes8 front = out.bytes();
  if (front.empty()) front.resize(bytes);
  return front;
}

std::vector<P4Switch::Output> P4Switch::inject(unsigned port, std::span<const std::uint8_t> bytes,
                                               Picoseconds now) {
  now_ = now;
  outputs_.clear();
  passes_.clear();
  arrivals_.clear();
  arrivals_.push_back({port, Bytes8(bytes.begin(), bytes.end()), std::nullopt});
  for (std::size_t next = 0; next < arrivals_.size(); ++next) {
    if (next == most_passes)
      throw ModelError(
          fmt::format("a packet from port {} goes round more than {} times", port, most_passes));
    ingress(std::move(arrivals_[next]));
  }
  return std::move(outputs_);
}

void P4Switch::ingress(Arrival arrival) {
  const unsigned number = std::min<unsigned>(arrival.port >> 7, options_.pipes - 1);
  if (!pipes_[number].machine[0]) throw InputError("the pipe has no ingress");
  Machine& machine = *pipes_[number].machine[0];
  Packet packet;
  packet.frame = counted_bytes(arrival.bytes.size(), true);
  const dataplane::Pass pass(packet, {number, Gress::ingress}, serial_++, arrival.port, now_);

  const bool again = arrival.resubmitted.has_value();
  Bytes8 front = front_of(machine, ingress_md, ingress_intrinsic_bytes,
                          {{"resubmit_flag", again ? 1 : 0},
                           {"ingress_port", arrival.port},
                           {"ingress_mac_tstamp", nanoseconds()}});
  Bytes8 second = again ? *arrival.resubmitted : Bytes8();
  second.resize(port_metadata_bytes[options_.tofino2 ? 1 : 0]);
  front.insert(front.end(), second.begin(), second.end());

  machine.begin(front, arrival.bytes, fcs_of(arrival.bytes));
  const std::uint64_t before = machine.instructions();
  const bool goes_on = machine.parse(pass) || machine.code().names_parser_error;
  const std::uint32_t error = machine.result().error;
  machine.set(from_parser[0], "global_tstamp", nanoseconds());
  machine.set(from_parser[0], "parser_err", parser_error_bits(program_, error));
  Pass seen{number,
            Gress::ingress,
            arrival.port,
            static_cast<std::uint32_t>(arrival.bytes.size()),
            machine.result().parsed_bytes,
            error,
            0,
            {}};
  if (!goes_on) {
    seen.outcome = "dropped by the parser: " + program_.errors.at(error);
    seen.instructions = machine.instructions() - before;
    passes_.push_back(std::move(seen));
    return;
  }
  machine.control(pass);
  PassResult& result = machine.deparse(pass);
  seen.instructions = machine.instructions() - before;
  to_traffic_manager(machine, arrival, result, seen);
}

void P4Switch::to_traffic_manager(const Machine& machine, const Arrival& arrival,
                                  PassResult& result, Pass& seen) {
  const std::size_t at = passes_.size();
  passes_.push_back(seen);
  std::string& outcome = seen.outcome;
  const std::uint64_t drop = machine.get(for_deparser[0], "drop_ctl");
  std::move(result.digests.begin(), result.digests.end(), std::back_inserter(digests_));
  if (result.resubmit && (drop & 1) == 0 && !arrival.resubmitted) {
    passes_[at].outcome = "resubmitted";
    arrivals_.push_back({arrival.port, arrival.bytes, std::move(*result.resubmit)});
    return;
  }
  Departure out;
  out.qid = static_cast<unsigned>(machine.get(for_tm, "qid"));
  out.cos = static_cast<unsigned>(machine.get(for_tm, "ingress_cos"));
  out.bypass = machine.get(for_tm, "bypass_egress") != 0;
  out.rid = static_cast<unsigned>(machine.get(for_tm, "rid"));
  std::vector<Departure> departures;
  if ((drop & 1) == 0) {
    if (machine.written(for_tm, "ucast_egress_port")) {
      out.port = static_cast<unsigned>(machine.get(for_tm, "ucast_egress_port"));
      outcome += fmt::format("{}to port {}", outcome.empty() ? "" : ", ", out.port);
      departures.push_back(out);
    }
    for (const char* which : {"mcast_grp_a", "mcast_grp_b"}) {
      if (!machine.written(for_tm, which)) continue;
      const auto group = static_cast<unsigned>(machine.get(for_tm, which));
      const auto found = groups_.find(group);
      if (group == 0 || found == groups_.end()) continue;
      outcome += fmt::format("{}to group {}", outcome.empty() ? "" : ", ", group);
      bool first = true;
      for (const Replica& r : found->second) {
        Departure copy = out;
        copy.port = r.port;
        copy.rid = r.rid;
        copy.first_replica = std::exchange(first, false);
        departures.push_back(copy);
      }
    }
  }
  if (machine.get(for_tm, "copy_to_cpu") != 0 && (drop & 2) == 0) {
    out.port = options_.cpu_port;
    outcome += fmt::format("{}to the CPU", outcome.empty() ? "" : ", ");
    departures.push_back(out);
  }
  if (outcome.empty()) outcome = "dropped";
  const auto copy = (drop & 4) == 0 ? result.mirror : std::nullopt;
  const Bytes8 packet = std::move(result.packet);
  passes_[at].outcome = outcome;
  for (Departure& d : departures) {
    d.bytes = packet;
    egress(std::move(d));
  }
  if (copy) mirror(*copy, arrival.bytes, passes_[at]);
}

void P4Switch::mirror(const PassResult::Copy& copy, const Bytes8& packet, Pass&) {
  const auto session = sessions_.find(copy.session);
  if (session == sessions_.end()) return;
  Departure d;
  d.port = session->second;
  d.bytes = packet;
  d.mirror_header = copy.header;
  egress(std::move(d));
}

void P4Switch::egress(Departure d) {
  const unsigned number = std::min<unsigned>(d.port >> 7, options_.pipes - 1);
  Machine* machine = pipes_[number].machine[1].get();
  if (d.bypass || machine == nullptr) {
    leave(d.port, std::move(d.bytes));
    return;
  }
  if (passes_.size() > most_passes)
    throw ModelError(fmt::format("a packet makes more than {} passes", most_passes));
  Packet packet;
  packet.frame = counted_bytes(d.bytes.size(), false);
  const dataplane::Pass pass(packet, {number, Gress::egress}, serial_++, 0, now_);
  const Bytes8 intrinsic = front_of(*machine, egress_md, egress_intrinsic_bytes,
                                    {{"egress_port", d.port},
                                     {"egress_rid", d.rid},
                                     {"egress_rid_first", d.first_replica ? 1 : 0},
                                     {"egress_qid", d.qid},
                                     {"egress_cos", d.cos},
                                     {"pkt_length", packet.frame}});
  Bytes8 bytes = d.mirror_header;
  bytes.insert(bytes.end(), d.bytes.begin(), d.bytes.end());
  machine->begin(machine->code().extracts_intrinsic ? std::span<const std::uint8_t>(intrinsic)
                                                    : std::span<const std::uint8_t>(),
                 bytes, fcs_of(bytes));
  const std::uint64_t before = machine->instructions();
  machine->parse(pass);  // egress never drops for an error
  const std::uint32_t error = machine->result().error;
  machine->set(from_parser[1], "global_tstamp", nanoseconds());
  machine->set(from_parser[1], "parser_err", parser_error_bits(program_, error));
  Pass seen{number,
            Gress::egress,
            d.port,
            static_cast<std::uint32_t>(d.bytes.size()),
            machine->result().parsed_bytes,
            error,
            0,
            {}};
  machine->control(pass);
  PassResult& result = machine->deparse(pass);
  seen.instructions = machine->instructions() - before;
  const std::uint64_t drop = machine->get(for_deparser[1], "drop_ctl");
  const auto copy = (drop & 4) == 0 ? result.mirror : std::nullopt;
  Bytes8 leaving = std::move(result.packet);
  seen.outcome = (drop & 1) != 0 ? "dropped" : fmt::format("leaves by port {}", d.port);
  passes_.push_back(seen);
  if (copy) mirror(*copy, leaving, seen);
  if ((drop & 1) == 0) leave(d.port, std::move(leaving));
}

void P4Switch::leave(unsigned port, Bytes8 bytes) {
  if (options_.loopback.contains(port))
    arrivals_.push_back({port, std::move(bytes), std::nullopt});
  else
    outputs_.push_back({port, std::move(bytes)});
}

}  // namespace horae::p4prog
