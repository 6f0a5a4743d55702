// Which queue pairs have state here (internal to the room).
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "horae/core/error.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/programs/program.hpp"
#include "horae/programs/shared/flow_key.hpp"

namespace horae::programs::themis {

/// Hash of a flow's key, for where its entry lies, which no result shows: FlatTable multiplies it
/// again.
struct FlowPlace {
  std::size_t operator()(const FlowKey& k) const {
    const std::uint64_t h = (std::uint64_t{k.src} << 32 | k.dst) * 0xc2b2ae3d27d4eb4fULL;
    return (h ^ h >> 32) + k.dest_qp;
  }
};

/// The queue pair table of one gress, with its control plane: an entry for a connection's data and
/// one for the responses to it, both with the index of its state.
class QueuePairs {
 public:
  QueuePairs(dataplane::Pipeline& pipeline, dataplane::Gress gress, const std::string& name,
             std::uint32_t qps)
      : table_(pipeline, gress, name, {.key_bits = 88, .entries = 2 * qps, .data_bits = 16}),
        most_(qps) {}

  const dataplane::Object& table() const { return table_; }
  const std::uint32_t* lookup(const dataplane::PassKind auto& pass) {
    return table_.lookup(pass, key_of(pass.header()));
  }

  /// The index of a connection that is new here. InputError when there is no room.
  std::optional<std::uint32_t> add(const Connection& c) {
    const FlowKey data{c.sender, c.receiver, c.receiver_qp.value()};
    if (known_.contains(data)) return std::nullopt;
    if (next_ == most_) {
      throw InputError(
          fmt::format("{}: more than the {} queue pairs of a pipeline (program.nics x "
                      "qps_per_nic / pipelines)",
                      table_.name(), most_));
    }
    known_.insert(data);
    table_.insert(data, next_);
    table_.insert({c.receiver, c.sender, c.sender_qp.value()}, next_);
    return next_++;
  }

 private:
  dataplane::ExactTable<FlowKey, std::uint32_t, FlowPlace> table_;
  std::unordered_set<FlowKey, KeyHash> known_;
  std::uint32_t most_;
  std::uint32_t next_ = 0;
};

}  // namespace horae::programs::themis
