// Themis-S: PSN-based packet spraying at the senders' ToR, in ingress.
#pragma once

#include <cstdint>

#include "horae/dataplane/action.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/hash.hpp"
#include "horae/dataplane/random.hpp"
#include "horae/dataplane/register.hpp"
#include "horae/programs/themis/themis.hpp"
#include "parts.hpp"
#include "queue_pairs.hpp"

namespace horae::programs::themis {

/// Paths of the packets of local senders (packet-spraying paper 4.1 and 4.4); state as in its
/// Table 3 and the PathMap of appendix B.
///
/// Two-tier networks: the path is the egress port, and the PathMap holds the offset itself. A NACK
/// or an avoidance signal reaches this state only when it enters by a port of the sender's own
/// pipeline; others pass by (the program counts them).
class Source {
 public:
  Source(dataplane::Pipeline& pipeline, const ThemisConfig& config, const dataplane::Object& routes,
         const dataplane::Gateway& is_data, const dataplane::Gateway& is_nack);

  void connect(const Connection& connection);

  /// Index of the path of a data packet among `n`; of a NACK, takes note and returns its flow's.
  std::uint32_t path(const dataplane::Pass& pass, std::uint32_t n);
  /// What the choice of a port waits for.
  const dataplane::Object& last() const { return alter_path_; }
  const dataplane::Object& base() const { return add_path_; }

  std::uint64_t rerouted() const { return rerouted_; }

 private:
  static constexpr auto in = dataplane::Gress::ingress;
  std::uint32_t spray(const dataplane::Pass& pass, std::uint32_t flow, std::uint32_t qp,
                      std::uint32_t n);
  void take_note(const dataplane::Pass& pass, std::uint32_t qp);
  std::size_t path_index(std::uint32_t qp, Psn psn) const {
    return std::size_t{qp} * config_.paths + psn.value() % config_.paths;
  }

  ThemisConfig config_;
  const dataplane::Gateway& is_data_;
  const dataplane::Gateway& is_nack_;
  QueuePairs qps_;
  dataplane::Hash base_path_;
  dataplane::Register<std::uint16_t> pathmap_;
  dataplane::Register<std::uint32_t> recved_nack_psn_;
  dataplane::Gateway is_signal_;
  dataplane::Register<std::uint32_t> path_adaptive_count_;
  dataplane::Action add_path_;
  dataplane::Gateway other_path_;
  dataplane::Random random_path_;
  dataplane::Action alter_path_;
  std::uint64_t rerouted_ = 0;  // statistics of the model
};

}  // namespace horae::programs::themis
