#include "horae/core/registry.hpp"

#include <utility>

#include "horae/policy/hardware_choice.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/plugin.hpp"

namespace horae::policy {

// Each is defined in the file of its name (reps: reps_parameters.cpp).
EntropyEntry fixed_entropy(), random_entropy(), cycle_entropy(), reps_entropy(),
    reps_unbounded_entropy(), bitmap_entropy(), plb_entropy(), flowlet_entropy(), mp_rdma_entropy(),
    subflows_entropy();

namespace {
Registry<EntropyEntry>& entropy_registry() {
  static Registry<EntropyEntry> all("entropy scheme", {
                                                          fixed_entropy(),
                                                          random_entropy(),
                                                          cycle_entropy(),
                                                          reps_entropy(),
                                                          reps_unbounded_entropy(),
                                                          bitmap_entropy(),
                                                          plb_entropy(),
                                                          flowlet_entropy(),
                                                          mp_rdma_entropy(),
                                                          subflows_entropy(),
                                                      });
  return all;
}
}  // namespace

const std::vector<EntropyEntry>& entropy_schemes() { return entropy_registry().all(); }
void add_entropy_scheme(EntropyEntry entry) { entropy_registry().add(std::move(entry)); }

Schema<EntropyConfig> EntropyConfig::schema_with(const std::vector<EntropyEntry>& registry) {
  return Schema<EntropyConfig>("entropy",
                               "The entropy values of a queue pair's packets: their UDP source "
                               "ports, by which switches choose paths.")
      .choice("scheme", &EntropyConfig::scheme, names_of(registry),
              {.doc = "how the sender chooses them (`horae list policies`)"})
      .field("values", &EntropyConfig::values,
             {.doc = "entropy values that there are (EVS): 0 to one less",
              .min = 2,
              .max = 65536,
              .source = "REPS paper, 4.5.2: 16 bits of a UDP source port; its artifact 65535"})
      .field("keep", &EntropyConfig::keep,
             {.doc = "with its first message a connection takes over the scheme's state of the "
                     "last one to the same peer that has finished, and its window if that depends "
                     "on no PSNs (mprdma, nscc, constant). Absent: false",
              .source = "artifact of the REPS paper: ring and window stay across the flows of a "
                        "host pair when asked (data center traces, collectives, failures)"})
      .include(schema_of({keys_of<HardwareChoice, &entropy_hardware>()}),
               &EntropyConfig::parameters)
      .include(parameters_of(registry), &EntropyConfig::parameters);
}

const Schema<EntropyConfig>& EntropyConfig::schema() {
  static const Schema<EntropyConfig> s = schema_with(entropy_schemes());
  return s;
}

const EntropyEntry& find_entropy_scheme(std::string_view name) {
  return find_named(entropy_schemes(), "entropy scheme", name);
}

void check(const EntropyConfig& config) {
  const EntropyEntry& scheme = find_entropy_scheme(config.scheme);
  if (scheme.check != nullptr) scheme.check(config);
}

std::unique_ptr<Entropy> make_entropy(const EntropyConfig& config, EntropyContext&& context) {
  check(config);
  return find_entropy_scheme(config.scheme).make(config, std::move(context));
}

}  // namespace horae::policy
