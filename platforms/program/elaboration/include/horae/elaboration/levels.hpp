// Hardware that runs in place of its model or beside it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/rnic/rnic.hpp"
#include "horae/rtl/balancer_block.hpp"
#include "horae/rtl/entropy_block.hpp"
#include "horae/rtl/ordering_rtl.hpp"
#include "horae/rtl/register_block.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::elaboration {

class Levels {
 public:
  /// Gives a new NIC the ordering layer and the entropy schemes of the level that its profile asks
  /// for.
  void choose(rnic::rnic& nic, const rnic::RnicConfig& config);
  /// And a new switch its load balancer; `seed`: the run's.
  void choose(fabric::output_queued_switch& sw, const fabric::SwitchConfig& config,
              std::uint64_t seed);
  /// And a Tofino the stateful ALUs of its program's registers. An InputError, at its place in the
  /// file, for a register that is not there or has other actions than the hardware.
  void choose(tofino::tofino_switch& sw, const config::TofinoProfile& profile);
  /// InputError, at its place in the file, for a NIC with more connections than its RTL has room
  /// for.
  void check(const config::PlatformConfig& platform) const;
  /// Compares model and RTL wherever both run, in all of their state; a ModelError says what
  /// differs.
  void compare() const;
  /// Where both run, and the requests that both answered alike.
  struct Compared {
    std::uint64_t nics = 0, requests = 0;                 ///< ordering layers
    std::uint64_t switches = 0, choices = 0;              ///< load balancers
    std::uint64_t queue_pairs = 0, entropy_requests = 0;  ///< entropy schemes
    std::uint64_t registers = 0, accesses = 0;            ///< stateful ALUs

    bool any() const { return nics + switches + queue_pairs + registers > 0; }
    Compared& operator+=(const Compared& other);
  };
  Compared compared() const;
  /// Those NICs, in the order of the platform.
  const std::vector<std::pair<const rnic::rnic*, rtl::OrderingRtl*>>& hardware() const {
    return hardware_;
  }

 private:
  void choose_ordering(rnic::rnic& nic, const rnic::RnicConfig& config);
  void choose_entropy(rnic::rnic& nic, const rnic::RnicConfig& config);

  struct Entropies {
    const rnic::rnic* nic;
    std::shared_ptr<const rtl::EntropySources> sources;
    bool both;
  };

  std::vector<rtl::OrderingLockstep*> locksteps_;                          ///< owned by their NICs
  std::vector<std::pair<const rnic::rnic*, rtl::OrderingRtl*>> hardware_;  ///< owned by their NICs
  std::vector<const rtl::BalancerLockstep*> balancers_;  ///< owned by their switches
  std::vector<Entropies> entropies_;
  std::vector<std::unique_ptr<rtl::RegisterRtl>> registers_;
};

}  // namespace horae::elaboration
