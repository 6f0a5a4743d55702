#include "horae/programs/shared/telemetry_writer.hpp"

#include <algorithm>
#include <set>

#include "horae/core/telemetry.hpp"

namespace horae::programs {
namespace {

using dataplane::ConditionKind;
using dataplane::Gress;
constexpr Gress out = Gress::egress;

/// Ports of a chip: 9 bits (PortId_t of tofino2_base.p4).
constexpr std::size_t ports = 512;
constexpr std::uint32_t not_in_frames = wire::preamble + wire::inter_packet_gap;

unsigned code_of(BitRate rate) {
  const auto at = std::lower_bound(telemetry_rates.begin(), telemetry_rates.end(), rate);
  return static_cast<unsigned>(std::min<std::ptrdiff_t>(
      at - telemetry_rates.begin(), static_cast<std::ptrdiff_t>(telemetry_rates.size()) - 1));
}

/// Rates shift bytes and cells by immediates, so each pair of shifts is an action of its own.
std::uint32_t actions_for(const Routes& routes) {
  std::set<std::pair<unsigned, unsigned>> shifts;
  for (const BitRate rate : routes.port_rates) {
    const unsigned code = code_of(rate);
    shifts.emplace(HopRecord::sent_shift(code), HopRecord::queue_shift(code));
  }
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(shifts.size()));
}

}  // namespace

TelemetryWriter::TelemetryWriter(dataplane::Pipeline& pipeline, const Routes& routes)
    : number_(routes.number),
      asks_(pipeline, out, "int_valid", {.kind = ConditionKind::valid, .reads = {"int"}}),
      has_room_(pipeline, out, "int_has_room",
                {.kind = ConditionKind::lt,
                 .bits = 8,
                 .constant = Feedback::most_hops,
                 .reads = {"int.hops"}},
                {}, {guarded_by(asks_)}),
      wire_length_(pipeline, out, "wire_length"),
      longer_(pipeline, out, "longer", {}, {overwrites(wire_length_), guarded_by(has_room_)}),
      sent_(pipeline, out, "port_sent",
            dataplane::RegisterSpec{.width = 32, .entries = ports, .reads = {"egress_port"}},
            {uses(wire_length_), uses(longer_)}),
      add_sent_(pipeline, sent_, "add"),
      // Twice and a quarter of the cells, then their sum.
      parts_of_cells_(pipeline, out, "parts_of_cells", {.instructions = 2},
                      {guarded_by(has_room_)}),
      units_of_cells_(pipeline, out, "units_of_cells", {},
                      {uses(parts_of_cells_), guarded_by(has_room_)}),
      by_rate_(pipeline, out, "by_rate",
               {.key_bits = 9,
                .entries = ports,
                .data_bits = 4,
                .actions = actions_for(routes),
                .reads = {"egress_port"}},
               {uses(sent_), uses(units_of_cells_), guarded_by(has_room_)}),
      saturate_(pipeline, out, "saturate", {}, {uses(by_rate_), guarded_by(has_room_)}),
      // The header's four fields; hops and path before it; lengths of IP and UDP.
      add_record_(pipeline, out, "add_record", {.instructions = 8},
                  {uses(saturate_), guarded_by(has_room_)}) {
  for (std::size_t port = 0; port < routes.port_rates.size(); ++port) {
    by_rate_.insert(static_cast<std::uint16_t>(port),
                    {static_cast<std::uint8_t>(code_of(routes.port_rates[port]))});
  }
}

void TelemetryWriter::egress(dataplane::PassKind auto& pass) {
  Packet& p = pass.header();
  const Feedback* const header = pass.telemetry();
  const bool adds =
      asks_.test(pass, header != nullptr) && has_room_.test(pass, std::uint64_t{header->hops});
  std::uint32_t length = 0;
  wire_length_.run(pass, [&] { length = p.frame + not_in_frames; });
  if (adds) longer_.run(pass, [&] { length += telemetry_hop_bytes; });
  const std::uint32_t sent = add_sent_.run(pass, pass.egress_port(), length);
  if (!adds) return;
  std::uint32_t twice = 0, quarter = 0, units = 0;
  parts_of_cells_.run(pass, [&] {
    twice = pass.cells_behind() << 1;
    quarter = pass.cells_behind() >> 2;
  });
  units_of_cells_.run(pass, [&] { units = twice + quarter; });
  const Units* const rate = by_rate_.lookup(pass, static_cast<std::uint16_t>(pass.egress_port()));
  if (rate == nullptr) return;
  const std::uint32_t sent_units = sent >> HopRecord::sent_shift(rate->code);
  std::uint32_t queue_units = units >> HopRecord::queue_shift(rate->code);
  constexpr std::uint32_t most = HopRecord::queue_mask;
  saturate_.run(pass, [&] { queue_units = std::min(queue_units, most); });
  add_record_.run(pass, [&] {
    add_record(p, number_, HopRecord::of_units(rate->code, pass.now(), sent_units, queue_units));
  });
}

template void TelemetryWriter::egress(dataplane::Pass&);
template void TelemetryWriter::egress(dataplane::TrustedPass&);

}  // namespace horae::programs
