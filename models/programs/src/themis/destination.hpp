// Themis-D: NACK validation at the receivers' ToR, in egress.
#pragma once

#include <cstdint>
#include <optional>

#include "horae/dataplane/action.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/mirror.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/programs/themis/themis.hpp"
#include "horae/programs/themis/window_bitmap.hpp"
#include "parts.hpp"
#include "queue_pairs.hpp"
#include "stash.hpp"

namespace horae::programs::themis {

/// Which NACKs of local receivers may pass (packet-spraying paper 4.2 to 4.4, appendix A); state as
/// in its Table 4. Without the path check every NACK for what has not passed is valid; without lazy
/// dropping what cannot be said yet is dropped for good.
///
/// A response of a local receiver is brought through the egress of its own pipeline, where the
/// state is (Figure 8): as itself when it leaves by a port of that pipeline, else by way of its
/// incoming port, from where a mirrored copy goes on.
class Destination {
 public:
  Destination(dataplane::Pipeline& pipeline, const ThemisConfig& config);

  void connect(const Connection& connection);
  void egress(PassKind auto& pass) { whole_ ? egress_as<true>(pass) : egress_as<false>(pass); }

  struct Counts {  // statistics of the model, not state of the program
    std::uint64_t valid = 0;
    std::uint64_t invalid = 0;
    std::uint64_t stashed = 0;
    std::uint64_t given_up = 0;  ///< undetermined, and nothing keeps them
    std::uint64_t validated_later = 0;
    std::uint64_t signalled = 0;
    std::uint64_t old_data = 0;  ///< packets from before the window
  };
  const Counts& counts() const { return counts_; }

 private:
  static constexpr auto out = dataplane::Gress::egress;
  struct KeepLater {
    template <class C>
    void operator()(C& most, C psn) const {
      if (dataplane::stateful::comes_after<Psn::bits>(psn, most)) most = psn;
    }
  };
  struct IsOvertaken {
    static constexpr bool only_reads = true;
    template <class C>
    auto operator()(const C& most, C psn) const {
      return dataplane::stateful::comes_after<Psn::bits>(most, psn);
    }
  };
  /// Condition C2 and what it needs.
  struct PathCheck {
    PathCheck(dataplane::Pipeline& pipeline, const ThemisConfig& config,
              const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
              const dataplane::Gateway& is_nack, const dataplane::Gateway& missing);
    dataplane::Register<std::uint32_t> path_psn_max;
    dataplane::RegisterAction<std::uint32_t, KeepLater> keep_later;
    dataplane::RegisterAction<std::uint32_t, IsOvertaken> is_overtaken;
    AllFlags lost;
  };
  std::optional<PathCheck> make_path_check(dataplane::Pipeline& pipeline);
  std::optional<Stash> make_stash(dataplane::Pipeline& pipeline);
  /// The last condition that a NACK has to meet.
  const dataplane::Gateway& last_check() const {
    return path_check_ ? path_check_->lost : window_.missing();
  }
  dataplane::Needs drop_needs() const;
  template <bool whole>
  void egress_as(PassKind auto& pass);
  template <bool whole>
  [[gnu::always_inline]] void on_data(PassKind auto& pass, std::uint32_t qp);
  void on_response(PassKind auto& pass, std::uint32_t qp);
  void on_nack(PassKind auto& pass, std::uint32_t qp);
  void go_on(PassKind auto& pass);

  /// `metadata` of a response that came back to its own port: where it is to go, plus one.
  static std::uint32_t target_of(std::uint16_t metadata) { return metadata - 1u; }
  std::size_t path_index(std::uint32_t qp, Psn psn) const {
    return std::size_t{qp} * config_.paths + path_of(psn, config_);
  }

  ThemisConfig config_;
  NotZero is_copy_;
  IsData is_data_;
  AllEqual<number(Opcode::acknowledge)> is_response_;
  AllEqual<syndrome::nak_psn_sequence> is_nack_;
  QueuePairs qps_;
  WindowBitmap window_;
  std::optional<PathCheck> path_check_;
  std::optional<Stash> stash_;  ///< with the path check only: else nothing is ever undetermined
  bool whole_;                  ///< it has all that the published program has
  NotZero came_back_;
  dataplane::Mirror send_on_;
  dataplane::Action drop_;
  Counts counts_;
};

template <bool whole>
inline void Destination::egress_as(PassKind auto& pass) {
  const Packet& p = pass.header();
  if (is_copy_.test(pass, p.mirror_type)) {
    if (has<whole>(stash_)) stash_->make_nack(pass);
    return;
  }
  const bool data = is_data_.test(pass, number(p.opcode));
  const bool response = is_response_.test(pass, number(p.opcode));
  const std::uint32_t* qp = qps_.lookup(pass);
  if (qp != nullptr && data) on_data<whole>(pass, *qp);
  if (response) {
    const bool back = came_back_.test(pass, p.metadata);
    if (qp != nullptr) on_response(pass, *qp);
    if (back && pass.verdict() != dataplane::Verdict::drop) go_on(pass);
  }
}

template <bool whole>
inline void Destination::on_data(PassKind auto& pass, std::uint32_t qp) {
  const Psn psn = pass.header().psn;
  if (!window_.mark(pass, qp, psn)) ++counts_.old_data;
  if (has<whole>(path_check_)) {
    path_check_->keep_later.run(pass, path_index(qp, psn), psn.value());
  }
  if (!has<whole>(stash_)) return;
  const auto settled = stash_->settle<whole>(pass, qp);
  if (settled == Stash::Settled::lost) ++counts_.validated_later;
  if (settled == Stash::Settled::too_far) ++counts_.signalled;
}

inline void Destination::on_response(PassKind auto& pass, std::uint32_t qp) {
  const Packet& p = pass.header();
  if (is_nack_.test(pass, p.syndrome))
    on_nack(pass, qp);
  else
    window_.acknowledge(pass, qp, p.psn);
}

inline void Destination::on_nack(PassKind auto& pass, std::uint32_t qp) {
  const Packet& p = pass.header();
  const bool missing = window_.ask(pass, qp, p.psn);
  bool overtaken = true;
  if (path_check_) {
    overtaken = path_check_->is_overtaken.run(pass, path_index(qp, p.psn), p.psn.value());
  }
  if (!missing) {  // condition C1 fails: it passed to the receiver
    ++counts_.invalid;
    return drop_.run(pass, [&] { pass.drop(); });
  }
  // Condition C2: something later came by the same path.
  if (!path_check_ || path_check_->lost.test(pass, overtaken)) {
    ++counts_.valid;
    return;
  }
  if (stash_) {
    stash_->keep(pass, qp,
                 p.metadata != 0 ? static_cast<std::uint16_t>(target_of(p.metadata))
                                 : static_cast<std::uint16_t>(pass.egress_port()));
  }
  ++(stash_ ? counts_.stashed : counts_.given_up);
  drop_.run(pass, [&] { pass.drop(); });
}

// A response that is let through and is in its receiver's own egress only for the check.
inline void Destination::go_on(PassKind auto& pass) {
  send_on_.request(pass,
                   {.egress_port = target_of(pass.header().metadata), .type = forwarded_response});
  drop_.run(pass, [&] { pass.drop(); });
}

}  // namespace horae::programs::themis
