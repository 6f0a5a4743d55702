// The NACK that Themis-D keeps back (internal to the room).
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "horae/dataplane/action.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/mirror.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/programs/themis/themis.hpp"
#include "parts.hpp"

namespace horae::programs::themis {

/// One undetermined NACK per queue pair, and what data packets say of it (packet-spraying paper 4.3
/// and 4.4): it is made anew from the copy of a packet that shows the loss, or that is so far ahead
/// that the path is to be avoided.
class Stash {
 public:
  /// What a data packet makes of the kept NACK.
  enum class Settled : std::uint8_t { no, arrived, lost, too_far };

  /// `lost`: the gateway whose failing keeps a NACK back.
  Stash(dataplane::Pipeline& pipeline, const ThemisConfig& config,
        const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
        const dataplane::Gateway& is_copy, const dataplane::Gateway& lost);

  /// Keeps the NACK of this pass, which was on its way to `port`; it takes the place of an earlier
  /// one.
  void keep(const dataplane::Pass& pass, std::uint32_t qp, std::uint16_t port);
  /// A data packet passes.
  Settled settle(dataplane::Pass& pass, std::uint32_t qp);
  /// Turns a copy of a data packet into the NACK; other copies are left alone.
  void make_nack(dataplane::Pass& pass);

 private:
  static constexpr auto out = dataplane::Gress::egress;

  /// The PSN that is kept, and whether this one is the same, comes later, or far too late.
  struct Judge {
    static constexpr bool only_reads = true;
    std::uint32_t threshold = 0;
    template <class C>
    auto operator()(const C& kept, C psn) const {
      using namespace dataplane::stateful;
      return std::tuple(kept, psn == kept, comes_after<Psn::bits>(psn, kept),
                        further_than<Psn::bits>(psn, kept, threshold));
    }
  };
  /// Whether one was kept; it is no more.
  struct Take {
    template <class C>
    auto operator()(C& valid) const {
      const auto was = valid != 0;
      valid = 0;
      return was;
    }
  };

  ThemisConfig config_;
  dataplane::Register<std::uint32_t> stashed_nack_psn_;
  dataplane::RegisterAction<std::uint32_t, dataplane::SetCell> keep_psn_;
  dataplane::RegisterAction<std::uint32_t, Judge> judge_;
  dataplane::Register<std::uint32_t> stash_nack_path_id_;
  dataplane::RegisterAction<std::uint32_t, dataplane::SetCell> keep_path_;
  dataplane::RegisterAction<std::uint32_t, dataplane::EqualsCell> same_path_;
  dataplane::Variable<std::uint32_t> stash_nack_qpn_;
  dataplane::Variable<std::uint16_t> stash_nack_egress_port_;
  dataplane::Gateway settles_;
  dataplane::Register<std::uint8_t> stashed_nack_valid_;
  dataplane::RegisterAction<std::uint8_t, dataplane::FillCell<1>> validate_;
  dataplane::RegisterAction<std::uint8_t, Take> take_;
  dataplane::Gateway emits_;
  std::optional<dataplane::Gateway> signals_;  ///< with failure handling
  dataplane::Mirror emit_;
  dataplane::Gateway is_stashed_nack_;
  dataplane::Action make_nack_;
};

}  // namespace horae::programs::themis
