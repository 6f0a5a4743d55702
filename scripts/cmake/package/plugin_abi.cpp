// Compiled into every plug-in: what it was built with.
#include "plugin_abi.hpp"

extern "C" {
extern const horae::config::PluginAbi horae_plugin_abi;
[[gnu::used]] constinit const horae::config::PluginAbi horae_plugin_abi =
    horae::config::PluginAbi::here();
}
