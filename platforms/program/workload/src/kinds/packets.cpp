// kind = "packets": packets at a steady rate between hosts without a transport.
#include "horae/core/roce.hpp"
#include "pattern.hpp"

namespace horae::workload {
namespace {

struct PacketsConfig : PatternConfig {
  PacketsConfig() { pattern = Pattern::permutation; }
  Bytes payload = 4_KiB;
  double load = 1.0;
  std::uint32_t count = 0;
  Picoseconds start{};
  static const Schema<PacketsConfig>& schema();
};

const Schema<PacketsConfig>& PacketsConfig::schema() {
  static const Schema<PacketsConfig> s =
      with_pattern(
          Schema<PacketsConfig>("traffic", "Open-loop packets between hosts without a transport."),
          "host")
          .field("payload", &PacketsConfig::payload,
                 {.doc = "payload of a packet", .min = 0_B, .max = 9000_B})
          .field("load", &PacketsConfig::load,
                 {.doc = "share of the line rate, on the wire", .min = 0.0001, .max = 1.0})
          .field("count", &PacketsConfig::count, {.doc = "packets per host; 0: without end"})
          .field("start", &PacketsConfig::start, {.doc = "when the first is sent", .min = 0_ps});
  return s;
}

class PacketsTraffic final : public TrafficOf<PacketsConfig> {
 public:
  explicit PacketsTraffic(const TrafficSection& table) : TrafficOf(table) {
    check_pattern(table, config_, EndPoint::host);
    if (ecmp_every())
      throw table.section.error("ecmp_every", "ecmp_every is of connections; hosts have none");
    if (table.section.has("name"))
      throw table.section.error("name", "name is of connections; hosts have none");
    if (traffic_class()) {
      throw table.section.error("traffic_class",
                                "traffic_class is of connections; hosts have none");
    }
    for (const auto& name : config_.from)
      table.demand.ask_source(table.network.find(name), name.where);
    if (config_.pattern == PatternConfig::Pattern::pairs) return;
    for (const unsigned host : all_of(table.platform, EndPoint::host))
      table.demand.ask_source(host, table.section.where("kind"));
  }

  void packets(const config::PlatformConfig& platform, const PacketSink& sink) const override {
    // The host's own link sets the pace.
    std::vector<BitRate> rates(platform.devices.size());
    for (std::size_t e = 0; e < platform.links.size(); ++e) {
      const auto& edge = platform.topology.edges()[e];
      rates[edge.a] = rates[edge.b] = platform.links[e].config.rate;
    }
    const Bytes wire = l1_bytes(frame_bytes(Opcode::write_middle, config_.payload));
    for (const auto& [from, to] : pairs_of(platform, config_, EndPoint::host)) {
      const double interval =
          static_cast<double>(serialisation_time(wire, rates[from]).count()) / config_.load;
      const auto& vertices = platform.topology.vertices();
      sink({from, config_.payload,
            std::make_unique<traffic::ConstantSource>(traffic::ConstantSource::Config{
                .dst = vertices[to].node,
                .bytes = config_.payload,
                .start = config_.start,
                .interval = Picoseconds(static_cast<std::int64_t>(interval)),
                .count = config_.count,
                .flow = static_cast<std::uint16_t>(vertices[from].node)})});
    }
  }
};

}  // namespace

TrafficKind packets_kind() { return traffic_kind<PacketsTraffic>("packets"); }

}  // namespace horae::workload
