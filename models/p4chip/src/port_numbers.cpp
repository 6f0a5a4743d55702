#include "port_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/p4prog/chip_ports.hpp"

namespace horae::p4chip {

namespace {

constexpr unsigned lanes = 64;  // of a pipe's ports

/// Lanes between two ports of a pipe that has so many.
unsigned step_for(unsigned ports) {
  unsigned step = 8;
  while (step > 1 && step * ports > lanes) step /= 2;
  return step;
}

}  // namespace

PortNumbers::PortNumbers(const std::vector<unsigned>& pipe_of_port, bool tofino2,
                         const std::vector<p4prog::PortName>& names)
    : recirculation_lane_(p4prog::recirculation_lane(tofino2)), numbers_(pipe_of_port.size(), ~0u) {
  const auto ports = static_cast<unsigned>(pipe_of_port.size());
  for (const p4prog::PortName& name : names) {
    const auto refuse = [&](const std::string& what) { throw input_error(name.where, what); };
    if (name.switch_port >= ports)
      refuse(fmt::format("switch_port {}; the switch has ports 0 to {}", name.switch_port,
                         ports == 0 ? 0 : ports - 1));
    if (name.number >> 7 != pipe_of_port[name.switch_port])
      refuse(fmt::format("number = {}, of pipe {}; port {} of the switch is in pipe {}",
                         name.number, name.number >> 7, name.switch_port,
                         pipe_of_port[name.switch_port]));
    if (ports_.contains(name.number) || numbers_[name.switch_port] != ~0u)
      refuse(fmt::format("number = {} of switch_port {}: one of the two is taken", name.number,
                         name.switch_port));
    give(name.switch_port, name.number);
  }
  std::vector<unsigned> in_pipe;
  for (const unsigned pipe : pipe_of_port) {
    in_pipe.resize(std::max<std::size_t>(in_pipe.size(), pipe + 1));
    ++in_pipe[pipe];
  }
  std::vector<unsigned> next(in_pipe.size(), tofino2 ? 8 : 0);
  for (unsigned port = 0; port < ports; ++port) {
    const unsigned pipe = pipe_of_port[port];
    if (numbers_[port] != ~0u) continue;
    const unsigned step = step_for(in_pipe[pipe]);
    while (ports_.contains(pipe << 7 | next[pipe])) next[pipe] += step;
    give(port, pipe << 7 | next[pipe]);
    next[pipe] += step;
  }
}

}  // namespace horae::p4chip
