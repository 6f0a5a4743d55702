#include "generators.hpp"

#include <algorithm>
#include <map>

#include "horae/p4prog/chip_ports.hpp"

namespace horae::p4chip {

using p4prog::GeneratorApp;
using programs::PacketGenerator;

namespace {

PacketGenerator::Trigger trigger_of(GeneratorApp::Trigger trigger) {
  switch (trigger) {
    case GeneratorApp::Trigger::port_down:
      return PacketGenerator::Trigger::port_down;
    case GeneratorApp::Trigger::recirculation:
      return PacketGenerator::Trigger::recirculation;
    case GeneratorApp::Trigger::deparser:
      return PacketGenerator::Trigger::message;
    default:
      return PacketGenerator::Trigger::timer;
  }
}

}  // namespace

/// From when to when each application is set up in one way.
std::vector<Generators::Window> Generators::windows(const P4Files& files) {
  p4prog::GeneratorTable table;
  table.tofino2 = files.tofino2;
  for (const auto& entries : files.entries) entries.apply(table);
  std::vector<Window> out;
  std::map<p4prog::GeneratorTable::Key, std::size_t> open;
  const auto compare = [&](Picoseconds now) {
    for (auto at = open.begin(); at != open.end();) {
      const auto found = table.apps.find(at->first);
      const bool goes_on = found != table.apps.end() && found->second == out[at->second].app;
      if (!goes_on) out[at->second].until = now;
      at = goes_on ? std::next(at) : open.erase(at);
    }
    for (const auto& [key, app] : table.apps) {
      if (!open.emplace(key, out.size()).second) continue;
      out.push_back({.number = key.first, .app = app, .from = now});
    }
  };
  compare({});
  for (const auto& step : files.later) {
    step.entries.apply(table);
    compare(step.at);
  }
  return out;
}

Generators::Generators(const P4Files& files, unsigned pipe,
                       const std::vector<unsigned>& pipe_of_port, const PortNumbers& ports) {
  for (const Window& window : windows(files)) {
    if (!window.app.is_in(pipe)) continue;
    if (window.app.trigger != GeneratorApp::Trigger::port_down) {
      add(window, files.tofino2);
      continue;
    }
    for (std::uint16_t port = 0; port < pipe_of_port.size(); ++port) {
      const unsigned number = ports.number_of(port);
      if (pipe_of_port[port] != pipe) continue;
      if (window.app.ports && !window.app.ports->contains(number)) continue;
      Window part = window;
      const auto add_part = [&](Picoseconds until) {
        part.until = until;
        add(part, files.tofino2);
        list_.back().port = port;
        part.from = until;
      };
      for (const auto& step : files.later) {
        if (step.at > part.from && step.at < window.until &&
            std::ranges::count(step.entries.ports_up_again(), number) > 0)
          add_part(step.at);
      }
      add_part(window.until);
    }
  }
  const unsigned last = *std::ranges::max_element(pipe_of_port);
  if (pipe == std::min(p4prog::cpu_port(files.tofino2) >> 7, last)) add_cpu(files);
}

void Generators::add_cpu(const P4Files& files) {
  if (files.cpu_times.empty()) return;
  PacketGenerator g;
  g.start = files.cpu_times.front();
  g.times = files.cpu_times;
  list_.push_back(std::move(g));
}

void Generators::add(const Window& window, bool tofino2) {
  const GeneratorApp& app = window.app;
  PacketGenerator g;
  g.trigger = trigger_of(app.trigger);
  g.app = static_cast<std::uint8_t>(window.number);
  const bool timed = g.trigger == PacketGenerator::Trigger::timer;
  g.start = timed ? window.from + app.timer : window.from;
  g.end = window.until;
  if (app.trigger == GeneratorApp::Trigger::timer) g.period = app.timer;
  g.batches = app.batches;
  g.packets = app.packets;
  g.batch_gap = app.batch_gap;
  g.packet_gap = app.packet_gap;
  g.gaps_from_end = tofino2;  // open-p4studio, tna_pktgen; Tofino: TNA 9.1
  list_.push_back(g);
  apps_.push_back(app);
}

}  // namespace horae::p4chip
