#include "stash.hpp"

namespace horae::programs::themis {

using dataplane::ConditionKind;
using dataplane::ConditionSpec;
using dataplane::Join;
using dataplane::Needs;
using dataplane::RegisterSpec;

namespace {

RegisterSpec per_qp(std::uint32_t width, const ThemisConfig& c) {
  return {.width = width, .entries = c.qps(), .reads = {"qp"}};
}

}  // namespace

Stash::Stash(dataplane::Pipeline& pipeline, const ThemisConfig& c,
             const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
             const dataplane::Gateway& is_copy, const dataplane::Gateway& lost)
    : config_(c),
      stashed_nack_psn_(pipeline, out, "stashed_nack_psn", per_qp(32, c),
                        Needs{matches(qp_table), guarded_by(is_data), guarded_unless(lost)}),
      keep_psn_(pipeline, stashed_nack_psn_, "keep"),
      judge_(pipeline, stashed_nack_psn_, "judge", Judge{c.ooo_threshold}),
      stash_nack_path_id_(pipeline, out, "stash_nack_path_id", per_qp(32, c),
                          Needs{matches(qp_table), guarded_by(is_data), guarded_unless(lost)}),
      keep_path_(pipeline, stash_nack_path_id_, "keep"),
      same_path_(pipeline, stash_nack_path_id_, "same"),
      stash_nack_qpn_(pipeline, out, "stash_nack_qpn", per_qp(32, c),
                      Needs{matches(qp_table), guarded_by(is_data), guarded_unless(lost)}),
      stash_nack_egress_port_(pipeline, out, "stash_nack_egress_port", per_qp(16, c),
                              Needs{matches(qp_table), guarded_by(is_data), guarded_unless(lost)}),
      settles_(pipeline, out, "settles_stash", ConditionSpec{.terms = c.failure_handling ? 3u : 2u},
               Needs{matches(stashed_nack_psn_), matches(stash_nack_path_id_)}),
      stashed_nack_valid_(pipeline, out, "stashed_nack_valid", per_qp(8, c),
                          Needs{matches(qp_table), guarded_by(settles_), guarded_unless(lost)}),
      validate_(pipeline, stashed_nack_valid_, "validate"),
      take_(pipeline, stashed_nack_valid_, "take"),
      emits_(pipeline, out, "emits_nack", ConditionSpec{.terms = 2},
             Needs{matches(stashed_nack_valid_)}),
      emit_(pipeline, out, "emit_nack",
            Needs{guarded_by(emits_), uses(stashed_nack_psn_), uses(stash_nack_qpn_.array),
                  uses(stash_nack_egress_port_.array)}),
      is_stashed_nack_(pipeline, out, "is_stashed_nack",
                       ConditionSpec{.kind = ConditionKind::eq,
                                     .bits = 8,
                                     .terms = c.failure_handling ? 2u : 1u,
                                     .join = Join::any,
                                     .reads = {"mirror_type"}},
                       c.failure_handling
                           ? std::vector<std::uint64_t>{stashed_nack, avoidance_signal}
                           : std::vector<std::uint64_t>{stashed_nack},
                       Needs{guarded_by(is_copy)}),
      // Opcode, PSN, QPN, syndrome, MSN, lengths of IP and UDP, and the swapped addresses of IP and
      // Ethernet (packet-spraying paper 5).
      make_nack_(pipeline, out, "make_nack", {}, Needs{guarded_by(is_stashed_nack_)}) {
  if (c.failure_handling)
    signals_.emplace(pipeline, out, "signals_path", ConditionSpec{}, Needs{guarded_by(emits_)});
}

}  // namespace horae::programs::themis
