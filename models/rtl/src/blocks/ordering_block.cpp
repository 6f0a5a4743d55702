#include "horae/rtl/ordering_block.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "answers.hpp"
#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/rtl/block.hpp"

namespace horae::rtl {

using policy::OrderingAnswer;

policy::OrderingConfig config_of(const OrderingBlock& block) {
  return Document::parse("", "model of RTL '" + std::string(block.name) + "'",
                         settings_of(block.model))
      .root()
      .read<policy::OrderingConfig>();
}

BlockRtl::BlockRtl(const OrderingBlock& block, std::uint32_t seed)
    : OrderingRtl(std::string(block.name), block.connections, block.make(seed), block.make),
      block_(block) {}

OrderingAnswer BlockRtl::on_packet(const policy::OrderingPacket& packet) {
  OrderingAnswer answer = OrderingRtl::on_packet(packet);
  if (!block_.rejects && answer.tracking == policy::Tracking::rejected)
    answer.rejection = policy::Rejection::reach;
  return answer;
}

void BlockRtl::close(policy::ConnectionId connection) {
  if (block_.closes) OrderingRtl::close(connection);
}

BlockLockstep::BlockLockstep(std::unique_ptr<policy::OrderingEngine> model,
                             std::unique_ptr<BlockRtl> rtl, std::string folder)
    : model_(std::move(model)), rtl_(std::move(rtl)), folder_(std::move(folder)) {}

OrderingAnswer BlockLockstep::on_packet(const policy::OrderingPacket& packet) {
  OrderingAnswer answer = model_->on_packet(packet);
  ++requests_;
  OrderingAnswer rtl;
  const auto about = [&](const std::string& what) {
    report(fmt::format("packet PSN {}{} of connection {}: {}", packet.psn.value(),
                       packet.last ? " (last)" : "", packet.connection, what));
  };
  try {
    rtl = rtl_->on_packet(packet);
  } catch (const ModelError& e) {
    about(e.what());
  }
  const OrderingBlock& block = rtl_->block();
  if (auto d = answers_differ(answer, rtl, block.rejects, block.completes); !d.empty()) about(d);
  answer.ops.cycles = rtl.ops.cycles;
  return answer;
}

void BlockLockstep::close(policy::ConnectionId connection) {
  if (!rtl_->block().closes) return;  // what one of them remembers, the other does too
  model_->close(connection);
  ++requests_;
  try {
    rtl_->close(connection);
  } catch (const ModelError& e) {
    report(fmt::format("the end of connection {}: {}", connection, e.what()));
  }
}

void BlockLockstep::report(const std::string& difference) const {
  std::string where = "waveform in " + folder_;
  try {
    std::filesystem::create_directories(folder_);
    rtl_->write_waveform((std::filesystem::path(folder_) / "waveform.vcd").string(), 1000);
  } catch (const std::exception& e) {
    where = std::string("the waveform could not be written: ") + e.what();
  }
  throw ModelError(fmt::format("{}: model and RTL differ at request {}: {}; {}", rtl_->name(),
                               requests_, difference, where));
}

}  // namespace horae::rtl
