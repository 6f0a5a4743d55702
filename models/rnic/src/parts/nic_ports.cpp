#include "horae/rnic/parts/nic_ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "horae/core/error.hpp"

namespace horae::rnic {

NicPorts::NicPorts(const RnicConfig& config)
    : choice_(config.port_choice.value_or(PortChoice::entropy)),
      room_(config.buffer_of_port()),
      ports_(config.port_count()) {}

bool NicPorts::up(unsigned port, Picoseconds now) const {
  const auto& down = ports_[port].down;
  return std::none_of(down.begin(), down.end(),
                      [now](const fabric::Outage& o) { return o.from <= now && now < o.to; });
}

Picoseconds NicPorts::next_change(Picoseconds now) const {
  Picoseconds next = never;
  for (const Port& port : ports_) {
    for (const auto& o : port.down) {
      if (o.from > now) next = std::min(next, o.from);
      if (o.to > now) next = std::min(next, o.to);
    }
  }
  return next;
}

unsigned NicPorts::up_from(unsigned port, Picoseconds now) const {
  for (unsigned i = 0; i < count(); ++i) {
    const unsigned p = (port + i) % count();
    if (up(p, now)) return p;
  }
  return port;
}

unsigned NicPorts::wanted(std::uint16_t value, unsigned own, Picoseconds now) const {
  if (choice_ == PortChoice::entropy) return up_from(value % count(), now);
  if (choice_ != PortChoice::least) return up_from(own, now);
  const unsigned first = up_from(turn_, now);
  unsigned best = first;
  for (unsigned i = 1; i < count(); ++i) {
    const unsigned p = (first + i) % count();
    if (up(p, now) && ports_[p].data_bytes < ports_[best].data_bytes) best = p;
  }
  return best;
}

void NicPorts::put(unsigned port, Packet& p, bool response) {
  Port& line = ports_[port];
  if (response) return line.responses.push_back(&p);
  line.data.push_back(&p);
  line.data_bytes += p.wire_size();
  line.of_class.at(p.traffic_class) += p.wire_size();
  turn_ = port + 1 == count() ? 0 : port + 1;
}

Packet* NicPorts::next(unsigned port) const {
  const Port& line = ports_[port];
  for (const auto* const of : {&line.responses, &line.data}) {
    if (const auto first = Port::first(*of, line.paused); first != of->end()) return *first;
  }
  return nullptr;
}

Packet& NicPorts::take(unsigned port) {
  Port& line = ports_[port];
  if (const auto it = Port::first(line.responses, line.paused); it != line.responses.end()) {
    Packet& response = **it;
    line.responses.erase(it);
    return response;
  }
  const auto it = Port::first(line.data, line.paused);
  Packet& data = **it;
  line.data.erase(it);
  line.data_bytes -= data.wire_size();
  line.of_class.at(data.traffic_class) -= data.wire_size();
  return data;
}

void NicPorts::pause(unsigned port, unsigned traffic_class, bool pause) {
  const unsigned bit = 1u << traffic_class;
  ports_[port].paused = pause ? ports_[port].paused | bit : ports_[port].paused & ~bit;
}

std::size_t NicPorts::waiting() const {
  std::size_t n = 0;
  for (unsigned p = 0; p < count(); ++p) n += waiting(p);
  return n;
}

void check_ports(const RnicConfig& config) {
  const std::uint32_t ports = config.port_count();
  if (!config.ports) {
    for (const auto& [key, there] : {std::pair{"port_choice", config.port_choice.has_value()},
                                     {"port_buffer", config.port_buffer.has_value()}}) {
      if (!there) continue;
      throw InputError(
          fmt::format("{} is of a NIC with several ports; expected ports = 2 or more", key));
    }
    return;
  }
  if (ports == 1) return;
  const bool by_value = config.port_choice.value_or(PortChoice::entropy) == PortChoice::entropy ||
                        config.port_choice == PortChoice::least;
  const bool steers = !policy::find_entropy_scheme(config.entropy.scheme).constant;
  if (!by_value || !steers || config.entropy.values % ports == 0) return;
  throw InputError(fmt::format(
      "entropy.values = {} is no multiple of ports = {}: a value's remainder is its "
      "port; expected {}",
      config.entropy.values, ports, std::max(config.entropy.values / ports, 1u) * ports));
}

}  // namespace horae::rnic
