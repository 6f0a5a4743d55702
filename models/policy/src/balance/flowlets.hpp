// The flowlet table of balancers: packets of a flow without a gap between them stay together.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy {

/// Keys of all balancers that have flowlets.
struct BalanceFlowlets {
  std::optional<Picoseconds> gap;        ///< absent: 500 us
  std::optional<std::uint32_t> entries;  ///< absent: 65536
  static const Schema<BalanceFlowlets>& schema();
};

class FlowletTable {
 public:
  struct Flowlet {
    Picoseconds last{};
    std::uint32_t choice = 0;
    bool used = false;  ///< ever, so that `choice` is one
  };

  FlowletTable(const BalanceFlowlets& p, std::uint32_t salt)
      : salt_(salt), gap_(p.gap.value_or(500_us)), table_(p.entries.value_or(65536)) {}

  /// The flowlet of a packet at `now`, and whether the packet begins it. Flows whose hashes meet
  /// share one, and may have different numbers of choices.
  std::pair<Flowlet&, bool> at(const Packet& packet, unsigned choices, Picoseconds now) {
    Flowlet& f = table_[std::uint64_t{flow_hash(packet, salt_)} * table_.size() >> 32];
    f.used = f.used && f.choice < choices;
    const bool begins = !f.used || now - f.last >= gap_;
    f.last = now;
    return {f, begins};
  }

 private:
  std::uint32_t salt_;
  Picoseconds gap_;
  std::vector<Flowlet> table_;
};

}  // namespace horae::policy
