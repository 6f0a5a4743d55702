#include "starved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "horae/fabric/ports/output_port.hpp"

namespace horae::run {
namespace {

/// Less than one part of so many of another class' bytes is as good as nothing. Smaller than any
/// share that weights of 1 to 99 give.
constexpr std::uint64_t part = 100;

using ByClass = std::array<std::uint64_t, fabric::OutputPort::classes>;

/// The class other than `but` that received most.
unsigned largest(const ByClass& bytes, unsigned but) {
  unsigned most = but == 0 ? 1 : 0;
  for (unsigned c = most; c < bytes.size(); ++c) {
    if (c != but && bytes[c] > bytes[most]) most = c;
  }
  return most;
}

bool waits(const elaboration::FlowEnd& flow, Picoseconds by) {
  const auto& p = flow.progress;
  return p.posted_messages > p.completed_messages + p.failed_messages && p.first_post <= by &&
         flow.measured.messages == 0;
}

}  // namespace

std::vector<std::string> starved(const elaboration::Simulation& s,
                                 const elaboration::Findings& found, Picoseconds from,
                                 Picoseconds to) {
  std::vector<std::string> lines;
  if (to <= from) return lines;
  std::vector<ByClass> received(s.devices().size());
  const auto& connections = s.flows();
  for (std::size_t i = 0; i < connections.size(); ++i) {
    const auto& c = connections[i];
    received[c.data_end().number()].at(c.traffic_class) += found.flows[i].measured.delivered;
  }
  struct Starved {
    std::size_t connections = 0, first = 0;
  };
  std::array<Starved, fabric::OutputPort::classes> classes{};
  const Picoseconds half = from + (to - from) / 2;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    const unsigned own = connections[i].traffic_class;
    const ByClass& bytes = received[connections[i].data_end().number()];
    const std::uint64_t most = bytes[largest(bytes, own)];
    if (!waits(found.flows[i], half) || found.flows[i].measured.delivered >= most / part) continue;
    if (classes[own].connections++ == 0) classes[own].first = i;
  }
  for (unsigned own = 0; own < classes.size(); ++own) {
    if (classes[own].connections == 0) continue;
    const auto& c = connections[classes[own].first];
    const ByClass& bytes = received[c.data_end().number()];
    const unsigned other = largest(bytes, own);
    const std::size_t more = classes[own].connections - 1;
    lines.push_back(fmt::format(
        "starved: traffic class {}: {} to {}{} completed no message and received {} B, beside {} B "
        "of class {} at {}",
        own, c.sender->name(), c.receiver->name(),
        more == 0 ? "" : fmt::format(" and {} more connections", more),
        found.flows[classes[own].first].measured.delivered, bytes[other], other,
        c.data_end().name()));
  }
  return lines;
}

}  // namespace horae::run
