// Ordering layers of users, whose hardware descriptions lie outside the tree (scripts/rtl).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/policy/ordering/ordering.hpp"
#include "horae/rtl/ordering_rtl.hpp"

namespace horae::rtl {

/// A block as its horae_rtl.toml describes it.
struct OrderingBlock {
  std::string_view name;
  std::string_view model;  ///< what it implements: "engine=static bits=16"
  std::uint32_t connections = 0;
  bool closes = false;     ///< has a pin that ends a connection
  bool rejects = false;    ///< has a pin that says why a packet is rejected
  bool completes = false;  ///< has a pin that says that all up to the last packet arrived
  OrderingRtl::Make make = nullptr;
};

/// Those that were built.
const std::vector<OrderingBlock>& ordering_blocks();

/// The configuration that the block implements; an InputError where its text is none.
policy::OrderingConfig config_of(const OrderingBlock& block);

/// The block by its hardware. What it has no pin for: a packet is rejected for its reach, nothing
/// is said to be complete, and connections never end.
class BlockRtl final : public OrderingRtl {
 public:
  explicit BlockRtl(const OrderingBlock& block, std::uint32_t seed = 0);

  policy::OrderingAnswer on_packet(const policy::OrderingPacket& packet) override;
  void close(policy::ConnectionId connection) override;
  /// Its registers are unknown: empty.
  policy::OrderingMemory memory() const override { return {}; }
  Bytes provided(std::uint32_t) const override { return Bytes(0); }

  const OrderingBlock& block() const { return block_; }

 private:
  const OrderingBlock& block_;
};

/// Every request goes to the model and to the block; their answers are compared, in what the block
/// has pins for. At the first difference a waveform of the last thousand clocks is written to
/// `folder`, and a ModelError says what differed. The answer is the model's, with the clocks of the
/// hardware.
class BlockLockstep final : public OrderingLockstep {
 public:
  BlockLockstep(std::unique_ptr<policy::OrderingEngine> model, std::unique_ptr<BlockRtl> rtl,
                std::string folder);

  policy::OrderingAnswer on_packet(const policy::OrderingPacket& packet) override;
  void close(policy::ConnectionId connection) override;
  policy::OrderingMemory memory() const override { return model_->memory(); }
  Bytes provided(std::uint32_t connections) const override { return model_->provided(connections); }

  /// There is nothing to be seen but answers.
  void compare_whole() const override {}
  std::uint64_t requests() const override { return requests_; }
  OrderingRtl& hardware() override { return *rtl_; }

 private:
  [[noreturn]] void report(const std::string& difference) const;

  std::unique_ptr<policy::OrderingEngine> model_;
  std::unique_ptr<BlockRtl> rtl_;
  std::string folder_;
  std::uint64_t requests_ = 0;
};

}  // namespace horae::rtl
