// kind = "pipeline": micro-batches of pipeline-parallel training, from layer to layer.
#include "horae/traffic/pipeline.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/workload/end_points.hpp"
#include "horae/workload/traffic_kind.hpp"

namespace horae::workload {
namespace {

struct PipelineConfig {
  std::uint32_t layers = 8;
  Bytes size{10'000'000};
  std::uint32_t connections = 1;
  double load = 0.2;
  bool backward = true;
  Picoseconds compute{};
  Picoseconds start{};
  Picoseconds duration = 1_ms;
  std::vector<Located<std::string>> members;
  static const Schema<PipelineConfig>& schema();
};

const Schema<PipelineConfig>& PipelineConfig::schema() {
  using T = PipelineConfig;
  static const Schema<T> s =
      Schema<T>(
          "traffic",
          "Pipeline-parallel training: micro-batches from layer to layer and back. The members "
          "are divided into layers in their order; member i of a layer sends to member i of the "
          "next.")
          .field("layers", &T::layers,
                 {.doc = "layers of the model",
                  .min = 2,
                  .max = 65536,
                  .source = "8 layers of 4 of 32 NICs: the long-haul paper's authors' generator"})
          .field("size", &T::size,
                 {.doc = "bytes of a micro-batch that a member sends, over all its connections",
                  .min = 1_B,
                  .max = Bytes(0x7fffffff)})
          .field("connections", &T::connections,
                 {.doc = "queue pairs that a micro-batch is spread over, equally",
                  .min = 1,
                  .max = 4096})
          .field(
              "load", &T::load,
              {.doc = "payload of a member's link, sent by members that send both ways: sets the "
                      "interval between micro-batches",
               .min = 0.0001,
               .max = 10.0})
          .field("backward", &T::backward,
                 {.doc = "gradients come back from the last layer; false: forward only"})
          .field("compute", &T::compute,
                 {.doc = "from a message received to the next one posted", .min = 0_ps})
          .field("start", &T::start, {.doc = "of the first micro-batch", .min = 0_ps})
          .field("duration", &T::duration, {.doc = "micro-batches enter for so long", .min = 1_ns})
          .field("members", &T::members, {.doc = "NICs; empty: all, in the order of the platform"});
  return s;
}

class PipelineTraffic final : public TrafficOf<PipelineConfig> {
 public:
  explicit PipelineTraffic(const TrafficSection& table) : TrafficOf(table) {
    check_end_points(table, config_.members, EndPoint::nic);
    const Section& section = table.section;
    if (config_.size.count() % config_.connections != 0) {
      throw section.error("connections", fmt::format("{} bytes do not divide into {} messages",
                                                     config_.size.count(), config_.connections));
    }
    config::check_at(section, section.has("layers") ? "layers" : "kind", [&] {
      table.demand.ask(queue_pairs_of(*this, table.platform), section, "kind");
    });
  }

  /// InputError, without a place in the file, when the members do not divide into layers.
  void plan(const config::PlatformConfig& platform, const FlowSink& sink) const override {
    const auto members = members_of(platform, config_.members);
    if (members.empty() || members.size() % config_.layers != 0) {
      throw InputError(fmt::format("{} members do not make {} layers of equal size", members.size(),
                                   config_.layers));
    }
    const Picoseconds interval = interval_of(platform, members.front());
    const auto batches = (config_.duration.count() + interval.count() - 1) / interval.count();
    const Bytes message(config_.size.count() / config_.connections);
    for (const unsigned m : members) check_psns(platform, m, message);
    const auto flows = traffic::pipeline_flows(
        {.layers = config_.layers,
         .width = static_cast<std::uint32_t>(members.size() / config_.layers),
         .micro_batches = static_cast<std::uint32_t>(batches),
         .connections = config_.connections,
         .backward = config_.backward,
         .start = config_.start,
         .interval = interval});
    for (const auto& flow : flows) {
      sink({.from = members[flow.from],
            .to = members[flow.to],
            .message = message,
            .start = flow.start,
            .notify_delay = flow.fires != 0 ? config_.compute : 0_ps,
            .trigger = flow.trigger,
            .fires_at_receiver = flow.fires,
            .after = flow.after});
    }
  }

  Measure measure() const override { return Measure::messages; }
  Picoseconds arrivals_end(const config::PlatformConfig& /*platform*/) const override {
    return config_.start + config_.duration;
  }

 private:
  /// Members between the first and the last layer send a micro-batch forward and, with backward,
  /// one back.
  Picoseconds interval_of(const config::PlatformConfig& platform, unsigned member) const {
    const double bits =
        8.0 * static_cast<double>(config_.size.count()) * (config_.backward ? 2 : 1);
    const auto rate = static_cast<double>(link_rates(platform)[member].count());
    return Picoseconds(static_cast<std::int64_t>(bits / (config_.load * rate) * 1e12));
  }
};

}  // namespace

TrafficKind pipeline_kind() { return traffic_kind<PipelineTraffic>("pipeline"); }

}  // namespace horae::workload
