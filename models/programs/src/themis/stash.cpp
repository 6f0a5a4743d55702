#include "stash.hpp"

#include <utility>

namespace horae::programs::themis {

using dataplane::ConditionKind;
using dataplane::ConditionSpec;
using dataplane::Join;
using dataplane::Needs;
using dataplane::Pass;
using dataplane::RegisterSpec;

namespace {

/// Fields of the header that the deparser puts before a copy.
enum : std::size_t { header_psn = 0, header_qpn = 1 };

std::uint16_t nack_frame() {
  return static_cast<std::uint16_t>(frame_bytes(Opcode::acknowledge, Bytes(0)).count());
}

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
      settles_(pipeline, out, "settles_stash", flags(c.failure_handling ? 3 : 2, Join::any), {},
               Needs{matches(stashed_nack_psn_), matches(stash_nack_path_id_)}),
      stashed_nack_valid_(pipeline, out, "stashed_nack_valid", per_qp(8, c),
                          Needs{matches(qp_table), guarded_by(settles_), guarded_unless(lost)}),
      validate_(pipeline, stashed_nack_valid_, "validate"),
      take_(pipeline, stashed_nack_valid_, "take"),
      emits_(pipeline, out, "emits_nack", flags(2), {}, Needs{matches(stashed_nack_valid_)}),
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
    signals_.emplace(pipeline, out, "signals_path", flags(1), std::vector<std::uint64_t>{},
                     Needs{guarded_by(emits_)});
}

void Stash::keep(const Pass& pass, std::uint32_t qp, std::uint16_t port) {
  const Packet& p = pass.header();
  keep_psn_.run(pass, qp, p.psn.value());
  keep_path_.run(pass, qp, path_of(p.psn, config_));
  stash_nack_qpn_.set.run(pass, qp, p.dest_qp.value());
  stash_nack_egress_port_.set.run(pass, qp, port);
  validate_.run(pass, qp);
}

// Whether this data packet says what became of the packet that the kept NACK asks for.
Stash::Settled Stash::settle(Pass& pass, std::uint32_t qp) {
  const Psn psn = pass.header().psn;
  const auto [kept, arrived, later, too_far] = judge_.run(pass, qp, psn.value());
  const bool same_path = same_path_.run(pass, qp, path_of(psn, config_));
  const std::uint32_t qpn = stash_nack_qpn_.read.run(pass, qp);
  const std::uint16_t port = stash_nack_egress_port_.read.run(pass, qp);
  const bool lost = later && same_path;
  const bool settles = config_.failure_handling ? settles_.test(pass, arrived, lost, too_far)
                                                : settles_.test(pass, arrived, lost);
  if (!settles) return Settled::no;
  const bool was_valid = take_.run(pass, qp);
  if (!emits_.test(pass, was_valid, !arrived)) return was_valid ? Settled::arrived : Settled::no;
  const bool signal = signals_ && signals_->test(pass, !lost);
  emit_.request(pass, {.egress_port = port,
                       .type = signal ? avoidance_signal : stashed_nack,
                       .header = {kept, qpn},
                       .length = nack_frame()});
  return signal ? Settled::too_far : Settled::lost;
}

void Stash::make_nack(Pass& pass) {
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
