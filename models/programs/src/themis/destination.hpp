// Themis-D: NACK validation at the receivers' ToR, in egress.
#pragma once

#include <cstdint>

#include "horae/dataplane/action.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/mirror.hpp"
#include "horae/dataplane/register.hpp"
#include "horae/programs/themis/themis.hpp"
#include "parts.hpp"
#include "queue_pairs.hpp"

namespace horae::programs::themis {

/// Which NACKs of local receivers may pass (packet-spraying paper 4.2 to 4.4, appendix A); state as
/// in its Table 4.
///
/// A response of a local receiver is brought through the egress of its own pipeline, where the
/// state is (Figure 8): as itself when it leaves by a port of that pipeline, else by way of its
/// incoming port, from where a mirrored copy goes on.
class Destination {
 public:
  Destination(dataplane::Pipeline& pipeline, const ThemisConfig& config);

  void connect(const Connection& connection);
  void egress(dataplane::Pass& pass);

  struct Counts {  // statistics of the model, not state of the program
    std::uint64_t valid = 0;
    std::uint64_t invalid = 0;
    std::uint64_t stashed = 0;
    std::uint64_t validated_later = 0;
    std::uint64_t signalled = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  static constexpr auto out = dataplane::Gress::egress;
  void on_data(dataplane::Pass& pass, std::uint32_t qp);
  void on_response(dataplane::Pass& pass, std::uint32_t qp);
  void on_nack(dataplane::Pass& pass, std::uint32_t qp, bool base);
  /// Base bit of the half that `psn` lies in.
  bool read_base(const dataplane::Pass& pass, std::uint32_t qp, Psn psn);
  void settle_stash(dataplane::Pass& pass, std::uint32_t qp);
  void make_nack(dataplane::Pass& pass, bool signal);
  void go_on(dataplane::Pass& pass, std::uint8_t type);

  std::size_t bit_index(std::uint32_t qp, Psn psn) const {
    const std::uint32_t ring = 2 * config_.window;
    return std::size_t{qp} * ring + psn.value() % ring;
  }
  bool in_second_half(Psn psn) const {
    return psn.value() % (2 * config_.window) >= config_.window;
  }
  std::size_t path_index(std::uint32_t qp, Psn psn) const {
    return std::size_t{qp} * config_.paths + psn.value() % config_.paths;
  }

  ThemisConfig config_;
  dataplane::Gateway is_copy_;
  dataplane::Gateway is_data_;
  dataplane::Gateway is_response_;
  dataplane::Gateway is_nack_;
  QueuePairs qps_;
  dataplane::Register<std::uint32_t> epsn_;
  dataplane::Gateway left_first_;
  dataplane::Gateway left_second_;
  dataplane::Register<std::uint8_t> base_first_;
  dataplane::Register<std::uint8_t> base_second_;
  dataplane::Gateway marks_one_;
  dataplane::Gateway marks_zero_;
  dataplane::Register<std::uint8_t> bitmap_;
  dataplane::Register<std::uint32_t> path_psn_max_;
  dataplane::Gateway missing_;
  dataplane::Gateway lost_;
  dataplane::Register<std::uint32_t> stashed_nack_psn_;
  dataplane::Register<std::uint32_t> stash_nack_path_id_;
  dataplane::Register<std::uint32_t> stash_nack_qpn_;
  dataplane::Register<std::uint16_t> stash_nack_egress_port_;
  dataplane::Gateway settles_;
  dataplane::Register<std::uint8_t> stashed_nack_valid_;
  dataplane::Gateway emits_;
  dataplane::Gateway signals_;
  dataplane::Mirror emit_;
  dataplane::Gateway came_back_;
  dataplane::Mirror send_on_;
  dataplane::Action drop_;
  dataplane::Gateway is_stashed_nack_;
  dataplane::Action make_nack_;
  Counts counts_;
};

}  // namespace horae::programs::themis
