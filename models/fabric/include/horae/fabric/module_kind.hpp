// The seam of modules on links: kinds by name, each with a table of parameters.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/fabric/link_module.hpp"
#include "horae/params/schema.hpp"

namespace horae::fabric {

/// One module of a platform, as its table asks for it.
class ModuleFactory {
 public:
  virtual ~ModuleFactory() = default;

  /// Constructs it; called once, while SystemC elaborates. `context` outlives the module.
  virtual std::unique_ptr<link_module> make(const sc_core::sc_module_name& name,
                                            module_context& context) const = 0;
  /// The effective parameters.
  virtual nlohmann::ordered_json config() const = 0;
};

/// A kind of module.
struct ModuleKind {
  std::string_view name;  ///< `kind = "..."`
  std::string_view doc;
  /// Reads a [[module]] table; keys of `common` are those of every kind. InputError for what cannot
  /// be.
  std::unique_ptr<ModuleFactory> (*read)(const Section& table,
                                         const std::vector<std::string>& common);
  /// Its parameters.
  std::vector<ParamInfo> (*describe)();
  /// It is no module on a link but a device with one port: the kind of a profile.
  bool end_point = false;
};

/// All kinds.
const std::vector<ModuleKind>& module_kinds();

namespace detail {

template <class Module, class Config>
class ConfiguredModule final : public ModuleFactory {
 public:
  explicit ConfiguredModule(Config config) : config_(std::move(config)) {}
  std::unique_ptr<link_module> make(const sc_core::sc_module_name& name,
                                    module_context& context) const override {
    return std::make_unique<Module>(name, context, config_);
  }
  nlohmann::ordered_json config() const override { return Config::schema().dump(config_); }

 private:
  Config config_;
};

}  // namespace detail

/// The entry of a Module that is constructed with (sc_module_name, module_context&, const Config&).
/// Config has a schema, which is called as the kind is. If it has `void check(const Section&)
/// const`, that refuses what a schema cannot.
template <class Module, class Config>
ModuleKind module_kind() {
  return {Config::schema().name(), Config::schema().doc(),
          [](const Section& table,
             const std::vector<std::string>& common) -> std::unique_ptr<ModuleFactory> {
            auto config = table.read<Config>(common);
            if constexpr (requires { config.check(table); }) config.check(table);
            return std::make_unique<detail::ConfiguredModule<Module, Config>>(std::move(config));
          },
          [] { return Config::schema().describe(); }};
}

/// The entry of an end_point, likewise.
template <class EndPoint, class Config>
ModuleKind end_point_kind() {
  ModuleKind kind = module_kind<EndPoint, Config>();
  kind.end_point = true;
  return kind;
}

}  // namespace horae::fabric
