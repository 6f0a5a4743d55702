// The NACK that Themis-D keeps back (internal to the room).
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

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
  /// Effect of a data packet on the kept NACK.
  enum class Settled : std::uint8_t { no, arrived, lost, too_far };

  /// `lost`: the gateway whose failing keeps a NACK back.
  Stash(dataplane::Pipeline& pipeline, const ThemisConfig& config,
        const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
        const dataplane::Gateway& is_copy, const dataplane::Gateway& lost);

  /// Keeps the NACK of this pass, which was on its way to `port`; it takes the place of an earlier
  /// one.
  void keep(const PassKind auto& pass, std::uint32_t qp, std::uint16_t port);
  /// A data packet passes.
  /// `whole`: with failure handling.
  template <bool whole>
  [[gnu::always_inline]] Settled settle(PassKind auto& pass, std::uint32_t qp);
  /// Turns a copy of a data packet into the NACK; other copies are left alone.
  void make_nack(PassKind auto& pass);

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

  /// Fields of the header that the deparser puts before a copy.
  enum : std::size_t { header_psn = 0, header_qpn = 1 };
  static std::uint16_t nack_frame() {
    return static_cast<std::uint16_t>(frame_bytes(Opcode::acknowledge, Bytes(0)).count());
  }

  ThemisConfig config_;
  dataplane::Register<std::uint32_t> stashed_nack_psn_;
  dataplane::RegisterAction<std::uint32_t, dataplane::SetCell> keep_psn_;
  dataplane::RegisterAction<std::uint32_t, Judge> judge_;
  dataplane::Register<std::uint32_t> stash_nack_path_id_;
  dataplane::RegisterAction<std::uint32_t, dataplane::SetCell> keep_path_;
  dataplane::RegisterAction<std::uint32_t, dataplane::EqualsCell> same_path_;
  dataplane::Variable<std::uint32_t> stash_nack_qpn_;
  dataplane::Variable<std::uint16_t> stash_nack_egress_port_;
  AnyFlag settles_;
  dataplane::Register<std::uint8_t> stashed_nack_valid_;
  dataplane::RegisterAction<std::uint8_t, dataplane::FillCell<1>> validate_;
  dataplane::RegisterAction<std::uint8_t, Take> take_;
  AllFlags emits_;
  std::optional<AllFlags> signals_;  ///< with failure handling
  dataplane::Mirror emit_;
  dataplane::Gateway is_stashed_nack_;
  dataplane::Action make_nack_;
};

inline void Stash::keep(const PassKind auto& pass, std::uint32_t qp, std::uint16_t port) {
  const Packet& p = pass.header();
  keep_psn_.run(pass, qp, p.psn.value());
  keep_path_.run(pass, qp, path_of(p.psn, config_));
  stash_nack_qpn_.set.run(pass, qp, p.dest_qp.value());
  stash_nack_egress_port_.set.run(pass, qp, port);
  validate_.run(pass, qp);
}

// Whether this data packet says what became of the packet that the kept NACK asks for.
template <bool whole>
inline Stash::Settled Stash::settle(PassKind auto& pass, std::uint32_t qp) {
  const Psn psn = pass.header().psn;
  const auto [kept, arrived, later, too_far] = judge_.run(pass, qp, psn.value());
  const bool same_path = same_path_.run(pass, qp, path_of(psn, config_));
  const std::uint32_t qpn = stash_nack_qpn_.read.run(pass, qp);
  const std::uint16_t port = stash_nack_egress_port_.read.run(pass, qp);
  const bool lost = later && same_path;
  const bool settles = whole || config_.failure_handling
                           ? settles_.test(pass, arrived, lost, too_far)
                           : settles_.test(pass, arrived, lost);
  if (!settles) return Settled::no;
  const bool was_valid = take_.run(pass, qp);
  if (!emits_.test(pass, was_valid, !arrived)) return was_valid ? Settled::arrived : Settled::no;
  const bool signal = has<whole>(signals_) && signals_->test(pass, !lost);
  emit_.request(pass, {.egress_port = port,
                       .type = signal ? avoidance_signal : stashed_nack,
                       .header = {kept, qpn},
                       .length = nack_frame()});
  return signal ? Settled::too_far : Settled::lost;
}

inline void Stash::make_nack(PassKind auto& pass) {
  const std::uint8_t type = pass.header().mirror_type;
  const bool made = config_.failure_handling ? is_stashed_nack_.test(pass, type, type)
                                             : is_stashed_nack_.test(pass, type);
  if (!made) return;
  make_nack_.run(pass, [&] {
    Packet& p = pass.header();
    std::swap(p.src, p.dst);
    p.opcode = Opcode::acknowledge;
    p.syndrome = syndrome::nak_psn_sequence;
    p.psn = Psn(pass.mirror_header()[header_psn]);
    p.dest_qp = Qpn(pass.mirror_header()[header_qpn]);
    p.msn = 0;
    p.payload = 0;
    p.frame = nack_frame();
    p.ack_request = type == avoidance_signal;  // the reserved BTH bit of the avoidance signal
    p.ecn = Ecn::not_ect;
    p.retransmission = false;
  });
}

}  // namespace horae::programs::themis
