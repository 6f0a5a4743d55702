#include "horae/core/registry.hpp"

#include <utility>

#include "horae/policy/hardware_choice.hpp"
#include "horae/policy/ordering/ordering.hpp"
#include "horae/policy/ordering/ordering_hardware.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/plugin.hpp"

namespace horae::policy {

// Each is defined in the file of its name (eunomia: eunomia_parameters.cpp).
OrderingEntry none_ordering(), ideal_ordering(), static_ordering(), irn_ordering(),
    mp_rdma_ordering(), eunomia_ordering();

namespace {
Registry<OrderingEntry>& ordering_registry() {
  static Registry<OrderingEntry> all("ordering engine", {
                                                            none_ordering(),
                                                            ideal_ordering(),
                                                            static_ordering(),
                                                            irn_ordering(),
                                                            mp_rdma_ordering(),
                                                            eunomia_ordering(),
                                                        });
  return all;
}
}  // namespace

const std::vector<OrderingEntry>& ordering_engines() { return ordering_registry().all(); }
void add_ordering_engine(OrderingEntry entry) { ordering_registry().add(std::move(entry)); }

const Schema<OrderingHardware>& OrderingHardware::schema() {
  static const Schema<OrderingHardware> s =
      Schema<OrderingHardware>("hardware", "Which hardware description runs.")
          .field(
              "rtl", &OrderingHardware::rtl,
              {.doc = "level rtl, both: name of the hardware description, one of models/rtl or a "
                      "block of your own (scripts/rtl); empty: the first that fits"});
  return s;
}

Schema<OrderingConfig> OrderingConfig::schema_with(const std::vector<OrderingEntry>& registry) {
  return Schema<OrderingConfig>("ordering",
                                "The layer below the transport that tracks packets which "
                                "arrive out of order.")
      .choice("engine", &OrderingConfig::engine, names_of(registry),
              {.doc = "engine that tracks them; none: the transport's receiver does"})
      .choice("level", &OrderingConfig::level, hardware_levels(),
              {.doc = "what runs: the model in C++, the hardware description, or both, "
                      "compared at every packet"})
      .include(schema_of({keys_of<OrderingHardware>()}), &OrderingConfig::parameters)
      .include(parameters_of(registry), &OrderingConfig::parameters)
      .field("clock", &OrderingConfig::clock,
             {.doc = "clock of the ordering engine",
              .min = Hertz(1'000'000),
              .max = Hertz(10'000'000'000),
              .source = "no public value: 1 GHz is usual for a NIC's pipelines; Eunomia's FPGA "
                        "would run at some hundred MHz",
              .verified = false})
      .choice(
          "write_last", &OrderingConfig::write_last,
          {{"immediate", WriteLast::immediate},
           {"sender", WriteLast::sender},
           {"receiver", WriteLast::receiver}},
          {.doc =
               "last packet of a WRITE: sent like any other (SEND); held by the sender until all "
               "earlier packets are acknowledged; or held by the receiver if it is out of order",
           .source = "Eunomia (Mahmood et al.), 3.5.2 and appendix A.1"});
}

const Schema<OrderingConfig>& OrderingConfig::schema() {
  static const Schema<OrderingConfig> s = schema_with(ordering_engines());
  return s;
}

const OrderingEntry& find_ordering_engine(std::string_view name) {
  return find_named(ordering_engines(), "engine", name);
}

void check(const OrderingConfig& config) {
  const OrderingEntry& engine = find_ordering_engine(config.engine);
  if (engine.check != nullptr) engine.check(config.parameters);
}

std::unique_ptr<OrderingEngine> make_ordering_engine(const OrderingConfig& config) {
  check(config);
  const OrderingEntry& engine = find_ordering_engine(config.engine);
  return engine.make == nullptr ? nullptr : engine.make(config.parameters);
}

}  // namespace horae::policy
