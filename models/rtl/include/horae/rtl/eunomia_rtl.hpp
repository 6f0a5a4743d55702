// Eunomia's ordering layer by its hardware description.
#pragma once

#include "horae/rtl/eunomia_top.hpp"
#include "horae/rtl/ordering_rtl.hpp"

namespace horae::rtl {

/// A Verilated eunomia_top, whose registers can be read.
class EunomiaRtl final : public OrderingRtl {
 public:
  /// `seed`: as EunomiaVariant::make.
  explicit EunomiaRtl(const EunomiaVariant& variant, std::uint32_t seed = 0);

  /// Counted from the registers.
  policy::OrderingMemory memory() const override;
  Bytes provided(std::uint32_t connections) const override;

  const EunomiaVariant& variant() const { return variant_; }
  const EunomiaTop& top() const { return static_cast<const EunomiaTop&>(pins()); }

 private:
  const EunomiaVariant& variant_;
};

}  // namespace horae::rtl
