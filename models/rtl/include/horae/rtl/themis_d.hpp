// Themis-D's decision on NACKs by its hardware description. Built only with Verilator.
#pragma once

#include <cstdint>
#include <memory>

#include "horae/core/psn.hpp"

namespace horae::rtl {

/// One instance of themis_d.sv; each call is a clock of it, `connect` some.
class ThemisD {
 public:
  static constexpr std::uint32_t qps = 4;
  static constexpr std::uint32_t window = 16;  ///< PSNs
  static constexpr std::uint32_t paths = 4;

  virtual ~ThemisD() = default;
  /// Queue pair `qp` (0 to qps - 1) begins at `first`; once each.
  virtual void connect(std::uint32_t qp, Psn first) = 0;
  virtual void on_data(std::uint32_t qp, Psn psn) = 0;
  virtual void on_ack(std::uint32_t qp, Psn psn) = 0;
  /// Whether the NACK may pass to the sender.
  virtual bool on_nack(std::uint32_t qp, Psn psn) = 0;
};

std::unique_ptr<ThemisD> make_themis_d();
/// With a wrong line, for the test of the comparison.
std::unique_ptr<ThemisD> make_broken_themis_d();

}  // namespace horae::rtl
