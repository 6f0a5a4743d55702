#include "horae/programs/themis/themis.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "destination.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/params/linear_hash_schema.hpp"
#include "horae/params/schema.hpp"
#include "horae/programs/shared/port_groups.hpp"
#include "ingress.hpp"
#include "shared/configured_factory.hpp"

namespace horae::programs {
namespace {

using dataplane::Gress;

/// Forwarding, and both halves of Themis around it.
class Themis final : public RuleKeeper<Themis> {
 public:
  Themis(dataplane::Pipeline& pipeline, const ThemisConfig& config, const Routes& routes)
      : config_(config), pipeline_(pipeline.index()), ingress_(pipeline, config, routes) {
    if (config.destination) destination_.emplace(pipeline, config);
    add_up(pipeline.design());
  }

  void on_ingress(dataplane::PassKind auto& pass) { ingress_.run(pass); }
  void on_egress(dataplane::PassKind auto& pass) {
    if (destination_) destination_->egress(pass);
  }

  void update(const Routes& routes) override { ingress_.update(routes); }

  void connect(const Connection& connection) override {
    // Within a rack there is one path and no state (packet-spraying paper, appendix B).
    const auto sender = ingress_.pipeline_of(connection.sender);
    const auto receiver = ingress_.pipeline_of(connection.receiver);
    if (sender && receiver) return;
    if (sender == pipeline_) ingress_.connect(connection);
    if (destination_ && receiver == pipeline_) destination_->connect(connection);
  }

  std::vector<std::pair<std::string_view, std::uint64_t>> counters() const override {
    std::vector<std::pair<std::string_view, std::uint64_t>> out;
    ingress_.add_counters(out);
    if (destination_) {
      const auto& c = destination_->counts();
      out.emplace_back("nacks_valid", c.valid);
      out.emplace_back("nacks_invalid", c.invalid);
      out.emplace_back("nacks_stashed", c.stashed);
      out.emplace_back("nacks_given_up", c.given_up);
      out.emplace_back("nacks_validated_later", c.validated_later);
      out.emplace_back("paths_signalled", c.signalled);
      out.emplace_back("old_data", c.old_data);
    }
    return out;
  }

  std::vector<StateAccount> accounts() const override;

 private:
  /// Bytes of register state of this pipeline.
  struct State {
    double pathmap = 0, source = 0, destination = 0;
  };

  void add_up(const dataplane::Design& design) {
    for (const auto& object : design.objects) {
      const auto* r = std::get_if<dataplane::RegisterSpec>(&object.spec);
      if (r == nullptr) continue;
      double& sum = object.gress == Gress::egress ? state_.destination
                    : object.name == "pathmap"    ? state_.pathmap
                                                  : state_.source;
      sum += static_cast<double>(r->entries * r->cell_bits()) / 8;
    }
  }

  ThemisConfig config_;
  unsigned pipeline_;
  themis::Ingress ingress_;
  std::optional<themis::Destination> destination_;
  State state_;
};

// The sums of the paper's appendix B, over the registers there are.
std::vector<StateAccount> Themis::accounts() const {
  const double qps = static_cast<double>(config_.nics) * config_.qps_per_nic;
  const double pathmap = state_.pathmap;
  const double source = state_.source / config_.qps();
  const double destination = state_.destination / config_.qps();
  const double total = pathmap + (source + destination) * qps;
  // The slides' variant: PSNs under way on the last hop, two bytes each.
  const double under_way = static_cast<double>(config_.last_hop_rate.count()) *
                           static_cast<double>(config_.last_hop_rtt.count()) * 1e-12 / 8 /
                           static_cast<double>(config_.psn_queue_mtu.count());
  const double queue = std::ceil(under_way);
  return {
      {"source_bytes_per_qp", source, "B",
       "registers of ingress but the PathMap, by queue pair (Table 3)"},
      {"destination_bytes_per_qp", destination, "B",
       "registers of egress, by queue pair (Table 4)"},
      {"megabytes_per_tor", total / 1e6, "MB",
       fmt::format("PathMap {} B + (S + D) x {} x {} (Eq. 5); MB = 10^6 B, {:.2f} MiB", pathmap,
                   config_.qps_per_nic, config_.nics, total / (1 << 20))},
      {"psn_queue_entries", queue, "",
       fmt::format("slides' variant: ceil({} x {} / {}) PSNs on the last hop",
                   to_text(config_.last_hop_rate), to_text(config_.last_hop_rtt),
                   to_text(config_.psn_queue_mtu))},
      {"psn_queue_bytes", 2 * queue, "B", "two bytes each"},
  };
}

class ThemisFactory final : public ConfiguredFactory<ThemisFactory, ThemisConfig> {
 public:
  static constexpr std::string_view name = "themis";
  using ConfiguredFactory::ConfiguredFactory;
  std::unique_ptr<Program> make(dataplane::Pipeline& pipeline,
                                const Routes& routes) const override {
    PortGroups(routes).check_sizes(pipeline.name(), config_.route_entries, config_.member_entries);
    if (source_port_control()) check_tiers(pipeline.name(), routes);
    return std::make_unique<Themis>(pipeline, config_, routes);
  }
  std::optional<SourcePortControl> source_port_control() const override {
    if (!config_.source || config_.path_control != PathControl::source_port) return std::nullopt;
    return SourcePortControl{config_.paths, config_.hash};
  }

 private:
  /// The map is of the network that the routes are of.
  static void check_tiers(const std::string& pipeline, const Routes& routes) {
    const std::size_t first = routes.path_tiers.empty() ? 1 : routes.path_tiers[0].choices();
    for (const auto& e : routes.entries) {
      const std::size_t n = e.ports.size();
      if (e.attached || n < 2 || (std::has_single_bit(n) && n <= first)) continue;
      throw InputError(
          fmt::format("{}: path_control = \"source_port\" with {} ports to node {}; the hash "
                      "described is of {}",
                      pipeline, n, e.node, first));
    }
  }
};

}  // namespace

const Schema<ThemisConfig>& ThemisConfig::schema() {
  using T = ThemisConfig;
  static const Schema<T> s =
      Schema<T>("program", "Themis: PSN-based spraying and NACK validation at the ToR.")
          .field("source", &T::source, {.doc = "runs Themis-S, the choice of paths, in ingress"})
          .field("destination", &T::destination,
                 {.doc = "runs Themis-D, the filter of NACKs, in egress"})
          .field("path_check", &T::path_check,
                 {.doc = "condition C2: a NACK passes only if a later packet arrived over the same "
                         "path; false: every NACK for a packet that has not arrived passes",
                  .source = "packet-spraying paper 4.2"})
          .field("lazy_dropping", &T::lazy_dropping,
                 {.doc = "keep an undetermined NACK until a data packet decides it; false: drop it",
                  .source = "packet-spraying paper 4.3"})
          .field("rerouting", &T::rerouting,
                 {.doc = "send retransmissions over another path; false: over the path of Eq. 1",
                  .source = "packet-spraying paper 4.4"})
          .field("failure_handling", &T::failure_handling,
                 {.doc = "signal paths that are far behind the others, and avoid them",
                  .source = "packet-spraying paper 4.4"})
          .field("ignore_old", &T::ignore_old,
                 {.doc = "data from before the window marks no bit; false: as published, so that a "
                         "late duplicate marks a PSN of the next window",
                  .source = "not in the packet-spraying paper (appendix A)"})
          .choice(
              "nacks_to_source", &T::nacks_to_source,
              {{"recirculate", NacksToSource::recirculate}, {"pass_by", NacksToSource::pass_by}},
              {.doc = "a NACK that enters by a pipeline other than that of its sender: recirculate "
                      "it to Themis-S through the sender's pipeline, or let it pass by",
               .source = "the packet-spraying paper does not say; its Figure 8 is about "
                         "Themis-D",
               .verified = false})
          .field("nics", &T::nics,
                 {.doc = "NICs of the ToR",
                  .min = 1,
                  .max = 4096,
                  .source = "packet-spraying paper Table 2: 16"})
          .field("qps_per_nic", &T::qps_per_nic,
                 {.doc = "cross-rack queue pairs of a NIC",
                  .min = 1,
                  .max = 1 << 24,
                  .source = "packet-spraying paper Table 2: 512"})
          .field("pipelines", &T::pipelines,
                 {.doc = "pipelines over which the NICs are spread evenly", .min = 1, .max = 64})
          .field("paths", &T::paths,
                 {.doc = "paths of a queue pair",
                  .min = 1,
                  .max = 1 << 16,
                  .source = "packet-spraying paper Table 2: 128",
                  .power_of_two = true})
          .choice(
              "path_control", &T::path_control,
              {{"port", PathControl::port}, {"source_port", PathControl::source_port}},
              {.doc = "how Themis selects a path: by the egress port (two tiers), or by changing "
                      "the UDP source port, which the linear hashes of all switches follow",
               .source = "packet-spraying paper 4.1"})
          .table("hash", &T::hash, linear_hash_schema())
          .field("window", &T::window,
                 {.doc = "TX window of the NICs, in packets. PSNs and bitmap wrap together",
                  .min = 1,
                  .max = 1 << 22,
                  .source = "packet-spraying paper Table 2: 512",
                  .power_of_two = true})
          .field("pieces", &T::pieces,
                 {.doc = "arrays into which path_adaptive_count and path_psn_max_array are split; "
                         "0: as many as need the fewest stages",
                  .max = 64,
                  .power_of_two = true})
          .field("bitmap_pieces", &T::bitmap_pieces,
                 {.doc = "arrays into which bitmap_array is split; 0: as many as need the fewest "
                         "stages",
                  .max = 64,
                  .power_of_two = true})
          .field("ooo_threshold", &T::ooo_threshold,
                 {.doc = "out-of-order degree, in packets, from which a path is avoided",
                  .min = 1,
                  .max = 1 << 22})
          .field("avoidance_window", &T::avoidance_window,
                 {.doc = "packets for which a path is avoided", .min = 1, .max = 1u << 31})
          .field("route_entries", &T::route_entries,
                 {.doc = "entries of the route table", .min = 1, .max = 1 << 20})
          .field("member_entries", &T::member_entries,
                 {.doc = "entries of the table of the groups' ports", .min = 1, .max = 1 << 16})
          .field("last_hop_rate", &T::last_hop_rate,
                 {.doc = "PSN queue variant: rate of a NIC",
                  .min = 1_Gbps,
                  .source = "slides of the packet-spraying paper: 400 Gbps"})
          .field("last_hop_rtt", &T::last_hop_rtt,
                 {.doc = "PSN queue variant: round trip from ToR to NIC",
                  .min = 1_ns,
                  .source = "slides of the packet-spraying paper: 3 us"})
          .field("psn_queue_mtu", &T::psn_queue_mtu,
                 {.doc = "PSN queue variant: bytes of a packet",
                  .min = 1_B,
                  .source = "slides of the packet-spraying paper: 4 KB; their 38 entries are those "
                            "of 4000 B, 4096 B would give 37"});
  return s;
}

void check_queue_pairs(const Section& section, std::uint32_t nics, std::uint32_t qps_per_nic,
                       std::uint32_t pipelines) {
  constexpr std::uint64_t most = 1 << 24;
  const std::uint64_t all = std::uint64_t{nics} * qps_per_nic;
  if (all / pipelines > most) {
    throw section.error("qps_per_nic",
                        fmt::format("{} NICs x {} queue pairs over {} pipelines are more than the "
                                    "2^24 a QPN can name",
                                    nics, qps_per_nic, pipelines));
  }
  if (all % pipelines != 0) {
    throw section.error(
        "pipelines", fmt::format("{} NICs x {} queue pairs do not spread evenly over {} pipelines",
                                 nics, qps_per_nic, pipelines));
  }
}

namespace {
void check(const ThemisConfig& config, const Section& section) {
  check_queue_pairs(section, config.nics, config.qps_per_nic, config.pipelines);
}
}  // namespace

ProgramEntry themis_entry() {
  return entry_of<ThemisFactory, check>(
      "PSN-based packet spraying and NACK validation for commodity NICs");
}

}  // namespace horae::programs
