#include "horae/programs/themis_queue/themis_queue.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"
#include "queue_destination.hpp"
#include "shared/configured_factory.hpp"
#include "themis/ingress.hpp"

namespace horae::programs {
namespace {

class ThemisQueue final : public RuleKeeper<ThemisQueue> {
 public:
  ThemisQueue(dataplane::Pipeline& pipeline, const ThemisQueueConfig& config,
              const ThemisConfig& common, const Routes& routes)
      : config_(config), pipeline_(pipeline.index()), ingress_(pipeline, common, routes) {
    if (config.destination) destination_.emplace(pipeline, config);
  }

  void on_ingress(dataplane::PassKind auto& pass) { ingress_.run(pass); }
  void on_egress(dataplane::PassKind auto& pass) {
    if (destination_) destination_->egress(pass);
  }
  void update(const Routes& routes) override { ingress_.update(routes); }

  void connect(const Connection& connection) override {
    const auto sender = ingress_.pipeline_of(connection.sender);
    const auto receiver = ingress_.pipeline_of(connection.receiver);
    if (sender && receiver) return;  // one path
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
      out.emplace_back("nacks_untriggered", c.untriggered);
      out.emplace_back("queue_passes", c.looks);
    }
    return out;
  }
  std::vector<StateAccount> accounts() const override {
    return {{"queue_bytes_per_qp", 2.0 * config_.queue_entries + 4, "B",
             fmt::format("{} PSNs of two bytes, head and tail", config_.queue_entries)}};
  }

 private:
  ThemisQueueConfig config_;
  unsigned pipeline_;
  themis::Ingress ingress_;
  std::optional<themis_queue::QueueDestination> destination_;
};

class ThemisQueueFactory final : public ConfiguredFactory<ThemisQueueFactory, ThemisQueueConfig> {
 public:
  static constexpr std::string_view name = "themis_queue";
  using ConfiguredFactory::ConfiguredFactory;
  std::unique_ptr<Program> make(dataplane::Pipeline& pipeline,
                                const Routes& routes) const override {
    PortGroups(routes).check_sizes(pipeline.name(), config_.route_entries, config_.member_entries);
    return std::make_unique<ThemisQueue>(pipeline, config_, config_.common(), routes);
  }
};

}  // namespace

ThemisConfig ThemisQueueConfig::common() const {
  ThemisConfig c;
  c.source = source;
  c.destination = destination;
  c.rerouting = rerouting;
  c.failure_handling = false;  // nothing signals
  c.nacks_to_source = nacks_to_source;
  c.nics = nics;
  c.qps_per_nic = qps_per_nic;
  c.pipelines = pipelines;
  c.paths = paths;
  c.route_entries = route_entries;
  c.member_entries = member_entries;
  return c;
}

const Schema<ThemisQueueConfig>& ThemisQueueConfig::schema() {
  using T = ThemisQueueConfig;
  static const Schema<T> s =
      Schema<T>("program",
                "Themis with a PSN queue, as in the slides of the packet-spraying paper.")
          .field("source", &T::source, {.doc = "runs Themis-S, the choice of paths, in ingress"})
          .field("destination", &T::destination, {.doc = "the PSN queue, in egress"})
          .field("rerouting", &T::rerouting,
                 {.doc = "send retransmissions over another path",
                  .source = "packet-spraying paper 4.4"})
          .choice(
              "nacks_to_source", &T::nacks_to_source,
              {{"recirculate", NacksToSource::recirculate}, {"pass_by", NacksToSource::pass_by}},
              {.doc = "a NACK that enters by a pipeline other than that of its sender: recirculate "
                      "it to Themis-S through the sender's pipeline, or let it pass by",
               .source = "as in themis",
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
                  .max = 1 << 15,
                  .source = "packet-spraying paper Table 2: 128",
                  .power_of_two = true})
          .field("queue_entries", &T::queue_entries,
                 {.doc = "PSNs on the last hop of a queue pair",
                  .min = 1,
                  .max = 1 << 14,
                  .source = "slides of the packet-spraying paper: 38 = ceil(400 Gbps x 3 us / 4 "
                            "KB), here the next power of two",
                  .power_of_two = true})
          .field("queue_registers", &T::queue_registers,
                 {.doc = "arrays over which the queue is spread, each with an ALU, so that one "
                         "pass can look at one entry of each",
                  .min = 1,
                  .max = 16,
                  .source = "not in the slides",
                  .verified = false,
                  .power_of_two = true})
          .field("route_entries", &T::route_entries,
                 {.doc = "entries of the route table", .min = 1, .max = 1 << 20})
          .field("member_entries", &T::member_entries,
                 {.doc = "entries of the table of the groups' ports", .min = 1, .max = 1 << 16});
  return s;
}

namespace {
void check(const ThemisQueueConfig& config, const Section& section) {
  if (config.queue_registers > config.queue_entries) {
    throw section.error(
        "queue_registers",
        fmt::format("{} arrays for {} entries", config.queue_registers, config.queue_entries));
  }
  check_queue_pairs(section, config.nics, config.qps_per_nic, config.pipelines);
}
}  // namespace

ProgramEntry themis_queue_entry() {
  return entry_of<ThemisQueueFactory, check>(
      "Themis with a PSN queue in place of bitmap and path array (slides)");
}

}  // namespace horae::programs
