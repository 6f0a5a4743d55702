// Faults as they are found, and the files they are in (internal to the room).
#pragma once

#include <string>
#include <vector>

#include "horae/p4lang/place.hpp"

namespace horae::p4lang {

/// Ends a translation where going on would only repeat the fault that was reported.
struct Stop {};

/// Ends the declaration or statement at hand; the next one is read. The fault is reported already.
struct Skip {};

/// Collects faults and warnings. Equal ones at one place are reported once; after `most` the
/// translation stops.
class Report {
 public:
  static constexpr std::size_t most = 20;

  explicit Report(std::vector<std::string>& files) : files_(files) {}
  /// Adds a fault; Stop once there are `most`.
  void fault(const Place& where, std::string message);
  /// Adds a fault and throws Skip.
  [[noreturn]] void refuse(const Place& where, std::string message);
  void warn(const Place& where, std::string message);
  bool good() const { return faults_.empty(); }
  std::size_t count() const { return faults_.size(); }
  const std::vector<Fault>& faults() const { return faults_; }
  const std::vector<Fault>& warnings() const { return warnings_; }
  /// While more than zero, warnings and faults are of a trial: faults still throw, and are dropped.
  void drop_after(std::size_t count) { faults_.resize(count); }

 private:
  Fault at(const Place& where, std::string message) const;
  std::vector<std::string>& files_;
  std::vector<Fault> faults_;
  std::vector<Fault> warnings_;
};

}  // namespace horae::p4lang
