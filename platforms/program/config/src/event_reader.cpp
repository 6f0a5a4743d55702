// [[event]]: harm to chosen packets of a link or a NIC.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "horae/config/network_reader.hpp"
#include "horae/config/profile.hpp"
#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"

namespace horae::config {
namespace {

using Action = EventSpec::Action;
using Packets = EventSpec::Packets;
using Side = EventSpec::Side;

constexpr std::uint32_t greatest_psn = (1u << 24) - 1;
constexpr std::uint64_t most_packets = 1'000'000'000'000;

/// Keys that say nothing beside, or without, another one.
void check_keys(const EventSpec& spec, const Section& section) {
  const auto refuse = [&](const char* key, const char* why) {
    if (section.has(key)) throw section.error(key, fmt::format("'{}' {}", key, why));
  };
  if (!spec.action)
    throw section.error("action",
                        "missing 'action'; expected drop, mark, corrupt, delay or "
                        "duplicate");
  if (spec.nic) {
    refuse("between", "beside 'nic'; expected one of the two");
    refuse("link", "beside 'nic'; expected 'port', or 'between' in place of 'nic'");
  } else {
    if (!section.has("between"))
      throw section.error("between",
                          "expected 'between', the link's ends in the direction of the "
                          "packets, or 'nic'");
    refuse("side", "without 'nic'");
    refuse("port", "without 'nic'");
  }
  if (spec.psn) {
    refuse("packet", "beside 'psn'; expected one of the two");
  } else {
    refuse("iteration", "without 'psn'");
  }
  if (*spec.action == Action::delay) {
    if (!spec.delay || *spec.delay == 0_ps)
      throw section.error("delay", "action = \"delay\" expects 'delay', more than 0");
  } else if (*spec.action != Action::duplicate) {
    refuse("delay", "with an action other than delay and duplicate");
  }
  if (*spec.action == Action::mark && spec.packets != Packets::data)
    throw section.error("packets",
                        "action = \"mark\" is of data: nobody reacts to marks of other "
                        "packets");
}

std::string_view name_of(Packets packets) {
  return packets == Packets::data    ? "data"
         : packets == Packets::acks  ? "acks"
         : packets == Packets::nacks ? "nacks"
                                     : "cnps";
}

/// "drop data, psn 5, of h0-h1 from s0 to h1"
std::string title_of(const EventSpec& spec, const std::string& from, const std::string& to) {
  std::string which = spec.psn ? fmt::format("psn {}", *spec.psn)
                               : fmt::format("packet {}", spec.packet.value_or(1));
  if (spec.psn && spec.iteration.value_or(1) != 1)
    which += fmt::format(" iteration {}", *spec.iteration);
  if (spec.count > 1) which += fmt::format(" and {} more", spec.count - 1);
  if (spec.every > 1) which += fmt::format(", every {}", spec.every);
  return fmt::format("{} {}, {}, of {} from {} to {}", fabric::name_of(*spec.action),
                     name_of(spec.packets), which,
                     spec.flow ? spec.flow->value : "every queue pair", from, to);
}

}  // namespace

const Schema<EventSpec>& EventSpec::schema() {
  using T = EventSpec;
  static const std::string lumina =
      "Lumina (SIGCOMM 2023), data-pkt-events: queue pair, PSN, iteration, type";
  static const Schema<T> s =
      Schema<T>("event", "Harm done on purpose to chosen packets, as a hardware test bench does.")
          .choice(
              "action", &T::action,
              {{"drop", Action::drop},
               {"mark", Action::mark},
               {"corrupt", Action::corrupt},
               {"delay", Action::delay},
               {"duplicate", Action::duplicate}},
              {.doc = "the packet is lost; gets CE; gets a bit error, so that the receiving NIC "
                      "finds its ICRC wrong, drops and counts it; arrives later than packets "
                      "behind it; arrives twice, the copy directly behind. Required",
               .source = lumina})
          .field("between", &T::between,
                 {.doc = "the ends of the link, in the direction of the packets"})
          .field("link", &T::link, {.doc = "which of several links between the two, from 0"})
          .field("nic", &T::nic, {.doc = "in place of between: the link of this NIC or host"})
          .choice("side", &T::side, {{"sends", Side::sends}, {"receives", Side::receives}},
                  {.doc = "of the nic: what it sends, or what it receives. Absent: receives"})
          .field("port", &T::port, {.doc = "of the nic, from 0. Absent: 0"})
          .field("flow", &T::flow,
                 {.doc = "SRC-DST or SRC-DST:QP, the queue pair's number at the sender as in "
                         "flows.csv: packets of these connections, in either direction. Absent: of "
                         "every one. Packets are counted for each queue pair apart"})
          .choice("packets", &T::packets,
                  {{"data", Packets::data},
                   {"acks", Packets::acks},
                   {"nacks", Packets::nacks},
                   {"cnps", Packets::cnps}},
                  {.doc = "kind of packet that is counted and harmed; data: also requests of READs "
                          "and their responses; acks: ACKs and SACKs"})
          .field(
              "psn", &T::psn,
              {.doc = "the packet with this PSN, as on the wire: a queue pair begins at first_psn",
               .max = greatest_psn})
          .field("iteration", &T::iteration,
                 {.doc = "with psn: when it passes for so many times; 2: its first "
                         "retransmission. Absent: 1",
                  .min = 1,
                  .max = most_packets,
                  .source = lumina})
          .field("packet", &T::packet,
                 {.doc = "without psn: so-manieth packet of its queue pair that passes here, those "
                         "sent again included. Absent: 1",
                  .min = 1,
                  .max = most_packets})
          .field("count", &T::count,
                 {.doc = "packets, or PSNs, that are harmed", .min = 1, .max = most_packets})
          .field("every", &T::every,
                 {.doc = "of so many packets, or PSNs, one: the first and so on",
                  .min = 1,
                  .max = most_packets})
          .field("delay", &T::delay,
                 {.doc = "action delay: how much later it arrives; duplicate: how much later than "
                         "directly behind its original the copy does. A copy takes no time of the "
                         "link",
                  .min = 0_ps,
                  .max = 1000_ms});
  return s;
}

nlohmann::ordered_json NetworkReader::add_event(const Section& section) {
  const auto spec = section.read<EventSpec>();
  check_keys(spec, section);
  const auto& edges = platform_.topology.edges();
  EventInstance event;
  event.where = section.where();
  unsigned from = 0, to = 0;
  if (spec.nic) {
    const unsigned nic = find(*spec.nic);
    std::vector<std::size_t> links;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].a == nic || edges[i].b == nic) links.push_back(i);
    }
    const auto& name = spec.nic->value;
    if (platform_.topology.vertices()[nic].node == fabric::Topology::no_node)
      throw section.error("nic", fmt::format("'{}' is a switch; expected a NIC or a host, or "
                                             "'between' in place of 'nic'",
                                             name));
    const std::uint32_t port = spec.port.value_or(0);
    if (port >= links.size())
      throw section.error("port", fmt::format("port = {}, but '{}' has {} link{}", port, name,
                                              links.size(), links.size() == 1 ? "" : "s"));
    event.link = links[port];
    const unsigned other = edges[event.link].a == nic ? edges[event.link].b : edges[event.link].a;
    const bool sends = spec.side == Side::sends;
    from = sends ? nic : other;
    to = sends ? other : nic;
  } else {
    event.link = link_of(section, spec.between, spec.link);
    from = find(spec.between[0]);
    to = find(spec.between[1]);
  }
  event.forward = edges[event.link].a == from;
  event.title = title_of(spec, platform_.devices[from].name, platform_.devices[to].name);
  if (platform_.links[event.link].halved)
    throw section.error(
        spec.nic ? "nic" : "between",
        fmt::format("the link between '{}' and '{}' has a module; expected an event "
                    "on a link without",
                    platform_.devices[from].name, platform_.devices[to].name));
  if (spec.flow) {
    event.flow_where = spec.flow->where;
    check_at(section, "flow",
             [&] { event.flow = read_flow_name("flow", spec.flow->value, platform_); });
  }
  event.injection = {.action = *spec.action,
                     .packets = spec.packets,
                     .psn = spec.psn,
                     .iteration = spec.iteration.value_or(1),
                     .packet = spec.packet.value_or(1),
                     .count = spec.count,
                     .every = spec.every,
                     .delay = spec.delay.value_or(0_ps)};
  platform_.events.push_back(std::move(event));
  return EventSpec::schema().dump(spec);
}

}  // namespace horae::config
