// kind = "delay": packets take longer, and not all of them the same time.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "horae/core/stats.hpp"
#include "horae/fabric/middlebox.hpp"
#include "horae/fabric/module_kind.hpp"

namespace horae::fabric {
namespace {

struct DelayConfig {
  Picoseconds latency{};
  Picoseconds jitter{};
  bool keep_order = true;

  static const Schema<DelayConfig>& schema() {
    static const Schema<DelayConfig> s =
        Schema<DelayConfig>("delay", "Packets take longer, by a constant and a random part.")
            .field("latency", &DelayConfig::latency,
                   {.doc = "from a packet's last bit in to its last bit out, where the wire is "
                           "free; PFC frames take it as well",
                    .min = 0_ps,
                    .max = 1000_ms})
            .field("jitter", &DelayConfig::jitter,
                   {.doc = "of each packet as much more, uniformly from 0 to this",
                    .min = 0_ps,
                    .max = 1000_ms})
            .field("keep_order", &DelayConfig::keep_order,
                   {.doc = "a packet waits for the one before it; false: jitter reorders"});
    return s;
  }
};

class delay_box final : public middlebox {
 public:
  delay_box(const sc_core::sc_module_name& name, module_context& context, const DelayConfig& config)
      : middlebox(name),
        config_(config),
        random_{context.random("jitter0"), context.random("jitter1")} {
    SC_HAS_PROCESS(delay_box);
    SC_METHOD(leave);
    sensitive << due_;
    dont_initialize();
  }

  void statistics(StatTree& tree) const override {
    tree.value("overtook", overtook_, "packets");
    tree.value("longest", longest_.count(), "ps");
  }

 private:
  /// In the module: the last bit leaves at `at`.
  struct Held {
    Picoseconds at{};
    std::uint64_t ordinal = 0;
    unsigned side = 0;  ///< it leaves to
    Packet* packet = nullptr;
    bool operator>(const Held& o) const {
      return std::tuple(at, ordinal) > std::tuple(o.at, o.ordinal);
    }
  };

  Picoseconds drawn(unsigned from) {
    const auto most = static_cast<double>(config_.jitter.count());
    if (most == 0) return {};
    return Picoseconds(static_cast<std::int64_t>(random_[from].unit() * (most + 1)));
  }

  void arrived(unsigned side, Packet& p) override {
    const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
    const Picoseconds takes = config_.latency + drawn(side);
    Picoseconds at = now + takes;
    if (config_.keep_order) at = std::max(at, last_[side]);
    if (at < last_[side]) ++overtook_;
    last_[side] = std::max(at, last_[side]);
    longest_ = std::max(longest_, at - now);
    if (at == now && (held_.empty() || held_.top().at > now)) return send(1 - side, p);
    // The wire takes packets in the order of calls, so each waits here for its time.
    const bool first = held_.empty() || at < held_.top().at;
    held_.push({at, ordinal_++, 1 - side, &p});
    if (first) due_.notify(to_sc_time(at - now));
  }
  void paused(unsigned side, unsigned traffic_class, bool pause) override {
    send_pause(1 - side, traffic_class, pause, to_sc_time(config_.latency));
  }
  void leave() {
    const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
    while (!held_.empty() && held_.top().at <= now) {
      const Held h = held_.top();
      held_.pop();
      send(h.side, *h.packet);
    }
    if (!held_.empty()) due_.notify(to_sc_time(held_.top().at - now));
  }

  DelayConfig config_;
  std::array<RandomStream, 2> random_;  ///< by the side that a packet comes from
  std::array<Picoseconds, 2> last_{};   ///< likewise: the latest time to leave so far
  std::priority_queue<Held, std::vector<Held>, std::greater<>> held_;
  std::uint64_t ordinal_ = 0;
  std::uint64_t overtook_ = 0;
  Picoseconds longest_{};
  sc_core::sc_event due_{"due"};
};

}  // namespace

ModuleKind delay() { return module_kind<delay_box, DelayConfig>(); }

}  // namespace horae::fabric
