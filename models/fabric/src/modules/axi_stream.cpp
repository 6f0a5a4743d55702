// kind = "axi_stream": a block of a user's with AXI4-Stream pins on a link.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/core/registry.hpp"
#include "horae/core/stats.hpp"
#include "horae/fabric/middlebox.hpp"
#include "horae/fabric/module_kind.hpp"
#include "horae/fabric/modules/stream_block.hpp"
#include "horae/params/document.hpp"
#include "stream_lane.hpp"

namespace horae::fabric {
namespace {

struct AxiStreamConfig {
  enum class Order { kept, any };
  enum class Direction { both, forward };
  std::string block;
  Picoseconds clock{};
  std::uint32_t reset_clocks = 16;
  double stall = 0;
  Order order = Order::kept;
  Direction direction = Direction::both;

  static const Schema<AxiStreamConfig>& schema() {
    static const Schema<AxiStreamConfig> s =
        Schema<AxiStreamConfig>(
            "axi_stream",
            "A block of yours with AXI4-Stream in and out, in SystemVerilog or SystemC: an "
            "instance "
            "for each direction. It gets the frames of packets, RoCEv2 without FCS.")
            .required("block", &AxiStreamConfig::block,
                      {.doc = "name, as `scripts/rtl add` or a plug-in added it"})
            .required("clock", &AxiStreamConfig::clock,
                      {.doc = "period of its clock; a beat each way goes with every rising edge at "
                              "the most",
                       .min = 2_ps,
                       .max = 1_us})
            .field("reset_clocks", &AxiStreamConfig::reset_clocks,
                   {.doc = "clocks in reset, from the begin of the run; packets wait",
                    .min = 2,
                    .max = 100'000})
            .field("stall", &AxiStreamConfig::stall,
                   {.doc = "share of clocks in which, at random, no beat is begun and TREADY is "
                           "low",
                    .min = 0.0,
                    .max = 0.95})
            .choice("order", &AxiStreamConfig::order, {{"kept", Order::kept}, {"any", Order::any}},
                    {.doc = "kept: a packet that another one overtakes in the block was dropped by "
                            "it; any: the block may reorder, and what it drops stays in it"})
            .choice("direction", &AxiStreamConfig::direction,
                    {{"both", Direction::both}, {"forward", Direction::forward}},
                    {.doc = "both directions, each with an instance of its own; or from the first "
                            "device of `between` to the second only"});
    return s;
  }

  const StreamBlock& find() const {
    return find_named(stream_blocks(), "AXI4-Stream block", block);
  }
  void check(const Section& section) const {
    try {
      const StreamBlock& found = find();
      if (!found.refused.empty())
        throw InputError(fmt::format("block = '{}': it was not built: {}", block, found.refused));
    } catch (const InputError& e) {
      throw section.error("block", e.what());
    }
  }
};

class axi_stream_box final : public middlebox {
 public:
  axi_stream_box(const sc_core::sc_module_name& name, module_context& context,
                 const AxiStreamConfig& config)
      : middlebox(name), context_(context), period_(to_sc_time(config.clock)) {
    const StreamBlock& block = config.find();
    context.bytes().have_icrc();
    const unsigned ways = config.direction == AxiStreamConfig::Direction::both ? 2 : 1;
    for (unsigned from = 0; from < ways; ++from) {
      const StreamLane::Config lane = {.in_bytes = block.in_bytes,
                                       .out_bytes = block.out_bytes,
                                       .reset_clocks = config.reset_clocks,
                                       .stall = config.stall,
                                       .in_order = config.order == AxiStreamConfig::Order::kept,
                                       .rate = context.rate(1 - from)};
      const std::string stream = fmt::format("stall{}", from);
      ways_[from].emplace(StreamLane(fmt::format("{}.{}", this->name(), way_names[from]), lane,
                                     context.random(stream), context.bytes()),
                          block.make(way_names[from], config.clock));
    }
    SC_HAS_PROCESS(axi_stream_box);
    SC_METHOD(edge);
  }

  void statistics(StatTree& tree) const override {
    for (unsigned from = 0; from < 2; ++from) {
      if (!ways_[from]) continue;
      const StreamLane& lane = ways_[from]->lane;
      const StreamLane::Counts& c = lane.counts();
      tree.group(way_names[from])
          .value("clocks", c.clocks, "clocks")
          .value("beats_in", c.beats_in, "beats")
          .value("beats_out", c.beats_out, "beats")
          .value("waited_in", c.waited_in, "clocks")
          .value("waited_out", c.waited_out, "clocks")
          .value("changed", c.changed, "packets")
          .value("damaged", c.damaged, "packets")
          .value("most_waiting", c.most_waiting, "packets");
    }
  }
  std::vector<std::string> describe_queues() const override {
    std::vector<std::string> lines;
    for (unsigned from = 0; from < 2; ++from) {
      if (!ways_[from]) continue;
      const StreamLane& lane = ways_[from]->lane;
      if (lane.waiting() + lane.inside() > 0)
        lines.push_back(fmt::format("{}: {} packets in front of the block, {} in it",
                                    way_names[from], lane.waiting(), lane.inside()));
    }
    return lines;
  }

 private:
  static constexpr std::array<const char*, 2> way_names = {"forward", "backward"};
  struct Way {
    Way(StreamLane made, std::unique_ptr<StreamPins> block)
        : lane(std::move(made)), pins(std::move(block)) {}
    StreamLane lane;
    std::unique_ptr<StreamPins> pins;
    StreamOutputs out;
  };

  void arrived(unsigned side, Packet& p) override {
    if (!ways_[side]) return send(1 - side, p);
    ways_[side]->lane.take(p);
  }

  // Packets of this moment come a delta cycle later (module_joint): they are for the next edge.
  void edge() {
    next_trigger(period_);
    if (sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME) return;
    try {
      for (unsigned from = 0; from < 2; ++from)
        if (ways_[from]) step(from, *ways_[from]);
    } catch (...) {
      context_.fail(std::current_exception());
    }
  }
  void step(unsigned from, Way& way) {
    way.pins->read(way.out);
    way.lane.edge(from_sc_time(sc_core::sc_time_stamp()), way.out);
    way.pins->clock(way.lane.inputs());
    for (Packet* p : way.lane.dropped()) context_.drop(*p);
    if (Packet* p = way.lane.left()) send(1 - from, *p);
  }

  module_context& context_;
  sc_core::sc_time period_;
  std::array<std::optional<Way>, 2> ways_;  ///< by the side that packets come from
};

}  // namespace

ModuleKind axi_stream() { return module_kind<axi_stream_box, AxiStreamConfig>(); }

}  // namespace horae::fabric
