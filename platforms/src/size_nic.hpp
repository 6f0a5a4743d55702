// What NICs hold on their chips: their half of `horae size`.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "horae/rnic/nic_budget.hpp"
#include "platform_config.hpp"

namespace horae::platforms {

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

/// NICs of a platform and what its traffic asks of them: queue pairs of its message tables, each
/// sending from, or receiving into, one buffer of a message's size again and again (perftest).
std::vector<SizedNic> size_nics(const PlatformConfig& platform);

/// One NIC without a platform.
struct NicRequest {
  std::string spec;                    ///< name or file (.toml)
  std::vector<std::string> overrides;  ///< KEY=VALUE of an rnic profile
  rnic::QueuePairGroup queue_pairs;
};
SizedNic size_nic(const NicRequest& request);

bool all_fit(const std::vector<SizedNic>& nics);

/// What must be on a NIC's chip does not fit it; the message has the bill.
class NicDoesNotFit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// Throws NicDoesNotFit for a platform that cannot run: where `sram.limited` is set.
void require_fit(const PlatformConfig& platform);

/// `nics` of `horae size --json`.
nlohmann::ordered_json nics_json(const std::vector<SizedNic>& nics);
/// The same as text.
std::string nics_text(const std::vector<SizedNic>& nics);

}  // namespace horae::platforms
