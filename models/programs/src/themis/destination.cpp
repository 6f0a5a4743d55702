#include "destination.hpp"

namespace horae::programs::themis {

using dataplane::ConditionKind;
using dataplane::ConditionSpec;
using dataplane::Needs;
using dataplane::Pass;
using dataplane::RegisterSpec;

namespace {

/// `metadata` of a response that came back to its own port: where it is to go, plus one.
std::uint32_t target_of(std::uint16_t metadata) { return metadata - 1u; }

}  // namespace

Destination::PathCheck::PathCheck(dataplane::Pipeline& pipeline, const ThemisConfig& c,
                                  const dataplane::Object& qp_table,
                                  const dataplane::Gateway& is_data,
                                  const dataplane::Gateway& is_nack,
                                  const dataplane::Gateway& missing)
    : path_psn_max(pipeline, out, "path_psn_max_array",
                   RegisterSpec{.width = 32,
                                .entries = std::uint64_t{c.qps()} * c.paths,
                                .pieces = c.pieces,
                                .reads = {"qp", "psn"}},
                   Needs{matches(qp_table), guarded_by(is_data), guarded_by(is_nack)}),
      keep_later(pipeline, path_psn_max, "keep_later"),
      is_overtaken(pipeline, path_psn_max, "is_overtaken"),
      lost(pipeline, out, "is_lost", flags(1), {},
           Needs{matches(path_psn_max), guarded_by(missing)}) {}

// In the order of the pipeline: what it is and whose; the window's start, base bits and bitmap; the
// largest PSNs; the NACK that was kept back; where it goes.
Destination::Destination(dataplane::Pipeline& pipeline, const ThemisConfig& c)
    : config_(c),
      is_copy_(pipeline, out, "is_copy",
               ConditionSpec{.kind = ConditionKind::ne, .bits = 8, .reads = {"mirror_type"}}),
      is_data_(pipeline, out, "is_data_out", data_condition(), {}, Needs{guarded_unless(is_copy_)}),
      is_response_(pipeline, out, "is_response",
                   ConditionSpec{.kind = ConditionKind::eq, .bits = 8, .reads = {"opcode"}},
                   {number(Opcode::acknowledge)}, Needs{guarded_unless(is_copy_)}),
      is_nack_(pipeline, out, "is_nack_out",
               ConditionSpec{.kind = ConditionKind::eq, .bits = 8, .reads = {"syndrome"}},
               {syndrome::nak_psn_sequence}, Needs{guarded_by(is_response_)}),
      qps_(pipeline, out, "destination_qps", c.qps()),
      window_(pipeline,
              {.qps = c.qps(),
               .window = c.window,
               .pieces = c.bitmap_pieces,
               .ignore_old = c.ignore_old},
              qps_.table(), is_data_, is_response_, is_nack_),
      path_check_(make_path_check(pipeline)),
      stash_(make_stash(pipeline)),
      came_back_(pipeline, out, "came_back",
                 ConditionSpec{.kind = ConditionKind::ne, .bits = 16, .reads = {"metadata"}}, {},
                 Needs{guarded_by(is_response_)}),
      send_on_(pipeline, out, "send_on", Needs{guarded_by(came_back_), follows(last_check())}),
      drop_(pipeline, out, "drop_nack", {}, drop_needs()) {}

std::optional<Destination::PathCheck> Destination::make_path_check(dataplane::Pipeline& pipeline) {
  using Made = std::optional<PathCheck>;
  if (!config_.path_check) return Made();
  return Made(std::in_place, pipeline, config_, qps_.table(), is_data_, is_nack_,
              window_.missing());
}

std::optional<Stash> Destination::make_stash(dataplane::Pipeline& pipeline) {
  using Made = std::optional<Stash>;
  if (!path_check_ || !config_.lazy_dropping) return Made();
  return Made(std::in_place, pipeline, config_, qps_.table(), is_data_, is_copy_,
              path_check_->lost);
}

Needs Destination::drop_needs() const {
  Needs needs = {guarded_unless(window_.missing()), guarded_by(came_back_), overwrites(send_on_)};
  if (path_check_) needs.push_back(guarded_unless(path_check_->lost));
  return needs;
}

void Destination::connect(const Connection& c) {
  const auto added = qps_.add(c);
  if (!added) return;
  const std::uint32_t qp = *added;
  window_.connect(qp, c.first_psn);
  if (!path_check_) return;
  const Psn before = c.first_psn - 1;  // smaller than all to come
  for (std::uint32_t i = 0; i < config_.paths; ++i)
    path_check_->path_psn_max.write(std::size_t{qp} * config_.paths + i, before.value());
}

void Destination::egress(Pass& pass) {
  const Packet& p = pass.header();
  if (is_copy_.test(pass, p.mirror_type)) {
    if (stash_) stash_->make_nack(pass);
    return;
  }
  const bool data = is_data_.test(pass, number(p.opcode));
  const bool response = is_response_.test(pass, number(p.opcode));
  const std::uint32_t* qp = qps_.lookup(pass);
  if (qp != nullptr && data) on_data(pass, *qp);
  if (response) {
    const bool back = came_back_.test(pass, p.metadata);
    if (qp != nullptr) on_response(pass, *qp);
    if (back && pass.verdict() != dataplane::Verdict::drop) go_on(pass);
  }
}

inline void Destination::on_data(Pass& pass, std::uint32_t qp) {
  const Psn psn = pass.header().psn;
  if (!window_.mark(pass, qp, psn)) ++counts_.old_data;
  if (path_check_) {
    path_check_->keep_later.run(pass, path_index(qp, psn), psn.value());
  }
  if (!stash_) return;
  const auto settled = stash_->settle(pass, qp);
  if (settled == Stash::Settled::lost) ++counts_.validated_later;
  if (settled == Stash::Settled::too_far) ++counts_.signalled;
}

void Destination::on_response(Pass& pass, std::uint32_t qp) {
  const Packet& p = pass.header();
  if (is_nack_.test(pass, p.syndrome))
    on_nack(pass, qp);
  else
    window_.acknowledge(pass, qp, p.psn);
}

void Destination::on_nack(Pass& pass, std::uint32_t qp) {
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
void Destination::go_on(Pass& pass) {
  send_on_.request(pass,
                   {.egress_port = target_of(pass.header().metadata), .type = forwarded_response});
  drop_.run(pass, [&] { pass.drop(); });
}

}  // namespace horae::programs::themis
