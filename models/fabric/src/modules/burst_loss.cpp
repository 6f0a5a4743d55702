// kind = "burst_loss": losses that come in bursts.
#include <array>
#include <cstdint>

#include "horae/core/service.hpp"
#include "horae/core/stats.hpp"
#include "horae/fabric/middlebox.hpp"
#include "horae/fabric/module_kind.hpp"

namespace horae::fabric {
namespace {

struct BurstLossConfig {
  enum class Packets { all, data };
  enum class Direction { both, forward };
  double enter = 0.0;
  double leave = 1.0;
  double loss = 1.0;
  Packets packets = Packets::all;
  Direction direction = Direction::both;

  static const Schema<BurstLossConfig>& schema() {
    constexpr const char* source =
        "the two-state channel of Gilbert, Capacity of a burst-noise channel, Bell System "
        "Technical Journal 39(5), 1960";
    static const Schema<BurstLossConfig> s =
        Schema<BurstLossConfig>(
            "burst_loss",
            "Losses that come in bursts: in the long run enter / (enter + leave) x loss of the "
            "packets, in bursts of 1 / leave packets with loss = 1.")
            .required("enter", &BurstLossConfig::enter,
                      {.doc = "probability that a burst begins with a packet, outside of one",
                       .min = 0.0,
                       .max = 1.0,
                       .source = source})
            .required("leave", &BurstLossConfig::leave,
                      {.doc = "probability that a burst is over with a packet, in one",
                       .min = 0.0,
                       .max = 1.0,
                       .source = source})
            .field("loss", &BurstLossConfig::loss,
                   {.doc = "probability that a packet in a burst is lost", .min = 0.0, .max = 1.0})
            .choice("packets", &BurstLossConfig::packets,
                    {{"all", Packets::all}, {"data", Packets::data}},
                    {.doc = "which may be lost, and are counted as steps of the channel"})
            .choice("direction", &BurstLossConfig::direction,
                    {{"both", Direction::both}, {"forward", Direction::forward}},
                    {.doc = "both directions, each with bursts of its own; or from the first "
                            "device of `between` to the second only"});
    return s;
  }
};

class burst_loss_box final : public middlebox {
 public:
  burst_loss_box(const sc_core::sc_module_name& name, module_context& context,
                 const BurstLossConfig& config)
      : middlebox(name),
        context_(context),
        config_(config),
        ways_{Way{context.random("bursts0")}, Way{context.random("bursts1")}} {}

  void statistics(StatTree& tree) const override {
    tree.value("bursts", ways_[0].bursts + ways_[1].bursts, "bursts");
  }

 private:
  struct Way {
    RandomStream random;
    bool burst = false;
    std::uint64_t bursts = 0;
  };

  bool lost(unsigned side, const Packet& p) {
    if (side == 1 && config_.direction == BurstLossConfig::Direction::forward) return false;
    if (!carries_data(p) && config_.packets == BurstLossConfig::Packets::data) return false;
    Way& way = ways_[side];
    // A step of the channel, then the packet: a burst that begins takes the packet that it begins
    // with, so it is 1 / leave packets long.
    const bool was = way.burst;
    way.burst = was ? !way.random.chance(config_.leave) : way.random.chance(config_.enter);
    way.bursts += way.burst && !was ? 1 : 0;
    return way.burst && way.random.chance(config_.loss);
  }
  void arrived(unsigned side, Packet& p) override {
    if (lost(side, p)) return context_.drop(p, config_.loss < 1 || config_.leave > 0);
    send(1 - side, p);
  }

  module_context& context_;
  BurstLossConfig config_;
  std::array<Way, 2> ways_;  ///< by the side that packets come from
};

}  // namespace

ModuleKind burst_loss() { return module_kind<burst_loss_box, BurstLossConfig>(); }

}  // namespace horae::fabric
