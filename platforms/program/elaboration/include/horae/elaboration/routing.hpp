// Routing while a simulation runs: links withdrawn and taken back.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/elaboration/devices.hpp"

namespace horae::elaboration {

class Routing {
 public:
  explicit Routing(const config::PlatformConfig& platform) : platform_(platform) {}

  /// Paths over the links that are left, where the platform routes by paths; else null.
  std::shared_ptr<const fabric::PathTable> paths() const;
  /// Routing has converged on changes, all at one time: every switch learns its new routes.
  void apply(std::span<const config::RouteChange> changes, const Devices& devices);

 private:
  void drain(const config::RouteChange& change, const Devices& devices) const;

  const config::PlatformConfig& platform_;
  std::vector<bool> withdrawn_;  ///< links, by number; empty: none yet
};

}  // namespace horae::elaboration
