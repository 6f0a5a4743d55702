#include "destination.hpp"

#include <utility>

namespace horae::programs::themis {

using dataplane::ActionSpec;
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

/// `metadata` of a response that came back to its own port: where it is to go, plus one.
std::uint32_t target_of(std::uint16_t metadata) { return metadata - 1u; }

}  // namespace

// In the order of the pipeline: what it is and whose; the window's start and the base bits; the
// bitmap and the largest PSNs; what they say of a NACK; the NACK that was kept back.
Destination::Destination(dataplane::Pipeline& pipeline, const ThemisConfig& c)
    : config_(c),
      is_copy_(pipeline, out, "is_copy",
               ConditionSpec{.kind = ConditionKind::ne, .bits = 8, .reads = {"mirror_type"}}),
      is_data_(pipeline, out, "is_data_out", data_condition(), {}, Needs{guarded_unless(is_copy_)}),
      is_response_(pipeline, out, "is_response",
                   ConditionSpec{.kind = ConditionKind::eq, .bits = 8, .reads = {"opcode"}},
                   {number(Opcode::acknowledge)}, Needs{guarded_unless(is_copy_)}),
      is_nack_(pipeline, out, "is_nack_out",
               ConditionSpec{.kind = ConditionKind::eq, .bits = 8, .reads = {"syndrome"}}, {3},
               Needs{guarded_by(is_response_)}),
      qps_(pipeline, out, "destination_qps", c.qps()),
      epsn_(pipeline, out, "epsn_array",
            RegisterSpec{.width = 32, .entries = c.qps(), .reads = {"qp"}},
            Needs{matches(qps_.table()), guarded_by(is_response_)}),
      left_first_(pipeline, out, "left_first_half", flags(2), {}, Needs{matches(epsn_)}),
      left_second_(pipeline, out, "left_second_half", flags(2), {}, Needs{matches(epsn_)}),
      base_first_(pipeline, out, "base_first_half",
                  RegisterSpec{.width = 8, .entries = c.qps(), .reads = {"qp"}},
                  Needs{matches(qps_.table()), guarded_by(is_data_), guarded_by(is_nack_),
                        guarded_by(left_first_)}),
      base_second_(pipeline, out, "base_second_half",
                   RegisterSpec{.width = 8, .entries = c.qps(), .reads = {"qp"}},
                   Needs{matches(qps_.table()), guarded_by(is_data_), guarded_by(is_nack_),
                         guarded_by(left_second_)}),
      marks_one_(pipeline, out, "marks_one", flags(2), {},
                 Needs{matches(base_first_), matches(base_second_)}),
      marks_zero_(pipeline, out, "marks_zero", flags(2), {},
                  Needs{matches(base_first_), matches(base_second_)}),
      bitmap_(pipeline, out, "bitmap_array",
              RegisterSpec{.width = 1,
                           .entries = std::uint64_t{c.qps()} * 2 * c.window,
                           .pieces = c.bitmap_pieces,
                           .reads = {"qp", "psn"}},
              Needs{matches(qps_.table()), guarded_by(marks_one_), guarded_by(marks_zero_),
                    guarded_by(is_nack_)}),
      path_psn_max_(pipeline, out, "path_psn_max_array",
                    RegisterSpec{.width = 32,
                                 .entries = std::uint64_t{c.qps()} * c.paths,
                                 .pieces = c.pieces,
                                 .reads = {"qp", "psn"}},
                    Needs{matches(qps_.table()), guarded_by(is_data_), guarded_by(is_nack_)}),
      missing_(pipeline, out, "is_missing",
               ConditionSpec{.kind = ConditionKind::field_eq, .bits = 1}, {},
               Needs{matches(bitmap_), matches(base_first_), matches(base_second_)}),
      lost_(pipeline, out, "is_lost", flags(1), {},
            Needs{matches(path_psn_max_), guarded_by(missing_)}),
      stashed_nack_psn_(pipeline, out, "stashed_nack_psn",
                        RegisterSpec{.width = 32, .entries = c.qps(), .reads = {"qp"}},
                        Needs{matches(qps_.table()), guarded_by(is_data_), guarded_unless(lost_)}),
      stash_nack_path_id_(
          pipeline, out, "stash_nack_path_id",
          RegisterSpec{.width = 32, .entries = c.qps(), .reads = {"qp"}},
          Needs{matches(qps_.table()), guarded_by(is_data_), guarded_unless(lost_)}),
      stash_nack_qpn_(pipeline, out, "stash_nack_qpn",
                      RegisterSpec{.width = 32, .entries = c.qps(), .reads = {"qp"}},
                      Needs{matches(qps_.table()), guarded_by(is_data_), guarded_unless(lost_)}),
      stash_nack_egress_port_(
          pipeline, out, "stash_nack_egress_port",
          RegisterSpec{.width = 16, .entries = c.qps(), .reads = {"qp"}},
          Needs{matches(qps_.table()), guarded_by(is_data_), guarded_unless(lost_)}),
      settles_(pipeline, out, "settles_stash", flags(3, Join::any), {},
               Needs{matches(stashed_nack_psn_), matches(stash_nack_path_id_)}),
      stashed_nack_valid_(
          pipeline, out, "stashed_nack_valid",
          RegisterSpec{.width = 8, .entries = c.qps(), .reads = {"qp"}},
          Needs{matches(qps_.table()), guarded_by(settles_), guarded_unless(lost_)}),
      emits_(pipeline, out, "emits_nack", flags(2), {}, Needs{matches(stashed_nack_valid_)}),
      signals_(pipeline, out, "signals_path", flags(1), {}, Needs{guarded_by(emits_)}),
      emit_(pipeline, out, "emit_nack",
            Needs{guarded_by(emits_), uses(stashed_nack_psn_), uses(stash_nack_qpn_),
                  uses(stash_nack_egress_port_)}),
      came_back_(pipeline, out, "came_back",
                 ConditionSpec{.kind = ConditionKind::ne, .bits = 16, .reads = {"metadata"}}, {},
                 Needs{guarded_by(is_response_)}),
      send_on_(pipeline, out, "send_on", Needs{guarded_by(came_back_), follows(lost_)}),
      drop_(pipeline, out, "drop_nack", {},
            Needs{guarded_unless(missing_), guarded_unless(lost_), guarded_by(came_back_),
                  overwrites(send_on_)}),
      is_stashed_nack_(pipeline, out, "is_stashed_nack",
                       ConditionSpec{.kind = ConditionKind::eq,
                                     .bits = 8,
                                     .terms = 2,
                                     .join = Join::any,
                                     .reads = {"mirror_type"}},
                       {stashed_nack, avoidance_signal}, Needs{guarded_by(is_copy_)}),
      // Opcode, PSN, QPN, syndrome, MSN, lengths of IP and UDP, and the swapped addresses of IP and
      // Ethernet (packet-spraying paper 5).
      make_nack_(pipeline, out, "make_nack", {}, Needs{guarded_by(is_stashed_nack_)}) {}

void Destination::connect(const Connection& c) {
  const auto added = qps_.add(c);
  if (!added) return;
  const std::uint32_t qp = *added;
  epsn_.write(qp, c.first_psn.value());
  // The window begins in the half of the first PSN, base zero. When its start leaves that half, all
  // of it must be marked (appendix A): also what lies before the first PSN and never comes.
  const std::uint32_t before_first = c.first_psn.value() % config_.window;
  for (std::uint32_t i = 1; i <= before_first; ++i)
    bitmap_.write(bit_index(qp, c.first_psn - static_cast<std::int32_t>(i)), 1);
  for (std::uint32_t i = 0; i < config_.paths; ++i) {
    const Psn before = c.first_psn - 1;
    path_psn_max_.write(std::size_t{qp} * config_.paths + i, before.value());
  }
}

void Destination::egress(Pass& pass) {
  const Packet& p = pass.header();
  if (is_copy_.test(pass, p.mirror_type)) {
    if (is_stashed_nack_.test(pass, {p.mirror_type, p.mirror_type}))
      make_nack(pass, p.mirror_type == avoidance_signal);
    return;
  }
  const bool data = is_data_.test(pass, number(p.opcode));
  const bool response = is_response_.test(pass, number(p.opcode));
  const std::uint32_t* qp = qps_.lookup(pass);
  if (qp != nullptr && data) on_data(pass, *qp);
  if (response) {
    const bool back = came_back_.test(pass, p.metadata);
    if (qp != nullptr) on_response(pass, *qp);
    if (back && pass.verdict() != dataplane::Verdict::drop) go_on(pass, forwarded_response);
  }
}

bool Destination::read_base(const Pass& pass, std::uint32_t qp, Psn psn) {
  const auto read = [](std::uint8_t& base) { return base != 0; };
  const bool first = base_first_.apply(pass, qp, read);
  const bool second = base_second_.apply(pass, qp, read);
  return in_second_half(psn) ? second : first;
}

void Destination::on_data(Pass& pass, std::uint32_t qp) {
  const Psn psn = pass.header().psn;
  const bool base = read_base(pass, qp, psn);
  const bool one = marks_one_.test(pass, {1, bit(!base)});
  marks_zero_.test(pass, {1, bit(base)});
  bitmap_.apply(pass, bit_index(qp, psn), [&](std::uint8_t& b) { b = one ? 1 : 0; });
  path_psn_max_.apply(pass, path_index(qp, psn), [&](std::uint32_t& most) {
    if (psn.after(Psn(most))) most = psn.value();
  });
  settle_stash(pass, qp);
}

// Whether this data packet says what became of the packet that a kept-back NACK asks for.
void Destination::settle_stash(Pass& pass, std::uint32_t qp) {
  const Psn psn = pass.header().psn;
  struct Compared {
    Psn psn;
    bool arrived, later, too_far;
  };
  const auto stash = stashed_nack_psn_.apply(pass, qp, [&](std::uint32_t& cell) {
    const Psn kept(cell);
    return Compared{kept, psn == kept, psn.after(kept),
                    psn - kept > static_cast<std::int32_t>(config_.ooo_threshold)};
  });
  const bool same_path = stash_nack_path_id_.apply(
      pass, qp, [&](std::uint32_t& id) { return id == psn.value() % config_.paths; });
  const std::uint32_t qpn = stash_nack_qpn_.apply(pass, qp, [](std::uint32_t& q) { return q; });
  const std::uint16_t port =
      stash_nack_egress_port_.apply(pass, qp, [](std::uint16_t& e) { return e; });
  const bool lost = stash.later && same_path;
  if (!settles_.test(pass, {bit(stash.arrived), bit(lost), bit(stash.too_far)})) return;
  const bool was_valid = stashed_nack_valid_.apply(
      pass, qp, [](std::uint8_t& valid) { return std::exchange(valid, 0) != 0; });
  if (!emits_.test(pass, {bit(was_valid), bit(!stash.arrived)})) return;
  const bool signal = signals_.test(pass, bit(!lost));
  emit_.request(pass, {.egress_port = port,
                       .type = signal ? avoidance_signal : stashed_nack,
                       .header = {stash.psn.value(), qpn},
                       .length = nack_frame()});
  ++(signal ? counts_.signalled : counts_.validated_later);
}

void Destination::on_response(Pass& pass, std::uint32_t qp) {
  const Packet& p = pass.header();
  const bool nack = is_nack_.test(pass, std::uint64_t{p.syndrome} >> 5);
  // An ACK of PSN n moves the window's start to n + 1, a NACK to the PSN it asks for.
  const Psn start = nack ? p.psn : p.psn + 1;
  const Psn before = epsn_.apply(pass, qp, [&](std::uint32_t& cell) {
    const Psn old(cell);
    if (start.after(old)) cell = start.value();
    return old;
  });
  const bool moved = start.after(before) && in_second_half(start) != in_second_half(before);
  const auto flip = [](std::uint8_t& base) {
    base ^= 1;
    return base != 0;
  };
  const auto read = [](std::uint8_t& base) { return base != 0; };
  const bool first = left_first_.test(pass, {bit(moved), bit(!in_second_half(before))});
  const bool second = left_second_.test(pass, {bit(moved), bit(in_second_half(before))});
  bool base_of_first = false, base_of_second = false;
  if (first)
    base_of_first = base_first_.apply(pass, qp, flip);
  else if (nack)
    base_of_first = base_first_.apply(pass, qp, read);
  if (second)
    base_of_second = base_second_.apply(pass, qp, flip);
  else if (nack)
    base_of_second = base_second_.apply(pass, qp, read);
  if (nack) on_nack(pass, qp, in_second_half(p.psn) ? base_of_second : base_of_first);
}

void Destination::on_nack(Pass& pass, std::uint32_t qp, bool base) {
  const Packet& p = pass.header();
  const bool marked =
      bitmap_.apply(pass, bit_index(qp, p.psn), [](std::uint8_t& b) { return b != 0; });
  const bool overtaken = path_psn_max_.apply(
      pass, path_index(qp, p.psn), [&](std::uint32_t& most) { return Psn(most).after(p.psn); });
  if (!missing_.test(pass, {bit(marked), bit(base)})) {  // condition C1 fails: it arrived
    ++counts_.invalid;
    return drop_.run(pass, [&] { pass.drop(); });
  }
  if (lost_.test(pass, bit(overtaken))) {  // condition C2: something later came by the same path
    ++counts_.valid;
    return;
  }
  const std::uint16_t target = p.metadata != 0 ? static_cast<std::uint16_t>(target_of(p.metadata))
                                               : static_cast<std::uint16_t>(pass.egress_port());
  stashed_nack_psn_.apply(pass, qp, [&](std::uint32_t& cell) { cell = p.psn.value(); });
  stash_nack_path_id_.apply(pass, qp,
                            [&](std::uint32_t& id) { id = p.psn.value() % config_.paths; });
  stash_nack_qpn_.apply(pass, qp, [&](std::uint32_t& q) { q = p.dest_qp.value(); });
  stash_nack_egress_port_.apply(pass, qp, [&](std::uint16_t& e) { e = target; });
  stashed_nack_valid_.apply(pass, qp, [](std::uint8_t& valid) { valid = 1; });
  ++counts_.stashed;
  drop_.run(pass, [&] { pass.drop(); });
}

// A response that is let through and is in its receiver's own egress only for the check.
void Destination::go_on(Pass& pass, std::uint8_t type) {
  send_on_.request(pass, {.egress_port = target_of(pass.header().metadata), .type = type});
  drop_.run(pass, [&] { pass.drop(); });
}

void Destination::make_nack(Pass& pass, bool signal) {
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
    p.ack_request = signal;  // the reserved BTH bit of the avoidance signal
    p.ecn = Ecn::not_ect;
    p.retransmission = false;
  });
}

}  // namespace horae::programs::themis
