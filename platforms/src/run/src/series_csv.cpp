#include "horae/run/series_csv.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace horae::run {

SeriesCsv::SeriesCsv(const build::Simulation& simulation)
    : simulation_(simulation),
      last_(Snapshot::take(simulation, Picoseconds(0))),
      csv_("time_us,window_us,object,quantity,value,unit\n") {}

void SeriesCsv::line(Picoseconds now, const std::string& object, std::string_view quantity,
                     double value, std::string_view unit) {
  csv_ += fmt::format("{:.6f},{:.6f},{},{},{:.6g},{}\n", to_microseconds(now),
                      to_microseconds(now - last_.time), object, quantity, value, unit);
}

bool SeriesCsv::wanted(const std::string& device) const {
  const auto& names = simulation_.platform().sim.sample_devices;
  return names.empty() || std::any_of(names.begin(), names.end(),
                                      [&](const auto& name) { return name.value == device; });
}

void SeriesCsv::sample(Picoseconds now) {
  const Snapshot s = Snapshot::take(simulation_, now);
  const double window = to_seconds(now - last_.time);
  const Layer layer = simulation_.platform().sim.rate_layer;
  for (std::size_t i = 0; i < s.nics.size(); ++i) {
    const rnic::RnicCounters d = s.nics[i] - last_.nics[i];
    const std::string name = simulation_.nics()[i]->name();
    if (!wanted(name)) continue;
    const auto tx = s.nic_tx[i] - last_.nic_tx[i];
    line(now, name, "tx_rate", 8.0 * static_cast<double>(tx.bytes(layer).count()) / window / 1e9,
         "Gbps");
    line(now, name, "delivered_rate", 8.0 * static_cast<double>(d.delivered_bytes) / window / 1e9,
         "Gbps");
    line(now, name, "nack_rate", static_cast<double>(d.nacks_received) / window / 1e6, "Mpps");
    if (const auto* ordering = simulation_.nics()[i]->ordering()) {
      const auto memory = ordering->memory();
      line(now, name, "ordering_fixed", static_cast<double>(memory.fixed.count()), "bytes");
      line(now, name, "ordering_bitmap", static_cast<double>(memory.bitmap.count()), "bytes");
      line(now, name, "ordering_metadata", static_cast<double>(memory.metadata.count()), "bytes");
    }
  }
  const auto ports = [&](const fabric::device& device, auto&& port) {
    const std::string name = device.name();
    if (!wanted(name)) return;
    auto& before = ports_[name];
    before.resize(device.ports());
    for (unsigned i = 0; i < device.ports(); ++i) {
      const std::string object = fmt::format("{}.port{}", name, i);
      const auto sent = device.tx(i).counters() - before[i];
      before[i] = device.tx(i).counters();
      line(now, object, "tx_rate",
           8.0 * static_cast<double>(sent.bytes(layer).count()) / window / 1e9, "Gbps");
      line(now, object, "queue_depth", static_cast<double>(port(i).depth().count()), "bytes");
    }
  };
  for (const auto* t : simulation_.tofinos())
    ports(*t, [&](unsigned i) -> const fabric::OutputPort& { return t->port(i); });
  for (const auto* sw : simulation_.switches())
    ports(*sw, [&](unsigned i) -> const fabric::OutputPort& { return sw->port(i); });
  last_ = s;
}

}  // namespace horae::run
