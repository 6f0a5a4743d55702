#include "horae/rnic/memory/policy_state.hpp"

#include <bit>
#include <utility>

namespace horae::rnic {
namespace {

/// Receive WQEs that a queue keeps on the chip.
std::uint32_t receive_wqe_bits(const ReceiveConfig& config) {
  return 8 * config.prefetch * static_cast<std::uint32_t>(config.wqe.count());
}

}  // namespace

std::vector<PolicyState> policy_states(const RnicConfig& config) {
  std::vector<PolicyState> out;
  const auto add = [&](std::string_view name, bool cached, std::vector<policy::StateField> fields) {
    if (policy::total_bits(fields) > 0) out.push_back({name, cached, std::move(fields)});
  };
  const bool cached = config.sram.policy_state == PolicyPlace::context;
  if (const auto state = policy::find_transport(config.transport).state; state != nullptr)
    add("transport_state", false, state(config.reliability));
  const auto& scheme = policy::find_entropy_scheme(config.entropy.scheme);
  if (!scheme.constant)
    add("entropy_state", cached, scheme.state(config.entropy, config.reliability.window));
  const auto& congestion = policy::find_congestion_algorithm(config.congestion.algorithm);
  if (congestion.state != nullptr)
    add("congestion_state", cached, congestion.state(config.congestion));
  std::vector<policy::StateField> engine;
  if (config.engine && config.engine->queue_pair > 0_ps)
    engine.push_back({"time of the next packet", 32});
  if (const std::uint32_t n = config.ack_messages.value_or(1); n > 1)
    engine.push_back(
        {"messages without a request", static_cast<std::uint32_t>(std::bit_width(n - 1))});
  add("engine_state", true, std::move(engine));
  if (config.cq && config.cq->messages > 1 && config.cq->hold > 0_ps) {
    add("completion_state", true,
        {{"messages without a CQE",
          static_cast<std::uint32_t>(std::bit_width(config.cq->messages - 1))},
         {"time of the CQE", 32}});
  }
  if (config.receive) {
    const auto index = static_cast<std::uint32_t>(std::bit_width(config.receive->depth));
    std::vector<policy::StateField> receives = {{"RNR: time, count and timer code", 32 + 3 + 5},
                                                {"receive WQE of the message that comes", 128}};
    if (!config.receive->shared) {
      receives.push_back({"receive WQEs posted, read and taken", 3 * index});
      receives.push_back({"receive WQEs on the chip", receive_wqe_bits(*config.receive)});
    }
    add("receive_state", true, std::move(receives));
  }
  return out;
}

std::vector<policy::StateField> read_request_state(std::uint32_t reads) {
  return {{"first PSN", 24 * reads}, {"next response", 24 * reads}, {"WQE", 16 * reads}};
}

std::vector<policy::StateField> read_response_state(std::uint32_t reads) {
  return {{"kind", 2 * reads},
          {"first PSN", 24 * reads},
          {"next response", 24 * reads},
          {"MSN", 24 * reads},
          {"address, or an atomic's result", 64 * reads},
          {"memory key", 32 * reads},
          {"length", 32 * reads}};
}

Bytes block_state(const RnicConfig& config) {
  constexpr int lanes = 8, counters = 2, bits = 12;
  Bytes out;
  if (config.vl_credits) out += Bytes(lanes * counters * bits / 8);
  if (config.cq && config.cq->mini_cqe) out += config.cq->cqe * 2;
  if (config.receive && config.receive->shared)
    out += Bytes((receive_wqe_bits(*config.receive) +
                  3 * static_cast<std::uint32_t>(std::bit_width(config.receive->depth)) + 7) /
                 8);
  return out;
}

Bytes gathering_wqe(const RnicConfig& config) {
  if (!config.post || config.post->sges == 1) return 0_B;
  return Bytes(config.post->wqe_bytes(config.post->sges));
}

Bytes engine_contexts(const RnicConfig& config) {
  if (!config.engine) return 0_B;
  const std::int64_t halves = config.engine->contexts;
  return Bytes((config.sram.qp_context.count() * halves + 1) / 2);
}

Bytes policy_bytes(const std::vector<PolicyState>& states, bool cached) {
  Bytes sum;
  for (const PolicyState& state : states) sum += state.cached == cached ? state.bytes() : Bytes(0);
  return sum;
}

}  // namespace horae::rnic
