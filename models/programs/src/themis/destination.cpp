#include "destination.hpp"

namespace horae::programs::themis {

using dataplane::ConditionSpec;
using dataplane::Needs;
using dataplane::RegisterSpec;

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
      lost(pipeline, out, "is_lost", {}, Needs{matches(path_psn_max), guarded_by(missing)}) {}

// In the order of the pipeline: what it is and whose; the window's start, base bits and bitmap; the
// largest PSNs; the NACK that was kept back; where it goes.
Destination::Destination(dataplane::Pipeline& pipeline, const ThemisConfig& c)
    : config_(c),
      is_copy_(pipeline, out, "is_copy", ConditionSpec{.bits = 8, .reads = {"mirror_type"}}),
      is_data_(pipeline, out, "is_data_out", opcode_field(), Needs{guarded_unless(is_copy_)}),
      is_response_(pipeline, out, "is_response", opcode_field(), Needs{guarded_unless(is_copy_)}),
      is_nack_(pipeline, out, "is_nack_out", ConditionSpec{.bits = 8, .reads = {"syndrome"}},
               Needs{guarded_by(is_response_)}),
      qps_(pipeline, out, "destination_qps", c.qps()),
      window_(pipeline,
              {.qps = c.qps(),
               .window = c.window,
               .pieces = c.bitmap_pieces,
               .ignore_old = c.ignore_old},
              qps_.table(), is_data_, is_response_, is_nack_),
      path_check_(make_path_check(pipeline)),
      stash_(make_stash(pipeline)),
      whole_(path_check_ && stash_ && c.failure_handling),
      came_back_(pipeline, out, "came_back", ConditionSpec{.bits = 16, .reads = {"metadata"}},
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

}  // namespace horae::programs::themis
