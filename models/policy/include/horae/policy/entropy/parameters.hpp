// The parameters of the entropy schemes, for who sets them in C++. Each belongs to the file of its
// name in src/entropy, which has its schema; those of REPS are in reps.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "horae/policy/entropy/entropy.hpp"

namespace horae::policy {

struct RepsUnboundedParameters {
  std::optional<std::uint32_t> first_packets{};  ///< that get 1, 2, 3, ...; absent: a BDP of them

  static const Schema<RepsUnboundedParameters>& schema();
};

struct PlbParameters {
  double plb_share = 0;          ///< K: more than this of a round trip congested counts as a round
  std::uint32_t plb_rounds = 1;  ///< more than so many rounds in a row: a new value

  static const Schema<PlbParameters>& schema();
};

/// Start of a flowlet's gap.
enum class FlowletSince : std::uint8_t { ack, packet };

struct FlowletParameters {
  std::optional<Picoseconds> flowlet_gap{};  ///< absent: half of the base round trip
  FlowletSince flowlet_since = FlowletSince::ack;
  std::optional<Picoseconds> flowlet_hold_off{};  ///< absent: the transport's timeout

  static const Schema<FlowletParameters>& schema();
};

/// How often the value of an ACK that leaves room is used.
enum class MpRdmaUse : std::uint8_t { until_next, once };

struct MpRdmaPaths {
  MpRdmaUse mp_rdma_use = MpRdmaUse::until_next;

  static const Schema<MpRdmaPaths>& schema();
};

struct SubflowParameters {
  std::uint32_t subflows = 8;

  static const Schema<SubflowParameters>& schema();
};

}  // namespace horae::policy
