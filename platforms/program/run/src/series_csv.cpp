#include "horae/run/series_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "horae/elaboration/wire.hpp"
#include "horae/fabric/devices/voq_switch.hpp"

namespace horae::run {

namespace {

constexpr std::string_view head = "time_us,window_us,object,quantity,value,unit\n";

/// Gbps of what left in a window of seconds: of the packets that began in it so many bits more left
/// after it than there were left before it.
double rate_of(const fabric::TxCounters& began, Layer layer, double left, double window) {
  return (8.0 * static_cast<double>(began.bytes(layer).count()) - left) / window / 1e9;
}

double ratio_of(Picoseconds part, Picoseconds whole) {
  return to_seconds(part) / to_seconds(whole);
}

}  // namespace

SeriesCsv::SeriesCsv(const elaboration::Simulation& simulation)
    : simulation_(simulation), last_(Snapshot::take(simulation, Picoseconds(0))), csv_(head) {
  if (!simulation.platform().sim.sample_flows.value_or(false)) return;
  flows_.resize(simulation.devices().size());
  std::size_t number = 0;
  for (const auto& c : simulation.flows()) {
    flows_[c.sender->number()].push_back({number, c.sender_qp, true});
    flows_[c.data_end().number()].push_back({number, c.data_end_qp(), false});
    if (c.both) flows_[c.receiver->number()].push_back({number, c.receiver_qp, false});
    ++number;
  }
}

void SeriesCsv::line(Picoseconds now, const std::string& object, std::string_view quantity,
                     double value, std::string_view unit) {
  const std::size_t before = csv_.size();
  csv_ += fmt::format("{:.6f},{:.6f},{},{},", to_microseconds(now),
                      to_microseconds(now - last_.time), object, quantity);
  // Bytes and packets are whole however many there are.
  constexpr double largest_whole = 9007199254740992.0;  // 2^53
  const bool whole = std::abs(value) < largest_whole && value == std::floor(value);
  csv_ += whole ? fmt::format("{:.0f},{}\n", value, unit) : fmt::format("{:.6g},{}\n", value, unit);
  if (!parts_.empty()) parts_.back().bytes += csv_.size() - before;
}

bool SeriesCsv::wanted(const fabric::device& device) const {
  const auto& names = simulation_.platform().sim.sample_devices;
  return device.runs_here() &&
         (names.empty() || std::any_of(names.begin(), names.end(), [&](const auto& name) {
            return name.value == device.name();
          }));
}

void SeriesCsv::begin_part(const fabric::device& device) {
  if (simulation_.ranks() != nullptr) parts_.push_back({samples_, device.number(), 0});
}

void SeriesCsv::gather(fabric::rank_exchange& ranks) {
  elaboration::WireWriter mine;
  mine.put(parts_);
  mine.put(csv_.substr(head.size()));
  std::vector<std::span<const std::byte>> out(ranks.ranks());
  out.front() = mine.bytes();
  std::vector<fabric::rank_exchange::Bytes> in(ranks.ranks());
  ranks.exchange(out, in);
  if (ranks.rank() != 0) return;
  in.front() = mine.bytes();
  struct Lines {
    std::uint32_t sample;
    std::size_t place;  ///< of the device among those that are sampled
    std::string_view text;
  };
  std::vector<std::string> texts(in.size());
  std::vector<Lines> all;
  const std::vector<std::size_t> places = places_of_devices();
  for (std::size_t rank = 0; rank < in.size(); ++rank) {
    elaboration::WireReader theirs(in[rank]);
    std::vector<Part> parts;
    theirs.get(parts);
    theirs.get(texts[rank]);
    std::string_view text = texts[rank];
    for (const Part& part : parts) {
      all.push_back({part.sample, places[part.device], text.substr(0, part.bytes)});
      text.remove_prefix(part.bytes);
    }
  }
  std::sort(all.begin(), all.end(), [](const Lines& a, const Lines& b) {
    return std::tie(a.sample, a.place) < std::tie(b.sample, b.place);
  });
  csv_ = head;
  for (const Lines& lines : all) csv_ += lines.text;
}

std::vector<std::size_t> SeriesCsv::places_of_devices() const {
  std::vector<std::size_t> places(simulation_.devices().size());
  std::size_t next = 0;
  for (const auto* nic : simulation_.nics()) places[nic->number()] = next++;
  for (const auto* chip : simulation_.tofinos()) places[chip->number()] = next++;
  for (const auto* plain : simulation_.switches()) places[plain->number()] = next++;
  return places;
}

/// State inside a chip beside its ports: tables that programs fill, and packets that loop. For the
/// pipelines that have ports in use.
void SeriesCsv::inside(Picoseconds now, const tofino::tofino_switch& chip) {
  const std::string name = chip.name();
  const auto& loopbacks = chip.loopbacks();
  std::set<unsigned> pipelines;
  for (unsigned i = 0; i < chip.ports(); ++i) pipelines.insert(chip.pipeline_of(i));
  for (const unsigned i : pipelines) {
    for (unsigned port = 0; chip.config().loopback && port < loopbacks.per_pipeline(); ++port) {
      const auto& loop = loopbacks.of(loopbacks.number(i, port));
      const std::string object = fmt::format("{}.pipe{}.loopback{}", name, i, port);
      const std::int64_t given =
          loop.counters().bytes - std::exchange(looped_[object], loop.counters().bytes);
      line(now, object, "offered_rate",
           8e-9 * static_cast<double>(given) / to_seconds(now - last_.time), "Gbps");
      line(now, object, "held", static_cast<double>(loop.held().count()), "bytes");
    }
    for (const auto& table : chip.program(i).occupancies()) {
      line(now, fmt::format("{}.pipe{}.{}", name, i, table.name), "entries",
           static_cast<double>(table.entries), "entries");
    }
  }
}

void SeriesCsv::flows(Picoseconds now, Picoseconds reached, rnic::rnic& nic) {
  const double window = to_seconds(now - last_.time);
  for (SampledFlow& flow : flows_[nic.number()]) {
    const rnic::QueuePair& qp = nic.queue_pair(flow.qp);
    const std::int64_t bytes =
        flow.sends ? qp.acked_bytes() : static_cast<std::int64_t>(qp.progress().delivered_bytes);
    const std::int64_t moved = bytes - std::exchange(flow.bytes, bytes);
    const auto rate = [&] { return 8e-9 * static_cast<double>(moved) / window; };
    const std::string object = fmt::format("flow{}", flow.number);
    if (!flow.sends) {
      if (moved != 0) line(now, object, "delivered_rate", rate(), "Gbps");
      continue;
    }
    if (moved == 0 && qp.outstanding() == 0) continue;
    line(now, object, "acked_rate", rate(), "Gbps");
    if (const BitRate allowed = nic.rate(flow.qp, reached); allowed.count() > 0)
      line(now, object, "allowed_rate", static_cast<double>(allowed.count()) / 1e9, "Gbps");
    line(now, object, "unsent", static_cast<double>(qp.sender().unsent()), "packets");
    line(now, object, "unacked", static_cast<double>(qp.sender().unacked()), "packets");
  }
}

/// By class: the share of the interval in which the peer's pauses held the port, and the pauses
/// that the port sent. Lines of a class begin with its first pause.
void SeriesCsv::pauses(Picoseconds now, Picoseconds reached, const fabric::device& device,
                       unsigned port) {
  std::vector<SampledPauses>& of_device = pauses_[device.number()];
  of_device.resize(std::size_t{device.ports()} * fabric::PauseLog::classes);
  for (unsigned c = 0; c < fabric::PauseLog::classes; ++c) {
    SampledPauses& before = of_device[port * fabric::PauseLog::classes + c];
    const SampledPauses is = {device.pauses(port).held(c, std::min(now, reached)),
                              device.tx(port).pauses_sent(c).frames};
    const std::string object = fmt::format("{}.port{}", device.name(), port);
    if (is.held.count() > 0) {
      line(now, object, fmt::format("paused_class{}", c),
           ratio_of(is.held - before.held, now - last_.time), "share of time");
    }
    if (is.sent > 0) {
      line(now, object, fmt::format("pauses_sent_class{}", c),
           static_cast<double>(is.sent - before.sent), "frames");
    }
    before = is;
  }
}

void SeriesCsv::sample(Picoseconds now, Picoseconds reached) {
  const Snapshot s = Snapshot::take(simulation_, now);
  const double window = to_seconds(now - last_.time);
  const Layer layer = simulation_.platform().sim.rate_layer;
  for (std::size_t i = 0; i < s.nics.size(); ++i) {
    const rnic::RnicCounters d = s.nics[i] - last_.nics[i];
    const std::string name = simulation_.nics()[i]->name();
    if (!wanted(*simulation_.nics()[i])) continue;
    begin_part(*simulation_.nics()[i]);
    const auto tx = s.nic_tx[i] - last_.nic_tx[i];
    const double left = s.nic_left[i].in(layer)-last_.nic_left[i].in(layer);
    line(now, name, "tx_rate", rate_of(tx, layer, left, window), "Gbps");
    line(now, name, "delivered_rate", 8.0 * static_cast<double>(d.delivered_bytes) / window / 1e9,
         "Gbps");
    line(now, name, "nack_rate", static_cast<double>(d.nacks_received) / window / 1e6, "Mpps");
    if (const auto* ordering = simulation_.nics()[i]->ordering()) {
      const auto memory = ordering->memory();
      line(now, name, "ordering_fixed", static_cast<double>(memory.fixed.count()), "bytes");
      line(now, name, "ordering_bitmap", static_cast<double>(memory.bitmap.count()), "bytes");
      line(now, name, "ordering_metadata", static_cast<double>(memory.metadata.count()), "bytes");
    }
    for (unsigned port = 0; port < simulation_.nics()[i]->ports(); ++port)
      pauses(now, reached, *simulation_.nics()[i], port);
    if (!flows_.empty()) flows(now, reached, *simulation_.nics()[i]);
  }
  const auto ports = [&](const fabric::device& device, auto&& port) {
    const std::string name = device.name();
    if (!wanted(device)) return;
    begin_part(device);
    auto& before = ports_[name];
    before.resize(device.ports());
    for (unsigned i = 0; i < device.ports(); ++i) {
      const std::string object = fmt::format("{}.port{}", name, i);
      const SampledPort then = std::exchange(
          before[i], {device.tx(i).counters(), device.tx(i).bits_left(now).in(layer)});
      line(now, object, "tx_rate",
           rate_of(before[i].sent - then.sent, layer, before[i].left - then.left, window), "Gbps");
      line(now, object, "queue_depth", static_cast<double>(port(i).depth().count()), "bytes");
      pauses(now, reached, device, i);
    }
  };
  for (const auto* t : simulation_.tofinos()) {
    ports(*t, [&](unsigned i) -> const fabric::OutputPort& { return t->port(i); });
    if (wanted(*t)) inside(now, *t);
  }
  for (const auto* sw : simulation_.switches()) {
    ports(*sw, [&](unsigned i) -> const fabric::OutputPort& { return sw->port(i); });
    const auto* voq = dynamic_cast<const fabric::voq_switch*>(sw);
    if (voq == nullptr || !wanted(*voq)) continue;
    line(now, fmt::format("{}.voq", voq->name()), "held",
         static_cast<double>(voq->waiting().count()), "bytes");
  }
  last_ = s;
  ++samples_;
}

}  // namespace horae::run
