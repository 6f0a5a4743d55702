// Files of a replay's folder: rows, captures, accesses to registers.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "horae/capture/writer.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/pipeline.hpp"
#include "session.hpp"

namespace horae::replay {

results::ResultStream Session::stream(const std::string& name) {
  return results::ResultStream(folder_->place(name), fmt::format("--out: {}", name));
}

void Session::record() {
  if (!options_.registers.empty()) watch_registers();
  if (folder_ != nullptr && !connections_.list.empty())
    folder_->write("connections.csv", connections_csv(connections_, platform_.topology));
  if (!watched_) return;
  if (options_.packets) recorder_.write_packets(stream("packets.csv"));
  if (!options_.registers.empty()) recorder_.write_registers(stream("registers.csv"));
  if (options_.ports) {
    std::vector<capture::CaptureWriter> files;
    for (const auto& spec : specs_) {
      const std::string name = fmt::format("ports/{}_{}.pcap", device_name(), spec.port);
      files.emplace_back(folder_->place(name).string(), fmt::format("--out: {}", name));
    }
    recorder_.write_ports(std::move(files));
  }
  ReplayRecorder::Setting setting;
  setting.lead = lead_;
  // Stamps that a file cannot have (before 1970, after 2105) count from 0.
  constexpr std::int64_t latest = 4'280'000'000LL * 1'000'000'000;
  const std::int64_t stamp = stamp_ns_.value_or(0);
  setting.stamp_ns = stamp >= 0 && stamp < latest ? stamp : 0;
  setting.fcs = options_.fcs;
  for (const auto& v : platform_.topology.vertices()) {
    if (v.node != fabric::Topology::no_node) setting.nodes.push_back(v.name);
  }
  for (const auto& spec : specs_) setting.entry[ends_[spec.port].get()] = spec.port;
  recorder_.start(*device_, std::move(setting));
  context_.watcher = &recorder_;
  if (chip_ != nullptr) chip_->watch_passes(&recorder_);
}

void Session::watch_registers() {
  std::vector<std::string> names;
  for (unsigned i = 0; chip_ != nullptr && i < chip_->config().pipelines; ++i) {
    for (const auto& object : chip_->objects(i).design().objects) {
      if (std::holds_alternative<dataplane::RegisterSpec>(object.spec))
        names.push_back(object.name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const auto& wanted : options_.registers) {
    bool found = false;
    for (unsigned i = 0; chip_ != nullptr && i < chip_->config().pipelines; ++i) {
      for (dataplane::Object* object : chip_->objects(i).objects()) {
        if (object->name() == wanted || object->short_name() == wanted)
          found = object->watch(recorder_) || found;
      }
    }
    if (found) continue;
    throw InputError(fmt::format("--registers {}: no such register in {}{}", wanted, device_name(),
                                 names.empty() ? ", which has none" : suggestion(wanted, names)));
  }
  if (folder_ == nullptr)
    throw InputError("--registers: expected --out DIR as well, where registers.csv goes");
}

}  // namespace horae::replay
