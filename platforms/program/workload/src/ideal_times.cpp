#include "horae/workload/ideal_times.hpp"

#include <algorithm>
#include <utility>

#include "horae/workload/end_points.hpp"

namespace horae::workload {
namespace {

/// Ports that one connection uses.
unsigned lanes_of(const rnic::RnicConfig& nic) {
  const auto choice = nic.port_choice.value_or(rnic::PortChoice::entropy);
  const bool one = choice == rnic::PortChoice::rail || choice == rnic::PortChoice::hash ||
                   (choice == rnic::PortChoice::entropy &&
                    policy::find_entropy_scheme(nic.entropy.scheme).constant);
  return one ? 1 : nic.port_count();
}
/// Their rate, if each is `rate`.
BitRate together(const rnic::RnicConfig& nic, BitRate rate) {
  return BitRate(rate.count() * lanes_of(nic));
}

/// Bytes that a packet takes on a wire.
Bytes on_the_wire(const rnic::RnicConfig& nic, Opcode opcode, Bytes payload) {
  const Bytes frame = frame_bytes(opcode, payload);
  if (nic.frames != rnic::Frames::roce)
    return l1_bytes(rnic::other_frame(nic.frames, payload, frame));
  const bool another = is_write(opcode) && nic.reth_on_every_packet && !has_reth(opcode);
  return l1_bytes(another ? frame + Bytes(wire::reth) : frame);
}

}  // namespace

IdealTimes::IdealTimes(const config::PlatformConfig& platform)
    : platform_(platform), routes_(platform.topology.shortest_path_routes()) {
  for (const auto& v : platform.topology.vertices()) links_.emplace_back(v.ports);
  for (std::size_t e = 0; e < platform.links.size(); ++e) {
    const auto& edge = platform.topology.edges()[e];
    links_[edge.a][edge.port_a] = e;
    links_[edge.b][edge.port_b] = e;
  }
}

IdealTimes::Step IdealTimes::step(unsigned at, unsigned port) const {
  const std::size_t link = links_[at][port];
  const auto& edge = platform_.topology.edges()[link];
  const bool forward = edge.a == at && edge.port_a == port;
  const auto& config = forward ? platform_.links[link].config : platform_.links[link].backward;
  Hop hop{.rate = config.rate, .before = {}, .delay = config.delay};
  const config::Profile& profile = platform_.profiles.at(platform_.devices[at].profile);
  if (const auto* plain = std::get_if<fabric::SwitchConfig>(&profile)) {
    hop.before = plain->latency;
  } else if (const auto* chip = std::get_if<config::TofinoProfile>(&profile)) {
    // Without the stages of its program, which only its packets know.
    const auto& c = chip->chip;
    hop.before = c.ingress_parser + c.ingress_deparser + c.traffic_manager + c.egress_parser +
                 c.egress_deparser + c.mac_tx + c.mac_rx;
  }
  return {hop, forward ? edge.b : edge.a};
}

IdealTimes::Path IdealTimes::first_path(unsigned from, unsigned to) const {
  Path hops;
  const NodeId node = platform_.topology.vertices()[to].node;
  for (unsigned at = from; at != to;) {
    const Step next = step(at, routes_[at].towards(node).front());
    hops.push_back(next.hop);
    at = next.next;
  }
  return hops;
}

/// Keeps `path` unless one that is there is at no link slower and has no more latency; drops those
/// that it makes needless. What is so for each link is so for every message.
void IdealTimes::keep(std::vector<Path>& paths, Path path) {
  const auto needless = [](const Path& a, const Path& b) {
    Picoseconds of_a{}, of_b{};
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i].rate < b[i].rate) return false;
      of_a += a[i].before + a[i].delay;
      of_b += b[i].before + b[i].delay;
    }
    return of_a <= of_b;
  };
  for (const Path& other : paths) {
    if (needless(other, path)) return;
  }
  std::erase_if(paths, [&](const Path& other) { return needless(path, other); });
  paths.push_back(std::move(path));
}

const std::vector<IdealTimes::Path>& IdealTimes::between(unsigned first, unsigned last,
                                                         NodeId to) const {
  constexpr std::size_t most = 100'000;  // pairs that are kept
  if (between_.size() >= most) between_.clear();
  const auto [found, added] = between_.try_emplace({first, last});
  if (!added) return found->second;
  // All paths are equally long, so those to devices of one distance are known at once.
  std::map<unsigned, std::vector<Path>> reached{{first, {Path{}}}};
  while (!reached.contains(last)) {
    std::map<unsigned, std::vector<Path>> further;
    for (const auto& [at, paths] : reached) {
      for (const std::uint16_t port : routes_[at].towards(to)) {
        const Step next = step(at, port);
        for (Path path : paths) {
          path.push_back(next.hop);
          keep(further[next.next], std::move(path));
        }
      }
    }
    reached = std::move(further);
  }
  return found->second = std::move(reached.at(last));
}

std::vector<IdealTimes::Path> IdealTimes::paths(unsigned from, unsigned to) const {
  // Planes are alike, and not joined.
  if (nic_at(platform_, from).port_count() > 1 || nic_at(platform_, to).port_count() > 1)
    return {first_path(from, to)};
  const Step out = step(from, 0), back = step(to, 0);  // a NIC of one port
  if (out.next == to) return {{out.hop}};
  const NodeId node = platform_.topology.vertices()[to].node;
  const Step in = step(back.next, routes_[back.next].towards(node).front());
  std::vector<Path> all = between(out.next, back.next, node);
  for (Path& path : all) {
    path.insert(path.begin(), out.hop);
    path.push_back(in.hop);
  }
  return all;
}

Picoseconds IdealTimes::round_trip(unsigned from, unsigned to) const {
  return message_time(from, to, nic_at(platform_, from).mtu, first_path(from, to), Verb::write) +
         nic_at(platform_, to).ack_delay +
         bare_time(to, from, Opcode::acknowledge, first_path(to, from));
}

Picoseconds IdealTimes::quickest_round_trip(unsigned from, unsigned to) const {
  return at_line_rate(from, to, nic_at(platform_, from).mtu);
}

Picoseconds IdealTimes::by_base_rtt(unsigned from, unsigned to, Bytes bytes) const {
  const auto& sender = nic_at(platform_, from);
  Picoseconds time = never;
  for (const Path& there : paths(from, to)) {
    Picoseconds round_trip{};
    for (const auto& hop : there)
      round_trip += hop.delay * 2 + serialisation_time(sender.mtu, hop.rate);
    time = std::min(time, round_trip);
  }
  const std::int64_t packets = packets_of(platform_, from, bytes);
  const Bytes headers = on_the_wire(sender, Opcode::write_middle, sender.mtu) - sender.mtu;
  const Bytes last = bytes - sender.mtu * (packets - 1);
  const BitRate rate = together(sender, step(from, 0).hop.rate);
  return time + serialisation_time(sender.mtu + headers, rate) * (packets - 1) +
         serialisation_time(last + headers, rate);
}

Picoseconds IdealTimes::at_line_rate(unsigned from, unsigned to, Bytes bytes, Verb verb) const {
  // Data goes one way, a request or an acknowledgement the other.
  const bool read = has_response(verb);
  if (read) std::swap(from, to);
  Picoseconds message = never, bare = never;
  for (const Path& there : paths(from, to))
    message = std::min(message, message_time(from, to, bytes, there, verb));
  const Opcode opcode = read ? request_opcode(verb) : Opcode::acknowledge;
  for (const Path& back : paths(to, from))
    bare = std::min(bare, bare_time(to, from, opcode, back, request_payload(verb)));
  return message + bare + (read ? 0_ps : nic_at(platform_, to).ack_delay);
}

/// Until the last packet has passed the receiver's pipe.
Picoseconds IdealTimes::message_time(unsigned from, unsigned to, Bytes bytes, const Path& there,
                                     Verb verb) const {
  const auto& sender = nic_at(platform_, from);
  // Planes are alike, and packets take turns among them.
  const unsigned lanes = lanes_of(sender);
  const BitRate pipe_rate = together(sender, there.front().rate);
  std::vector<Picoseconds> free(there.size() * lanes);
  Picoseconds pipe{};  // free from then on, where it serves several lanes
  const std::int64_t mtu = sender.mtu.count();
  const std::int64_t packets = std::max<std::int64_t>(1, (bytes.count() + mtu - 1) / mtu);
  Picoseconds arrived{};
  for (std::int64_t i = 0; i < packets; ++i) {
    const bool first = i == 0, last = i + 1 == packets;
    const Opcode opcode = data_opcode(verb, first, last);
    const Bytes packet = on_the_wire(sender, opcode, Bytes(last ? bytes.count() - i * mtu : mtu));
    Picoseconds at = sender.tx_latency + pipe;
    if (lanes > 1) pipe += serialisation_time(packet, pipe_rate);
    Picoseconds* const lane = free.data() + static_cast<std::size_t>(i % lanes) * there.size();
    for (std::size_t h = 0; h < there.size(); ++h) {
      const Picoseconds start = std::max(at + there[h].before, lane[h]);
      lane[h] = start + serialisation_time(packet, there[h].rate);
      at = lane[h] + there[h].delay;
    }
    arrived = std::max(arrived, at);
  }
  return arrived + nic_at(platform_, to).rx_latency;
}

Picoseconds IdealTimes::bare_time(unsigned from, unsigned to, Opcode opcode, const Path& there,
                                  Bytes payload) const {
  const auto& sender = nic_at(platform_, from);
  Picoseconds time = sender.tx_latency;
  const Bytes bare = on_the_wire(sender, opcode, payload);
  for (const auto& hop : there) time += hop.before + serialisation_time(bare, hop.rate) + hop.delay;
  return time + nic_at(platform_, to).rx_latency;
}

}  // namespace horae::workload
