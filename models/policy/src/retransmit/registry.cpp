#include "horae/core/registry.hpp"

#include <algorithm>
#include <utility>

#include "horae/policy/own_parameters.hpp"
#include "horae/policy/plugin.hpp"

namespace horae::policy {

// Each is defined in the file of its name.
RetransmitEntry blocking_fetch_mechanism(), pipeline_flush_mechanism(), strict_priority_mechanism(),
    context_lock_mechanism(), window_stall_mechanism(), recovery_handshake_mechanism(),
    buffer_thrash_mechanism(), firmware_event_mechanism(), nack_rate_limit_mechanism(),
    parts_mechanism();

namespace {
Registry<RetransmitEntry>& retransmit_registry() {
  static Registry<RetransmitEntry> all("retransmit policy", {
                                                                blocking_fetch_mechanism(),
                                                                pipeline_flush_mechanism(),
                                                                strict_priority_mechanism(),
                                                                context_lock_mechanism(),
                                                                window_stall_mechanism(),
                                                                recovery_handshake_mechanism(),
                                                                buffer_thrash_mechanism(),
                                                                firmware_event_mechanism(),
                                                                nack_rate_limit_mechanism(),
                                                                parts_mechanism(),
                                                            });
  return all;
}
}  // namespace

const std::vector<RetransmitEntry>& retransmit_policies() { return retransmit_registry().all(); }
void add_retransmit_policy(RetransmitEntry entry) { retransmit_registry().add(std::move(entry)); }

Schema<RetransmitConfig> RetransmitConfig::schema_with(
    const std::vector<RetransmitEntry>& registry) {
  return Schema<RetransmitConfig>("retransmit", "How a NIC serves a NACK.")
      .field("policies", &RetransmitConfig::policies,
             {.doc = "retransmit policies in force, combined (`horae list policies`)"})
      .include(parameters_of(registry), &RetransmitConfig::parameters);
}

const Schema<RetransmitConfig>& RetransmitConfig::schema() {
  static const Schema<RetransmitConfig> s = schema_with(retransmit_policies());
  return s;
}

const RetransmitEntry& find_retransmit_policy(const Located<std::string>& name) {
  try {
    return find_named(retransmit_policies(), "retransmit policy", name.value);
  } catch (const InputError& e) {
    throw input_error(name.where, e.what());
  }
}

RetransmitUnit::RetransmitUnit(const RetransmitConfig& config) {
  for (const auto& name : config.policies) {
    const RetransmitEntry& entry = find_retransmit_policy(name);
    try {
      combine(*entry.make(config.parameters));
    } catch (const InputError& e) {
      throw input_error(name.where, e.what());
    }
  }
}

void RetransmitUnit::combine(const RetransmitPolicy& policy) {
  policy.add_work(work_);
  server_ = std::max(server_, policy.server());
  merge_ = std::max(merge_, policy.merge());
  until_sent_ |= policy.until_sent();
  stall_ = std::max(stall_, policy.stall());
  hold_new_data_ |= policy.hold_new_data();
  hold_guard_ = std::min(hold_guard_, policy.hold_guard());
  nack_lock_ += policy.lock(true);
  ack_lock_ += policy.lock(false);
  if (policy.gap_window() != 0) {
    gap_window_ =
        gap_window_ == 0 ? policy.gap_window() : std::min(gap_window_, policy.gap_window());
  }
  nack_interval_ = std::max(nack_interval_, policy.nack_interval());
}

}  // namespace horae::policy
