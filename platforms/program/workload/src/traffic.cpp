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
                          "the place of `verb`; all of them with data in one direction. An atomic "
                          "has eight bytes whatever the size of others. Absent: all have `verb`",
                   .source = "mixes of verbs on a queue pair: Collie (NSDI 2022), workload engine"})
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
  const auto nics = all_of(table.platform, EndPoint::nic);
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
  if (std::ranges::any_of(verbs, [&](Verb v) { return has_response(v) != has_response(verbs[0]); }))
    refuse(
        "verbs: found data in both directions; expected write, send and write_imm, or read, "
        "compare_swap and fetch_add");
}

/// InputError in one line where one of the platform's NICs has no such messages.
void check_sends(const TrafficSection& table, const char* key) {
  for (const unsigned nic : all_of(table.platform, EndPoint::nic)) {
    config::check_at(table.section, key, [&] { rnic::check_sends(nic_at(table.platform, nic)); });
  }
}

}  // namespace

Traffic::Traffic(const TrafficSection& table)
    : mix_(Mix::schema().read(table.section, table.section.keys())),
      kind_(table.kind),
      number_(table.number) {
  if (mix_.name) check_name(*mix_.name, table);
  if (mix_.verbs) {
    check_verbs(table, *mix_.verbs);
    verbs_ = std::make_shared<const std::vector<Verb>>(*mix_.verbs);
  }
  const char* const key = verbs_ ? "verbs" : "verb";
  if (has_response(verb())) check_reads(table, key);
  if (table.section.has("verb")) verb_at_ = table.section.where("verb");
  if (mix_.words && !any_verb([](Verb v) { return is_atomic(v); }))
    throw table.section.error("words",
                              fmt::format("words = {} of a verb that is no atomic; expected verb = "
                                          "\"compare_swap\" or \"fetch_add\"",
                                          *mix_.words));
  if (any_verb([](Verb v) { return takes_receive_wqe(v); })) check_sends(table, key);
}

void Traffic::flows(const config::PlatformConfig& /*platform*/, const FlowSink& /*sink*/) const {}

void Traffic::connected_flows(const config::PlatformConfig& platform, const FlowSink& sink) const {
  const std::uint64_t ecmp_every = mix_.ecmp_every.value_or(0);
  std::uint64_t ordinal = 0;
  flows(platform, [&](Flow flow) {
    if (!flow.traffic_class && mix_.traffic_class)
      flow.traffic_class = static_cast<std::uint8_t>(*mix_.traffic_class);
    flow.verb = verb();
    flow.verbs = verbs_;
    flow.words = mix_.words.value_or(1);
    if (is_atomic(flow.verb) && !verbs_ && (flow.message != atomic_operand || flow.sizes))
      throw input_error(verb_at_, fmt::format("an atomic of {}: found messages of that size; "
                                              "expected 8 B",
                                              to_text(flow.message)));
    flow.spray = ecmp_every == 0 || ordinal++ % ecmp_every != 0;
    sink(flow);
  });
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
    demands.add(f.from, {1, f.count == 0 ? f.depth : std::min(f.depth, f.count), memory});
    demands.add(f.to, {1, 0, memory});
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
