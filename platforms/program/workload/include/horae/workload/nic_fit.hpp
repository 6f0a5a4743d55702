// Demand of a platform's traffic on its NICs, and whether it fits their chips.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/rnic/nic_budget.hpp"
#include "horae/workload/nic_demands.hpp"

namespace horae::workload {

/// A change of one value with which what must be on the chip fits it.
struct NicRemedy {
  std::string key;   ///< as `--set` takes it
  std::string now;   ///< its value
  std::string fits;  ///< the nearest one that fits
};

/// NICs of one profile that are asked for the same, with their bill.
struct SizedNic {
  std::string profile;
  std::string spec;                  ///< the profile's; empty: none
  std::vector<std::string> devices;  ///< none: priced without a platform
  bool limited = false;              ///< whether a run would miss
  rnic::NicDemand demand;
  rnic::NicBudget budget;
  std::vector<NicRemedy> remedies;  ///< when it does not fit
};

/// NICs of a platform and what its traffic asks of them: queue pairs, each sending from, or
/// receiving into, one buffer of a message's size again and again (perftest).
std::vector<SizedNic> size_nics(const config::PlatformConfig& platform);

/// Single changes with which the state that must be on the chip fits, in closed form. `prefix`
/// stands before a NIC's keys; `queue_pairs`: the keys that set how many queue pairs there are.
std::vector<NicRemedy> nic_remedies(const std::string& prefix, const rnic::OnChipMemoryConfig& sram,
                                    const rnic::NicDemand& demand, const rnic::NicBudget& budget,
                                    const std::vector<QueuePairShare>& queue_pairs);

bool all_fit(const std::vector<SizedNic>& nics);

/// Thrown when required state does not fit a NIC's chip; the message has the bill.
class NicDoesNotFit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// Throws NicDoesNotFit for a platform that cannot run: where `sram.limited` is set.
void require_fit(const config::PlatformConfig& platform);

/// The bill as text.
std::string nics_text(const std::vector<SizedNic>& nics);

}  // namespace horae::workload
