#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "flowlets.hpp"
#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/core/roce.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

// CONGA: Alizadeh et al., SIGCOMM 2014. Sections below are its.

struct CongaParameters {
  std::optional<Picoseconds> tau;  ///< absent: 160 us
  std::optional<Picoseconds> age;  ///< absent: 10 ms
  static const Schema<CongaParameters>& schema();
};

const Schema<CongaParameters>& CongaParameters::schema() {
  static const Schema<CongaParameters> s =
      Schema<CongaParameters>("conga", "The least congested path for each flowlet.")
          .field("conga_tau", &CongaParameters::tau,
                 {.doc = "time constant of the rate that a port measures of itself (DRE); it "
                         "forgets 1/8 every tau / 8. Absent: 160 us",
                  .min = 1_us,
                  .max = 100_ms,
                  .source = "160 us: CONGA 3.6; its decay factor is not published, 1/8 is ours"})
          .field("conga_age", &CongaParameters::age,
                 {.doc = "congestion that was not heard of for so long counts as one of eight "
                         "levels less, and again after as long. Absent: 10 ms",
                  .min = 10_us,
                  .max = 10000_ms,
                  .source = "10 ms: CONGA 3.3, where metrics decay to zero 'gradually'"});
  return s;
}

constexpr unsigned levels = 8;  // Q = 3 bits (3.6)
constexpr unsigned tags = 16;   // LBTag of 4 bits (3.1)

/// Overlay header of 3.1 in the bits of Packet::metadata.
struct Header {
  bool has_path = false;      ///< of the packet itself
  unsigned tag = 0;           ///< LBTag: which uplink of its leaf it took
  unsigned congestion = 0;    ///< CE: of the busiest link so far
  bool has_feedback = false;  ///< of paths the other way
  unsigned feedback_tag = 0;
  unsigned feedback = 0;

  static Header of(std::uint16_t m) {
    return {(m >> 14 & 1) != 0, m & 15u,      m >> 4 & 7u,
            (m >> 15 & 1) != 0, m >> 7 & 15u, m >> 11 & 7u};
  }
  std::uint16_t bits() const {
    return static_cast<std::uint16_t>(tag | congestion << 4 | feedback_tag << 7 | feedback << 11 |
                                      (has_path ? 1u << 14 : 0) | (has_feedback ? 1u << 15 : 0));
  }
};

/// The rate at which a port sends (3.2): bytes are added as they are sent, and 1/8 is forgotten
/// every tau / 8, so what it has is about rate x tau.
class RateEstimator {
 public:
  void add(Bytes bytes, Picoseconds now, Picoseconds period) {
    forget(now, period);
    sent_ += bytes.count() * unit;
  }
  /// The level, of so many, that the share of the link's rate is in.
  unsigned level(BitRate rate, Picoseconds now, Picoseconds period) {
    forget(now, period);
    const double most = static_cast<double>(rate.count()) / 8 * to_seconds(period) * 8;
    if (most <= 0) return 0;
    const double share = static_cast<double>(sent_) / unit / most;
    return std::min(static_cast<unsigned>(share * levels), levels - 1);
  }

 private:
  static constexpr std::int64_t unit = 256;  ///< of a byte, so that little is lost in rounding

  void forget(Picoseconds now, Picoseconds period) {
    std::int64_t periods = now / period - last_ / period;
    last_ = now;
    for (; periods > 0 && sent_ > 0; --periods) sent_ -= (sent_ + 7) / 8;
  }
  std::int64_t sent_ = 0;
  Picoseconds last_{};
};

class Conga final : public LoadBalancer {
 public:
  Conga(RandomStream stream, const CongaParameters& p, const BalanceFlowlets& flowlets)
      : stream_(stream),
        flowlets_(flowlets, stream_.bits()),
        period_(p.tau.value_or(160_us) / 8),
        age_(p.age.value_or(10_ms)) {}

  BalanceNeeds needs() const override { return {.feedback = true}; }

  void begin(const BalancePlace& place) override {
    place_ = place;
    ports_.resize(place.rates.size());
    unsigned uplinks = 0;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      if (place.to_switch[i]) ports_[i].tag = uplinks++;
    }
    if (!place.is_home() || uplinks <= tags) return;
    throw InputError(
        fmt::format("conga: {} links to other switches at a switch with end points; "
                    "expected at most {}, as paths have a number of 4 bits",
                    uplinks, tags));
  }

  unsigned choose(const Packet& packet, unsigned choices, const PortView& view) override {
    const Picoseconds now = view.now();
    const auto [flowlet, begins] = flowlets_.at(packet, choices, now);
    if (begins) flowlet.choice = least(packet, choices, view, flowlet);
    flowlet.used = true;
    return flowlet.choice;
  }

  /// At its destination's switch (3.3): what the path was like, and what that switch knows of ours.
  void comes(Packet& packet, Picoseconds now) override {
    if (!ends_here(packet.dst) || ends_here(packet.src)) return;
    const Header h = Header::of(packet.metadata);
    packet.metadata = 0;
    Peer& peer = peers_[place_.home_of[packet.src]];
    if (h.has_path) {
      Metric& m = peer.from[h.tag];
      m.changed = m.changed || !m.known || m.level != h.congestion;
      m = {h.congestion, now, true, m.changed};
    }
    if (h.has_feedback) peer.to[h.feedback_tag] = {h.feedback, now, true, false};
  }

  void leaves(Packet& packet, unsigned port, Picoseconds now) override {
    if (port >= ports_.size() || !place_.to_switch[port]) return;
    Port& out = ports_[port];
    out.rate.add(packet.wire_size(), now, period_);
    const unsigned level = out.rate.level(place_.rates[port], now, period_);
    Header h = Header::of(packet.metadata);
    if (ends_here(packet.src) && !ends_here(packet.dst)) {
      h = {.has_path = true, .tag = out.tag, .congestion = level};
      add_feedback(h, peers_[place_.home_of[packet.dst]], now);
    } else if (h.has_path) {
      h.congestion = std::max(h.congestion, level);
    }
    packet.metadata = h.bits();
  }

 private:
  struct Metric {
    unsigned level = 0;
    Picoseconds at{};
    bool known = false;
    bool changed = false;  ///< since it was sent back
  };
  /// Another switch with end points.
  struct Peer {
    std::array<Metric, tags> to{};    ///< by uplink of ours: Congestion-To-Leaf
    std::array<Metric, tags> from{};  ///< by uplink of its own: Congestion-From-Leaf
    unsigned next = 0;                ///< of `from`, to be sent back
  };
  struct Port {
    RateEstimator rate;
    unsigned tag = 0;
  };

  bool ends_here(NodeId node) const {
    return node < place_.home_of.size() && place_.home_of[node] == place_.home;
  }

  /// A metric that nobody has heard of for long is forgotten step by step (3.3).
  unsigned aged(const Metric& m, Picoseconds now) const {
    const auto steps = static_cast<std::uint64_t>((now - m.at) / age_);
    return steps >= m.level ? 0 : m.level - static_cast<unsigned>(steps);
  }

  /// The metric that is sent back is one that changed, or else the next in turn (3.3).
  void add_feedback(Header& h, Peer& peer, Picoseconds now) const {
    const auto take = [&](bool changed_only) {
      for (unsigned i = 0; i < tags; ++i) {
        const unsigned tag = (peer.next + i) % tags;
        Metric& m = peer.from[tag];
        if (!m.known || (changed_only && !m.changed)) continue;
        h.has_feedback = true;
        h.feedback_tag = tag;
        h.feedback = aged(m, now);  // of a path that nothing takes any more too
        m.changed = false;
        peer.next = (tag + 1) % tags;
        return true;
      }
      return false;
    };
    if (!take(true)) take(false);
  }

  /// The candidate whose path has the least congestion, the busier of its own port and what was
  /// heard; among equals that of the flow's last flowlet, else any (3.5).
  unsigned least(const Packet& packet, unsigned choices, const PortView& view,
                 const FlowletTable::Flowlet& before) {
    const Picoseconds now = view.now();
    const Peer* const peer = ends_here(packet.src) && packet.dst < place_.home_of.size()
                                 ? &peers_[place_.home_of[packet.dst]]
                                 : nullptr;
    unsigned best = levels;
    equal_.clear();
    for (unsigned i = 0; i < choices; ++i) {
      const unsigned port = view.port(i);
      unsigned level = 0;
      if (port < ports_.size()) {
        level = ports_[port].rate.level(place_.rates[port], now, period_);
        if (peer != nullptr) level = std::max(level, aged(peer->to[ports_[port].tag % tags], now));
      }
      if (level < best) equal_.clear();
      best = std::min(best, level);
      if (level == best) equal_.push_back(i);
    }
    if (before.used && std::find(equal_.begin(), equal_.end(), before.choice) != equal_.end())
      return before.choice;
    return equal_[stream_.below(static_cast<std::uint32_t>(equal_.size()))];
  }

  RandomStream stream_;
  FlowletTable flowlets_;
  Picoseconds period_, age_;
  BalancePlace place_;
  std::vector<Port> ports_;
  std::map<std::uint32_t, Peer> peers_;  ///< by the number of their switch
  std::vector<unsigned> equal_;          ///< of one decision
};

}  // namespace

BalancerEntry conga_balancer() {
  return {.name = "conga",
          .doc = "the least congested path for each flowlet, as the other end's switch reports it",
          .make = [](std::uint64_t seed, std::string_view path,
                     const PolicyParameters& parameters) -> std::unique_ptr<LoadBalancer> {
            return std::make_unique<Conga>(RandomStream(seed, path),
                                           parameters.of<CongaParameters>(),
                                           parameters.of<BalanceFlowlets>());
          },
          .parameters = {keys_of<BalanceFlowlets>(), keys_of<CongaParameters>()},
          .headers = {{.feature = "CONGA's header",
                       .between = "switches",
                       .acknowledgements = true,
                       .metadata = 0xffff}}};
}

}  // namespace horae::policy
