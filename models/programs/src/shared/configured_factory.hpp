// The factory of a program whose parameters are one struct with a schema.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "horae/params/schema.hpp"
#include "horae/programs/program.hpp"

namespace horae::programs {

/// Base of such a factory. The derived class has the program's `name`.
template <class Factory, class Config>
class ConfiguredFactory : public ProgramFactory {
 public:
  using Parameters = Config;
  explicit ConfiguredFactory(const Config& config) : config_(config) {}

  nlohmann::ordered_json config() const final {
    nlohmann::ordered_json out = {{"name", Factory::name}};
    out.update(Config::schema().dump(config_));
    return out;
  }

 protected:
  const Config config_;
};

/// The registry's line of a program. `check` refuses parameters that contradict each other, with
/// their place.
template <class Factory,
          void (*check)(const typename Factory::Parameters& config, const Section& parameters)>
ProgramEntry entry_of(std::string_view doc) {
  using Config = typename Factory::Parameters;
  return {.name = Factory::name,
          .doc = doc,
          .read = [](const Section& parameters) -> std::unique_ptr<ProgramFactory> {
            const auto config = parameters.read<Config>({"name"});
            check(config, parameters);
            return std::make_unique<Factory>(config);
          },
          .describe = [] { return Config::schema().describe(); }};
}

}  // namespace horae::programs
