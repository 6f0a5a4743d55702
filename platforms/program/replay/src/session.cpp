#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/replay/connection_learner.hpp"

namespace horae::replay {
namespace {

/// ConWeave puts its kind into bits 5 and 6 of the reserved ones, and four bytes behind the BTH of
/// data (models/programs/src/conweave/header.hpp).
constexpr std::uint16_t conweave_kind = 0x60, conweave_data = 0x20;

}  // namespace

Session::Session(const config::PlatformConfig& platform, const ReplayOptions& options,
                 results::ResultFolder* folder)
    : platform_(platform),
      options_(options),
      folder_(folder),
      vertex_(find_device(platform, options.device)),
      routes_(platform.topology.shortest_path_routes()),
      specs_(ports_of(platform, vertex_)),
      addresses_(platform.topology, options.maps, options.unknown,
                 options.unknown_chosen || works_on_bytes()),
      context_({}, platform.sim.seed),
      progress_(options.progress) {
  refuse_pinned(platform_, vertex_);
  find_entries();
  learn();
  build();
  record();
}

const config::TofinoProfile* Session::chip_profile() const {
  return std::get_if<config::TofinoProfile>(
      &platform_.profiles.at(platform_.devices[vertex_].profile));
}

/// Then it is the program's to know addresses.
bool Session::works_on_bytes() const {
  const auto* chip = chip_profile();
  return chip != nullptr && chip->program->works_on_bytes();
}

void Session::find_entries() {
  std::set<unsigned> used;
  for (const auto& input : options_.inputs) {
    const unsigned port = find_port(specs_, input.port);
    if (!used.insert(port).second)
      throw InputError(fmt::format("--port {}: two traces by one port", input.port));
    entry_ports_.push_back(port);
  }
}

fabric::ClassMaps Session::class_maps() const {
  const auto* plain =
      std::get_if<fabric::SwitchConfig>(&platform_.profiles.at(platform_.devices[vertex_].profile));
  fabric::ClassMaps maps = plain != nullptr ? plain->maps : fabric::ClassMaps{};
  maps.codes = platform_.codes;
  return maps;
}

capture::DissectOptions Session::dissect_options() const {
  capture::DissectOptions dissect{.fcs = options_.fcs};
  const auto* chip = chip_profile();
  if (chip != nullptr && chip->program->config().at("name") == "conweave") {
    dissect.extra_mask = conweave_kind;
    dissect.extra_value = conweave_data;
  }
  return dissect;
}

std::vector<Session::Entry> Session::open_traces(ReplayAddresses& addresses) const {
  std::vector<Entry> entries;
  std::optional<std::int64_t> first;
  for (std::size_t i = 0; i < options_.inputs.size(); ++i) {
    const unsigned port = entry_ports_[i];
    auto sides = ReplayAddresses::sides_of(platform_.topology, routes_[vertex_], port);
    entries.push_back(
        {port, std::make_unique<Trace>(options_.inputs[i], options_, dissect_options(), addresses,
                                       std::move(sides), class_maps(), works_on_bytes())});
    const auto stamp = entries.back().trace->first_stamp_ns();
    if (stamp) first = std::min(first.value_or(*stamp), *stamp);
  }
  for (auto& entry : entries) entry.trace->start(first.value_or(0));
  return entries;
}

void Session::learn() {
  const auto* chip = chip_profile();
  if (chip == nullptr || !chip->program->knows_connections() || options_.connections == "none")
    return;
  if (options_.connections != "learn") {
    connections_ = read_connections(options_.connections, platform_.topology);
    return;
  }
  for (const auto& input : options_.inputs) {
    std::error_code ignored;
    const auto status = std::filesystem::status(input.trace, ignored);
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) continue;
    throw InputError(
        fmt::format("{}: is read twice to learn connections; expected a file, or "
                    "--connections FILE or none",
                    input.trace));
  }
  ReplayAddresses addresses = addresses_;
  auto entries = open_traces(addresses);
  ConnectionLearner learner;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Trace& trace = *entries[i].trace;
    std::uint64_t packets = 0;
    while (const TracePacket* packet = trace.peek()) {
      if (packet->dissection.kind == capture::FrameKind::roce)
        learner.see(packet->dissection.packet, packet->at);
      trace.take();
      if (++packets % look_every == 0)
        look(trace.share() / static_cast<double>(entries.size()), "learning connections");
    }
  }
  addresses.check();
  connections_ = learner.finish();
}

void Session::build() {
  if (chip_profile() != nullptr) {
    auto chip = elaboration::build_tofino(platform_, vertex_, context_, routes_);
    chip_ = chip.get();
    device_ = std::move(chip);
    for (const auto& c : connections_.list) {
      try {
        chip_->connect(c);
      } catch (const InputError&) {
        ++not_added_;  // a full table
      }
    }
  } else {
    auto plain = elaboration::build_switch(platform_, vertex_, context_, routes_);
    plain->take_classes_as_given();
    device_ = std::move(plain);
  }
  entries_ = open_traces(addresses_);
  for (const auto& entry : entries_) {
    lead_ = std::max(lead_, specs_[entry.port].back.delay);
    if (const auto stamp = entry.trace->first_stamp_ns())
      stamp_ns_ = stamp_ns_ ? std::min(*stamp_ns_, *stamp) : *stamp;
  }
  watched_ =
      folder_ != nullptr && (options_.packets || options_.ports || !options_.registers.empty());
  for (const auto& spec : specs_) {
    const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& e) { return e.port == spec.port; });
    ends_.push_back(
        std::make_unique<replay_port>(fmt::format("port{}", spec.port).c_str(), context_,
                                      entry != entries_.end() ? entry->trace.get() : nullptr, lead_,
                                      watched_ ? &recorder_ : nullptr));
    if (chip_ != nullptr && chip_->frames() != nullptr)
      ends_.back()->use_frames(*chip_->frames(), options_.fcs);
    fabric::connect(*device_, spec.port, *ends_.back(), 0, spec.link, spec.back);
  }
}

}  // namespace horae::replay
