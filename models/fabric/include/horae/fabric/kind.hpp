// Kinds of SystemC modules by name, each with a table of parameters.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "horae/params/schema.hpp"

namespace horae::fabric {

/// One module of a platform, as its table asks for it.
template <class Made, class... Arguments>
class Factory {
 public:
  virtual ~Factory() = default;

  /// Constructs it; called once, while SystemC elaborates. What the arguments refer to outlives the
  /// module.
  virtual std::unique_ptr<Made> make(const sc_core::sc_module_name& name,
                                     Arguments... arguments) const = 0;
  /// The effective parameters.
  virtual nlohmann::ordered_json config() const = 0;
};

/// A kind of module.
template <class Made, class... Arguments>
struct Kind {
  std::string_view name;  ///< `kind = "..."`
  std::string_view doc;
  /// Reads its table in a platform; keys of `common` are those of every kind. InputError for what
  /// cannot be.
  std::unique_ptr<Factory<Made, Arguments...>> (*read)(const Section& table,
                                                       const std::vector<std::string>& common);
  /// Its parameters.
  std::vector<ParamInfo> (*describe)();
};

namespace detail {

template <class Module, class Config, class Made, class... Arguments>
class ConfiguredModule final : public Factory<Made, Arguments...> {
 public:
  explicit ConfiguredModule(Config config) : config_(std::move(config)) {}
  std::unique_ptr<Made> make(const sc_core::sc_module_name& name,
                             Arguments... arguments) const override {
    return std::make_unique<Module>(name, arguments..., config_);
  }
  nlohmann::ordered_json config() const override { return Config::schema().dump(config_); }

 private:
  Config config_;
};

}  // namespace detail

/// The entry of a Module that is constructed with (sc_module_name, Arguments..., const Config&).
/// Config has a schema, which is called as the kind is. If it has `void check(const Section&)
/// const`, that refuses what a schema cannot.
template <class Module, class Config, class Made, class... Arguments>
Kind<Made, Arguments...> kind_of() {
  return {
      Config::schema().name(), Config::schema().doc(),
      [](const Section& table,
         const std::vector<std::string>& common) -> std::unique_ptr<Factory<Made, Arguments...>> {
        auto config = table.read<Config>(common);
        if constexpr (requires { config.check(table); }) config.check(table);
        return std::make_unique<detail::ConfiguredModule<Module, Config, Made, Arguments...>>(
            std::move(config));
      },
      [] { return Config::schema().describe(); }};
}

}  // namespace horae::fabric
