// Themis-S: PSN-based packet spraying at the senders' ToR, in ingress.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "horae/dataplane/action.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/hash.hpp"
#include "horae/dataplane/random.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/programs/themis/themis.hpp"
#include "parts.hpp"
#include "queue_pairs.hpp"
#include "steering.hpp"

namespace horae::programs::themis {

/// Paths of the packets of local senders (packet-spraying paper 4.1 and 4.4); state as in its
/// Table 3 and the PathMap of appendix B.
///
/// Two-tier networks: the path is the egress port, and the PathMap holds the offset itself. With
/// `path_control = "source_port"` the index of the path goes through `Steering` instead. A NACK
/// or an avoidance signal reaches this state only in the ingress of the sender's own pipeline, to
/// which `Ingress` brings it.
class Source {
 public:
  /// `is_nack` is null when nothing is to be learnt of NACKs.
  Source(dataplane::Pipeline& pipeline, const ThemisConfig& config, const dataplane::Object& routes,
         const dataplane::Gateway& is_data, const dataplane::Gateway* is_nack,
         const std::vector<PathTier>& tiers);

  void connect(const Connection& connection) { qps_.add(connection); }

  /// Which of `n` ports a data packet takes; of a NACK, takes note and returns its flow's. What it
  /// is, the gateways say.
  template <bool whole>
  [[gnu::always_inline]] std::uint32_t path(PassKind auto& pass, std::uint32_t n, bool data,
                                            bool nack);
  /// Whether it has all that the published program has, for two-tier networks.
  bool whole() const { return recved_nack_psn_ && avoidance_ && reroute_ && !steering_; }
  /// Objects that the choice of a port waits for.
  dataplane::Needs chosen_by() const;

  std::uint64_t rerouted() const { return rerouted_; }

 private:
  static constexpr auto in = dataplane::Gress::ingress;
  /// Whether packets are still to leave the path; then one fewer.
  struct Spend {
    template <class C>
    auto operator()(C& count) const {
      const auto away = count != 0;
      if (away) --count;
      return away;
    }
  };
  struct Fill {
    std::uint32_t window = 0;
    template <class C>
    void operator()(C& count) const {
      count = window;
    }
  };
  /// Objects that remember avoidance signals.
  struct Avoidance {
    Avoidance(dataplane::Pipeline& pipeline, const ThemisConfig& config,
              const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
              const dataplane::Gateway& is_nack);
    AllFlags is_signal;
    dataplane::Register<std::uint32_t> path_adaptive_count;
    dataplane::RegisterAction<std::uint32_t, Spend> spend;
    dataplane::RegisterAction<std::uint32_t, Fill> fill;
  };
  /// Objects that take another path than Eq. 1's.
  struct Reroute {
    Reroute(dataplane::Pipeline& pipeline, const dataplane::Needs& reasons,
            const dataplane::Object* add_path);
    AnyFlag other_path;
    dataplane::Random random_path;
    dataplane::Action alter_path;
  };
  /// The last PSN that a NACK asked for.
  struct NackedPsn {
    NackedPsn(dataplane::Pipeline& pipeline, const dataplane::RegisterSpec& spec,
              const dataplane::Needs& needs);
    dataplane::Register<std::uint32_t> array;
    dataplane::RegisterAction<std::uint32_t, dataplane::EqualsCell> is;
    dataplane::RegisterAction<std::uint32_t, dataplane::SetCell> set;
  };
  std::optional<NackedPsn> make_nack_psn(dataplane::Pipeline& pipeline);
  std::optional<Avoidance> make_avoidance(dataplane::Pipeline& pipeline);
  dataplane::Needs reasons() const;
  template <bool whole>
  [[gnu::always_inline]] std::uint32_t spray(const PassKind auto& pass, std::uint32_t flow,
                                             std::uint32_t qp, std::uint32_t n);
  template <bool whole>
  void steer(PassKind auto& pass, std::uint32_t qp, std::uint32_t n);
  /// Whether the packet must leave the path of its PSN.
  template <bool whole>
  [[gnu::always_inline]] bool must_move(const PassKind auto& pass, std::uint32_t qp);
  template <bool whole>
  void take_note(const PassKind auto& pass, std::uint32_t qp);
  std::size_t path_index(std::uint32_t qp, Psn psn) const {
    return std::size_t{qp} * config_.paths + path_of(psn, config_);
  }

  ThemisConfig config_;
  const dataplane::Gateway& is_data_;
  const dataplane::Gateway* is_nack_;
  QueuePairs qps_;
  std::unique_ptr<dataplane::Hash> base_path_;                   // of path_control "port"
  std::unique_ptr<dataplane::Variable<std::uint16_t>> pathmap_;  // likewise
  std::optional<NackedPsn> recved_nack_psn_;                     // for rerouting
  std::optional<Avoidance> avoidance_;                           // for failure handling
  std::unique_ptr<dataplane::Action> add_path_;                  // of path_control "port"
  std::optional<Reroute> reroute_;                               // for either of them
  std::optional<Steering> steering_;                             // of path_control "source_port"
  std::uint64_t rerouted_ = 0;                                   // statistics of the model
};

template <bool whole>
inline std::uint32_t Source::path(PassKind auto& pass, std::uint32_t n, bool data, bool nack) {
  const Packet& p = pass.header();
  const bool steers = !whole && steering_;
  std::uint32_t flow = 0;
  if (!steers) {
    const std::uint32_t hash =
        base_path_->of(pass, {std::uint64_t{p.src} << 32 | p.dst, p.entropy});
    if (n > 1) flow = hash % n;
  }
  const std::uint32_t* qp = qps_.lookup(pass);
  if (qp != nullptr && data) {
    if (!steers) return spray<whole>(pass, flow, *qp, n);
    steer<whole>(pass, *qp, n);
  } else if (qp != nullptr && nack) {
    take_note<whole>(pass, *qp);
  }
  return steers ? steering_->uplink(pass, n) : flow;
}

template <bool whole>
inline bool Source::must_move(const PassKind auto& pass, std::uint32_t qp) {
  if (!has<whole>(reroute_)) return false;
  const Psn psn = pass.header().psn;
  const bool retransmitted =
      has<whole>(recved_nack_psn_) && recved_nack_psn_->is.run(pass, qp, psn.value());
  const bool avoided = has<whole>(avoidance_) && avoidance_->spend.run(pass, path_index(qp, psn));
  if (has<whole>(recved_nack_psn_) && has<whole>(avoidance_))
    return reroute_->other_path.test(pass, retransmitted, avoided);
  return reroute_->other_path.test(pass, retransmitted || avoided);
}

template <bool whole>
inline std::uint32_t Source::spray(const PassKind auto& pass, std::uint32_t flow, std::uint32_t qp,
                                   std::uint32_t n) {
  const Psn psn = pass.header().psn;
  const std::uint32_t offset = pathmap_->read.run(pass, path_of(psn, config_));
  std::uint32_t path = 0;
  add_path_->run(pass, [&] { path = (flow + offset) % n; });
  if (must_move<whole>(pass, qp) && n > 1) {
    const std::uint32_t step = 1 + reroute_->random_path.below(pass, n - 1);
    reroute_->alter_path.run(pass, [&] { path = (path + step) % n; });
    ++rerouted_;
  }
  return path;
}

// The index is relative to the path of the flow's own header. One that differs in what this switch
// chooses (the lowest bits) is another path wherever the packet goes; the higher bits may be
// without effect, as between pods they choose a core.
template <bool whole>
inline void Source::steer(PassKind auto& pass, std::uint32_t qp, std::uint32_t n) {
  std::uint32_t index = path_of(pass.header().psn, config_);
  if (must_move<whole>(pass, qp) && config_.paths > 1) {
    const std::uint32_t low = n > 1 ? n : config_.paths;
    const std::uint32_t draw = reroute_->random_path.below(pass, (low - 1) * (config_.paths / low));
    reroute_->alter_path.run(pass, [&] { index ^= 1 + draw % (low - 1) + draw / (low - 1) * low; });
    ++rerouted_;
  }
  steering_->rewrite(pass, index);
}

template <bool whole>
inline void Source::take_note(const PassKind auto& pass, std::uint32_t qp) {
  const Packet& p = pass.header();
  if (has<whole>(recved_nack_psn_)) recved_nack_psn_->set.run(pass, qp, p.psn.value());
  // The reserved BTH bit of the avoidance signal: the model's ACKs do not use ack_request.
  if (has<whole>(avoidance_) && avoidance_->is_signal.test(pass, p.ack_request)) {
    avoidance_->fill.run(pass, path_index(qp, p.psn));
  }
}

}  // namespace horae::programs::themis
