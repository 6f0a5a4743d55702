#include "horae/rtl/balancer_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "difference.hpp"
#include "horae/core/error.hpp"

namespace horae::rtl {
namespace {

std::string balancer_request(const BalancerInputs& in) {
  std::string out =
      fmt::format("{} to {}, source port {}, queue pair {}, PSN {}, {} B, {} candidates", in.source,
                  in.destination, in.entropy, in.qp, in.psn, in.bytes, in.choices);
  if (!in.depths.empty()) {
    out += ", depths";
    for (std::uint32_t i = 0; i < in.choices; ++i) out += fmt::format(" {}", in.depths[i]);
  }
  return out;
}

}  // namespace

BalancerRtl::BalancerRtl(const BalancerBlock& block, std::uint64_t seed, std::string_view path)
    : block_(block), stream_(seed, path), hardware_(block.make(0), block.make) {
  if (block.salted) salt_ = stream_.bits();
}

unsigned BalancerRtl::choose(const Packet& packet, unsigned choices, const policy::PortView& view) {
  if (choices > block_.choices) {
    throw InputError(fmt::format("{} candidates for a packet: the RTL '{}' has room for {}",
                                 choices, block_.name, block_.choices));
  }
  BalancerInputs in;
  in.request_valid = true;
  in.response_ready = true;
  in.source = packet.src;
  in.destination = packet.dst;
  in.entropy = packet.entropy;
  in.qp = packet.dest_qp.value();
  in.psn = packet.psn.value();
  in.bytes = packet.frame;
  in.choices = choices;
  in.salt = salt_;
  for (std::uint32_t i = 0; i < block_.draws; ++i)
    in.draws[i] = choices > i ? stream_.below(choices - i) : 0;
  if (block_.depths > 0) {
    in.depths.assign(block_.depths, std::numeric_limits<std::uint32_t>::max());
    for (unsigned i = 0; i < choices; ++i)
      in.depths[i] = static_cast<std::uint32_t>(view.depth(i).count());
  }
  const std::uint32_t choice = hardware_.serve(in).choice;
  if (choice >= choices)
    throw ModelError(
        fmt::format("RTL '{}': chose {} of {} candidates", block_.name, choice, choices));
  return choice;
}

BalancerLockstep::BalancerLockstep(std::unique_ptr<policy::LoadBalancer> model,
                                   std::unique_ptr<BalancerRtl> rtl, std::string folder)
    : model_(std::move(model)), rtl_(std::move(rtl)), folder_(std::move(folder)) {}

unsigned BalancerLockstep::choose(const Packet& packet, unsigned choices,
                                  const policy::PortView& view) {
  const unsigned choice = model_->choose(packet, choices, view);
  ++requests_;
  chosen_.push_back(choice);
  unsigned rtl = 0;
  try {
    rtl = rtl_->choose(packet, choices, view);
  } catch (const ModelError& e) {
    report(e.what());
  }
  if (rtl != choice) {
    report(fmt::format("packet PSN {} from {} to {}: choice is {} in the model, {} in the RTL",
                       packet.psn.value(), packet.src, packet.dst, choice, rtl));
  }
  while (chosen_.size() > rtl_->hardware().exchanges().size()) chosen_.pop_front();
  return choice;
}

void BalancerLockstep::report(const std::string& difference) const {
  const auto& hardware = rtl_->hardware();
  const std::size_t more = chosen_.size() - std::min(chosen_.size(), hardware.exchanges().size());
  report_difference(
      hardware, rtl_->block().name, requests_, folder_, difference, balancer_request,
      [](const BalancerOutputs& out) { return fmt::format("{}", out.choice); },
      [&](std::size_t i) { return fmt::format("{}", chosen_.at(more + i)); });
}

}  // namespace horae::rtl
