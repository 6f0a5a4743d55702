#include "horae/workload/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/params/schema.hpp"
#include "horae/workload/end_points.hpp"
#include "horae/workload/nic_demands.hpp"
#include "horae/workload/traffic_kind.hpp"

namespace horae::workload {

const Schema<Traffic::Mix>& Traffic::Mix::schema() {
  static const std::vector<std::pair<std::string, Verb>> names = {
      {"write", Verb::write},
      {"read", Verb::read},
      {"send", Verb::send},
      {"write_imm", Verb::write_imm},
      {"compare_swap", Verb::compare_swap},
      {"fetch_add", Verb::fetch_add}};
  static const Schema<Mix> s =
      Schema<Mix>("traffic", "Keys of traffic of any kind.")
          .choice(
              "service", &Mix::service,
              {{"rc", Service::rc}, {"uc", Service::uc}, {"ud", Service::ud}, {"dc", Service::dc}},
              {.doc = "kind = messages: transport service of the queue pairs: reliable "
                      "connection; unreliable connection, for WRITE, SEND and WRITE with "
                      "immediate data; unreliable datagram, for SENDs of at most an MTU; "
                      "dynamically connected, as rc, by nic.dc.initiators that serve one "
                      "target at a time. Of uc and ud, without acknowledgements a message is "
                      "completed when its last packet "
                      "has left, what is lost is lost, and a message counts as delivered when "
                      "it is whole at its end. Absent: rc",
               .source = "IBTA vol. 1, 9.7 and 9.8"})
          .choice("verb", &Mix::verb, names,
                  {.doc = "operation of the messages: RDMA WRITE; RDMA READ, whose data comes "
                          "from the other end, of NICs with transport rnic_sr, go_back_n or "
                          "timeout_only; SEND, or RDMA WRITE with immediate data, each of which "
                          "takes a receive WQE of the other end (nic.receive), of NICs with "
                          "transport rnic_sr or go_back_n; an atomic of eight bytes, which the "
                          "other end executes, of NICs that have READs. Absent: write",
                   .source = "IBTA vol. 1, 9.4"})
          .choice("verbs", &Mix::verbs, names,
                  {.doc = "kind = messages: verbs of the messages of each queue pair, in turn, in "
                          "the place of `verb`. An atomic has eight bytes whatever the size of "
                          "others. Absent: all have `verb`",
                   .source = "mixes of verbs on a queue pair: Collie (NSDI 2022), workload engine"})
          .choice(
              "fence", &Mix::fence, names,
              {.doc = "of `verbs`: messages of these verbs wait until all READs and atomics that "
                      "were posted before them on their queue pair are answered. Absent: none",
               .source = "IBTA vol. 1, 10.8.3.3: fence indicator; IBV_SEND_FENCE"})
          .field(
              "words", &Mix::words,
              {.doc = "with an atomic verb: words of eight bytes in the memory of each other end "
                      "that the table's atomics go to, in turn. Absent: 1",
               .min = 1,
               .max = 1u << 20,
               .source = "1: all go to one address, which is what publications measure first"})
          .field("ecmp_every", &Mix::ecmp_every,
                 {.doc = "every so many-th connection keeps one entropy and is left to the hash of "
                         "plain switches, whatever balances the others; absent: none",
                  .min = 1,
                  .source = "10: mixed traffic in htsim of REPS (EuroSys 2026), Figure 5"})
          .field(
              "traffic_class", &Mix::traffic_class,
              {.doc = "traffic class of the data; absent: `traffic_class` of each NIC", .max = 7})
          .field("name", &Mix::name,
                 {.doc = "results of this traffic alone are `traffic.<name>.rate` and so on; "
                         "absent: there are none"});
  return s;
}

namespace {

/// InputError in one line where no result could be called by it, or another table is.
void check_name(const Located<std::string>& name, const TrafficSection& table) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (name.value.empty() || !std::ranges::all_of(name.value, fits)) {
    throw input_error(name.where,
                      fmt::format("name = \"{}\"; expected letters, digits and _", name.value));
  }
  for (std::size_t i = 0; i < table.platform.traffic.size(); ++i) {
    if (traffic_of(table.platform, i).name() == name.value) {
      throw input_error(
          name.where,
          fmt::format("name = \"{}\" is that of traffic[{}]; expected another one", name.value, i));
    }
  }
}

/// InputError in one line where the kind, or one of the platform's NICs, has no READs.
void check_reads(const TrafficSection& table, const char* key) {
  if (!table.kind.reads) {
    throw table.section.error(
        key, fmt::format("verb = \"{}\" of kind = \"{}\", in which messages wait for others to "
                         "arrive; expected \"write\"",
                         table.section.get_string("verb"), table.kind.name));
  }
  const auto nics = senders_of(table.platform);
  for (const unsigned nic : nics) {
    const rnic::RnicConfig& one = nic_at(table.platform, nic);
    config::check_at(table.section, key, [&] { rnic::check_reads(one); });
    // A response is cut up by the responder's path MTU, which the requester must know (IBTA vol. 1,
    // 9.7.2): both ends of a queue pair have the same.
    const Bytes first = nic_at(table.platform, nics.front()).mtu;
    if (one.mtu == first) continue;
    throw table.section.error(
        key, fmt::format("verb = \"read\" between NICs with mtu = {} and mtu = {}; expected one "
                         "MTU",
                         to_text(first), to_text(one.mtu)));
  }
}

/// InputError in one line where a table cannot have these verbs together.
void check_verbs(const TrafficSection& table, const std::vector<Verb>& verbs) {
  const auto refuse = [&](const std::string& why) { throw table.section.error("verbs", why); };
  if (table.kind.name != "messages")
    refuse(
        fmt::format("verbs of kind = \"{}\", whose messages are alike; expected kind = "
                    "\"messages\"",
                    table.kind.name));
  if (verbs.empty()) refuse("verbs = []; expected one or more");
  if (table.section.has("verb")) refuse("verbs beside 'verb'; expected one of the two");
}

/// InputError in one line where a table has no messages that a fence could be on.
void check_fence(const TrafficSection& table, const Traffic& traffic,
                 const std::vector<Verb>& fence) {
  const auto refuse = [&](const std::string& why) { throw table.section.error("fence", why); };
  if (!table.section.has("verbs"))
    refuse("fence without 'verbs': found messages of one verb; expected verbs of which some wait");
  if (!traffic.has_responses())
    refuse("fence without READs or atomics, which it would wait for; expected some among 'verbs'");
  for (const Verb f : fence) {
    if (!traffic.any_verb([&](Verb v) { return v == f; }))
      refuse("fence of a verb that is not among 'verbs'; expected some of those");
  }
}

/// InputError in one line where one of the platform's NICs has no such messages.
void check_sends(const TrafficSection& table, const char* key) {
  for (const unsigned nic : senders_of(table.platform)) {
    config::check_at(table.section, key, [&] { rnic::check_sends(nic_at(table.platform, nic)); });
  }
}

/// InputError in one line where a table, or one of the platform's NICs, cannot have queue pairs
/// without acknowledgements.
void check_service(const TrafficSection& table, const Traffic& traffic) {
  if (traffic.service() == Service::rc) return;
  const std::string name = table.section.get_string("service");
  const auto refuse = [&](const std::string& why) {
    throw table.section.error("service", fmt::format("service = \"{}\" {}", name, why));
  };
  if (table.kind.name != "messages")
    refuse(
        fmt::format("of kind = \"{}\", whose messages are measured or waited for until they are "
                    "acknowledged; expected kind = \"messages\"",
                    table.kind.name));
  if (traffic.service() == Service::dc) {
    for (const unsigned nic : senders_of(table.platform))
      config::check_at(table.section, "service",
                       [&] { rnic::check_on_demand(nic_at(table.platform, nic)); });
    return;
  }
  const bool ud = traffic.service() == Service::ud;
  if (traffic.any_verb([&](Verb v) { return has_response(v) || (ud && v != Verb::send); }))
    refuse(ud ? "with another verb than SEND, which is all that it has; expected verb = \"send\""
              : "with a verb that has a response; expected \"write\", \"send\" or \"write_imm\"");
  for (const unsigned nic : senders_of(table.platform)) {
    const rnic::RnicConfig& one = nic_at(table.platform, nic);
    config::check_at(table.section, "service", [&] { rnic::check_unreliable(one); });
    if (table.platform.sim.window > one.tx_latency)
      refuse(
          fmt::format("with sim.window = {} above tx_latency = {} of a NIC, after which a message "
                      "is completed; expected a window of at most that",
                      to_text(table.platform.sim.window), to_text(one.tx_latency)));
  }
}

}  // namespace

Traffic::Traffic(const TrafficSection& table)
    : mix_(Mix::schema().read(table.section, table.section.keys())),
      kind_(table.kind),
      number_(table.number),
      kind_at_(table.section.where("kind")) {
  if (mix_.name) check_name(*mix_.name, table);
  if (mix_.verbs) {
    check_verbs(table, *mix_.verbs);
    verbs_ = std::make_shared<const std::vector<Verb>>(*mix_.verbs);
  }
  check_service(table, *this);
  if (table.section.has("service")) service_at_ = table.section.where("service");
  const char* const key = verbs_ ? "verbs" : "verb";
  if (has_responses()) check_reads(table, key);
  if (mix_.fence) check_fence(table, *this, *mix_.fence);
  if (table.section.has("verb")) verb_at_ = table.section.where("verb");
  if (mix_.words && !any_verb([](Verb v) { return is_atomic(v); }))
    throw table.section.error("words",
                              fmt::format("words = {} of a verb that is no atomic; expected verb = "
                                          "\"compare_swap\" or \"fetch_add\"",
                                          *mix_.words));
  if (!is_unreliable(service()) && any_verb([](Verb v) { return takes_receive_wqe(v); }))
    check_sends(table, key);
}

void Traffic::plan(const config::PlatformConfig& /*platform*/, const FlowSink& /*sink*/) const {}

void Traffic::flows(const config::PlatformConfig& platform, const FlowSink& sink) const {
  plan(platform, [&](Flow flow) {
    const auto& from = platform.devices[flow.from].scale_up;
    const auto& to = platform.devices[flow.to].scale_up;
    if (from && (flow.lead | flow.trigger | flow.batch) != 0) refuse_waiting(platform, flow);
    if (from && flow.channel) refuse_waiting(platform, flow);
    if (from && to && from->domain == to->domain) {
      flow.from = from->end;
      flow.to = to->end;
    }
    check_fabric(platform, flow);
    sink(flow);
  });
}

void Traffic::check_fabric(const config::PlatformConfig& platform, const Flow& flow) const {
  const auto& from = platform.devices[flow.from];
  const auto& to = platform.devices[flow.to];
  if (from.end_of_domain == to.end_of_domain) return;
  throw input_error(kind_at_, fmt::format("messages from '{}' to '{}', which are of different "
                                          "fabrics; expected NICs, or ends of one scale-up domain",
                                          from.name, to.name));
}

void Traffic::refuse_waiting(const config::PlatformConfig& platform, const Flow& flow) const {
  throw input_error(
      kind_at_,
      fmt::format(
          "messages that wait for others, from '{0}', whose GPU has two devices, '{0}' and "
          "'{1}', which do not know of each other's; expected messages that do not wait, or "
          "members of one fabric, such as '{1}'",
          platform.devices[flow.from].name,
          platform.devices[platform.devices[flow.from].scale_up->end].name));
}

void Traffic::connected_flows(const config::PlatformConfig& platform, const FlowSink& sink) const {
  const std::uint64_t ecmp_every = mix_.ecmp_every.value_or(0);
  std::uint64_t ordinal = 0;
  flows(platform, [&](Flow flow) {
    if (!flow.traffic_class && mix_.traffic_class)
      flow.traffic_class = static_cast<std::uint8_t>(*mix_.traffic_class);
    flow.verb = verb();
    flow.verbs = verbs_;
    flow.words = mix_.words.value_or(1);
    for (const Verb v : mix_.fence.value_or(std::vector<Verb>{}))
      flow.fenced = static_cast<std::uint8_t>(flow.fenced | 1u << static_cast<unsigned>(v));
    flow.service = service();
    if (flow.service == Service::ud) check_datagram(platform, flow);
    if (is_atomic(flow.verb) && !verbs_ && (flow.message != atomic_operand || flow.sizes))
      throw input_error(verb_at_, fmt::format("an atomic of {}: found messages of that size; "
                                              "expected 8 B",
                                              to_text(flow.message)));
    flow.spray = ecmp_every == 0 || ordinal++ % ecmp_every != 0;
    sink(flow);
  });
}

void Traffic::check_datagram(const config::PlatformConfig& platform, const Flow& flow) const {
  const Bytes mtu = std::min(nic_at(platform, flow.from).mtu, nic_at(platform, flow.to).mtu);
  if (flow.message <= mtu) return;
  throw input_error(service_at_,
                    fmt::format("service = \"ud\" with messages of {}, above the MTU of {}; "
                                "expected messages of one packet",
                                to_text(flow.message), to_text(mtu)));
}

void Traffic::packets(const config::PlatformConfig& /*platform*/,
                      const PacketSink& /*sink*/) const {}

void Traffic::programs(const config::PlatformConfig& /*platform*/,
                       const ProgramSink& /*sink*/) const {}

Picoseconds Traffic::arrivals_end(const config::PlatformConfig& /*platform*/) const { return {}; }

void Traffic::ask(const config::PlatformConfig& platform, NicDemands& demands) const {
  const bool of_any_size = measure() == Measure::messages || measure() == Measure::queries;
  flows(platform, [&](const Flow& f) {
    Bytes memory = f.message;
    // Few different sizes: what is translated are pages.
    if (of_any_size)
      memory = Bytes(
          static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(f.message.count()))));
    const bool reads = has_responses();
    demands.add(f.from, {1, f.count == 0 ? f.depth : std::min(f.depth, f.count), memory, 0, false,
                         reads, false});
    demands.add(f.to, {1, 0, memory, 0, false, false, reads});
  });
}

void Traffic::pairs(const config::PlatformConfig& platform, const PairSink& sink) const {
  flows(platform, [&](const Flow& f) { sink(f.from, f.to); });
  const auto hosts = all_of(platform, EndPoint::host);
  packets(platform, [&](const PacketStream& stream) {
    for (const unsigned to : hosts) {
      if (to != stream.from) sink(stream.from, to);
    }
  });
}

void Traffic::add_rows(nlohmann::ordered_json& /*rows*/) const {}

std::vector<PlacedMessage> messages_of(const config::PlatformConfig& platform) {
  std::vector<PlacedMessage> out;
  std::vector<std::uint32_t> queue_pairs(platform.devices.size());
  std::size_t connection = 0;
  for (std::size_t i = 0; i < platform.traffic.size(); ++i) {
    const Traffic& traffic = traffic_of(platform, i);
    traffic.connected_flows(platform, [&](const Flow& flow) {
      if (traffic.is_message(flow))
        out.push_back({connection, queue_pairs[flow.from], queue_pairs[flow.to], flow});
      ++connection;
      ++queue_pairs[flow.from];
      ++queue_pairs[flow.to];
    });
  }
  return out;
}

const Traffic& traffic_of(const config::PlatformConfig& platform, std::size_t table) {
  return static_cast<const Traffic&>(*platform.traffic[table]);
}

}  // namespace horae::workload
