// The PSNs on the last hop, per queue pair, in egress (internal to the room).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "horae/core/psn.hpp"
#include "horae/dataplane/action.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/dataplane/ternary_table.hpp"
#include "horae/programs/themis_queue/themis_queue.hpp"

namespace horae::programs::themis_queue {

/// A ring of `queue_entries` PSNs per queue pair, spread over `queue_registers` arrays so that one
/// pass writes one of them or looks at one entry of each: entry e is in array e mod R. Positions
/// count up without end (16 bits of them are kept); what is more than a ring behind was
/// overwritten.
///
/// The head cannot be moved by what the search finds in the same pass, for its register lies before
/// the arrays: it is read where a search begins and written by the pass that ends it.
class PsnRing {
 public:
  PsnRing(dataplane::Pipeline& pipeline, const ThemisQueueConfig& config,
          const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
          const dataplane::Gateway& searches, const dataplane::Gateway& begins,
          const dataplane::Gateway& ends);

  /// A data packet passes.
  void put(const dataplane::PassKind auto& pass, std::uint32_t qp, Psn psn);

  /// Result of one pass of a search.
  struct Look {
    std::optional<std::uint16_t> found;  ///< low bits of the first PSN larger than the expected one
    std::uint16_t next = 0;              ///< position to go on from
    bool empty = false;                  ///< there is nothing more
  };
  /// Looks at the next R entries from `from` on, or from the head.
  Look look(const dataplane::PassKind auto& pass, std::uint32_t qp,
            std::optional<std::uint16_t> from, Psn expected);
  /// The search ends: what is before `head` is taken.
  void take(const dataplane::PassKind auto& pass, std::uint32_t qp, std::uint16_t head);

  /// Dependency of a decision about the entry found.
  const dataplane::Object& result() const { return *select_; }

 private:
  static constexpr auto out = dataplane::Gress::egress;
  static constexpr std::uint32_t max_arrays = 16;
  void build_first(dataplane::Pipeline& pipeline, const dataplane::Needs& answers);
  std::uint64_t key(std::uint64_t larger, std::uint32_t turn, std::uint32_t count) const;
  std::size_t cell(std::uint32_t qp, std::uint16_t position) const {
    return std::size_t{qp} * depth_ + position / arrays_ % depth_;
  }

  /// An entry, and whether its PSN comes after the one that is asked for.
  struct LookAt {
    static constexpr bool only_reads = true;
    template <class C>
    auto operator()(const C& entry, C expected) const {
      return std::tuple(entry, dataplane::stateful::comes_after<16>(entry, expected));
    }
  };
  struct Array {
    Array(dataplane::Pipeline& pipeline, const std::string& name,
          const dataplane::RegisterSpec& spec, const dataplane::Needs& needs);
    dataplane::Register<std::uint16_t> psns;
    dataplane::RegisterAction<std::uint16_t, dataplane::SetCell> set;
    dataplane::RegisterAction<std::uint16_t, LookAt> look_at;
  };

  std::uint32_t arrays_, depth_;
  dataplane::Register<std::uint16_t> tail_;
  dataplane::RegisterAction<std::uint16_t, dataplane::IncrementCell> next_tail_;
  dataplane::RegisterAction<std::uint16_t, dataplane::ReadCell> read_tail_;
  dataplane::Variable<std::uint16_t> head_;
  dataplane::Action span_;
  dataplane::Gateway fits_;
  dataplane::Action clamp_;
  dataplane::Action place_;
  std::vector<std::unique_ptr<dataplane::Gateway>> writes_;
  std::vector<std::unique_ptr<Array>> arrays_of_psns_;
  std::optional<dataplane::TernaryTable<std::uint32_t>> first_;
  std::optional<dataplane::Action> select_;
};

}  // namespace horae::programs::themis_queue
