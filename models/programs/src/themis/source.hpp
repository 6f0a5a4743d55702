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

  void connect(const Connection& connection);

  /// Which of `n` ports a data packet takes; of a NACK, takes note and returns its flow's.
  std::uint32_t path(dataplane::Pass& pass, std::uint32_t n);
  /// What the choice of a port waits for.
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
  /// What remembers avoidance signals.
  struct Avoidance {
    Avoidance(dataplane::Pipeline& pipeline, const ThemisConfig& config,
              const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
              const dataplane::Gateway& is_nack);
    dataplane::Gateway is_signal;
    dataplane::Register<std::uint32_t> path_adaptive_count;
    dataplane::RegisterAction<std::uint32_t, Spend> spend;
    dataplane::RegisterAction<std::uint32_t, Fill> fill;
  };
  /// What takes another path than Eq. 1's.
  struct Reroute {
    Reroute(dataplane::Pipeline& pipeline, const dataplane::Needs& reasons,
            const dataplane::Object* add_path);
    dataplane::Gateway other_path;
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
  [[gnu::always_inline]] std::uint32_t spray(const dataplane::Pass& pass, std::uint32_t flow,
                                             std::uint32_t qp, std::uint32_t n);
  void steer(dataplane::Pass& pass, std::uint32_t qp, std::uint32_t n);
  /// Whether the packet must leave the path of its PSN.
  [[gnu::always_inline]] bool must_move(const dataplane::Pass& pass, std::uint32_t qp);
  void take_note(const dataplane::Pass& pass, std::uint32_t qp);
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

}  // namespace horae::programs::themis
