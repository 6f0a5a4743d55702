// An end point of one's own: it asks another of its kind, one packet after the other, and times the
// answers.
#include <algorithm>
#include <cstdint>

#include "horae/core/stats.hpp"
#include "horae/fabric/plugin.hpp"
#include "mine.hpp"

namespace mine {
namespace {

using namespace horae::literals;

struct ProberConfig {
  std::uint32_t peer = 0;
  std::uint32_t count = 0;
  horae::Picoseconds pause = 1_us;

  static const horae::Schema<ProberConfig>& schema() {
    static const horae::Schema<ProberConfig> s =
        horae::Schema<ProberConfig>("prober", "Asks another one how far it is.")
            .required("peer", &ProberConfig::peer,
                      {.doc = "node that it asks: end points count from 0, in their order"})
            .field("count", &ProberConfig::count, {.doc = "how often; 0: it answers only"})
            .field("pause", &ProberConfig::pause,
                   {.doc = "from an answer to the next question", .min = 1_ps, .max = 1_ms});
    return s;
  }
};

class probe : public horae::fabric::end_point {
 public:
  probe(const sc_core::sc_module_name& name, horae::fabric::module_context& context,
        const ProberConfig& config)
      : end_point(name, context), config_(config) {
    SC_HAS_PROCESS(probe);
    SC_METHOD(ask);
    sensitive << again_;
  }

  void statistics(horae::StatTree& tree) const override {
    tree.value("answers", answers_, "packets").value("longest", longest_.count(), "ps");
  }
  /// The run goes on until it has asked.
  bool pending() const override { return asked_ < config_.count; }

 private:
  static horae::Picoseconds now() { return horae::fabric::from_sc_time(sc_core::sc_time_stamp()); }
  void ask() {
    if (asked_ == config_.count) return;
    ++asked_;
    since_ = now();
    transmit(make(config_.peer, horae::Opcode::write_only, 64_B));
  }
  void received(const horae::Packet& p) override {
    if (p.opcode == horae::Opcode::write_only)
      return transmit(make(p.src, horae::Opcode::acknowledge, 0_B));
    ++answers_;
    longest_ = std::max(longest_, now() - since_);
    again_.notify(horae::fabric::to_sc_time(config_.pause));
  }

  ProberConfig config_;
  std::uint64_t asked_ = 0, answers_ = 0;
  horae::Picoseconds since_{}, longest_{};
  sc_core::sc_event again_{"again"};
};

}  // namespace

horae::fabric::ModuleKind prober() { return horae::fabric::end_point_kind<probe, ProberConfig>(); }

}  // namespace mine
