#include "psn_ring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace horae::programs::themis_queue {

using dataplane::ConditionKind;
using dataplane::ConditionSpec;
using dataplane::MatchSpec;
using dataplane::Needs;
using dataplane::RegisterSpec;

namespace {

/// 16 bits of a PSN: enough to compare by while the window is below 2^15.
std::uint16_t short_psn(Psn psn) { return static_cast<std::uint16_t>(psn.value()); }

RegisterSpec counter(const ThemisQueueConfig& c) {
  return {.width = 16, .entries = c.qps(), .reads = {"qp"}};
}

}  // namespace

PsnRing::Array::Array(dataplane::Pipeline& pipeline, const std::string& name,
                      const RegisterSpec& spec, const Needs& needs)
    : psns(pipeline, out, name, spec, needs),
      set(pipeline, psns, "set"),
      look_at(pipeline, psns, "look_at") {}

PsnRing::PsnRing(dataplane::Pipeline& pipeline, const ThemisQueueConfig& c,
                 const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
                 const dataplane::Gateway& searches, const dataplane::Gateway& begins,
                 const dataplane::Gateway& ends)
    : arrays_(c.queue_registers),
      depth_(c.queue_entries / c.queue_registers),
      tail_(pipeline, out, "queue_tail", counter(c),
            Needs{matches(qp_table), guarded_by(is_data), guarded_by(searches)}),
      next_tail_(pipeline, tail_, "next"),
      read_tail_(pipeline, tail_, "read"),
      head_(pipeline, out, "queue_head", counter(c),
            Needs{matches(qp_table), guarded_by(begins), guarded_by(ends)}),
      span_(pipeline, out, "queue_span", {}, Needs{uses(tail_), uses(head_.array)}),
      fits_(pipeline, out, "queue_fits",
            ConditionSpec{.kind = ConditionKind::lt,
                          .bits = 16,
                          .constant = c.queue_entries,
                          .reads = {"queue_span"}},
            {}, Needs{matches(span_), guarded_by(searches)}),
      clamp_(pipeline, out, "queue_clamp", {}, Needs{overwrites(span_), guarded_unless(fits_)}),
      // The row of each array, and how many of them count.
      place_(pipeline, out, "queue_place", {}, Needs{uses(clamp_), uses(span_)}) {
  const std::uint64_t cells = std::uint64_t{c.qps()} * depth_;
  Needs all;
  for (std::uint32_t r = 0; r < arrays_; ++r) {
    writes_.push_back(std::make_unique<dataplane::Gateway>(
        pipeline, out, fmt::format("queue_write{}", r),
        ConditionSpec{.bits = 8, .terms = 2, .reads = {"is_data", "queue_tail"}},
        std::vector<std::uint64_t>{1, r}, Needs{matches(tail_)}));
    arrays_of_psns_.push_back(std::make_unique<Array>(
        pipeline, fmt::format("queue_psns{}", r),
        RegisterSpec{.width = 16, .entries = cells, .reads = {"qp", fmt::format("row{}", r)}},
        Needs{matches(place_), guarded_by(*writes_.back()), guarded_by(searches)}));
    all.push_back(matches(arrays_of_psns_.back()->psns));
  }
  build_first(pipeline, all);
}

// Which array has the first entry that is larger: by the arrays' answers, the one to begin with and
// how many count.
void PsnRing::build_first(dataplane::Pipeline& pipeline, const Needs& answers) {
  const auto turn_bits = static_cast<std::uint32_t>(std::bit_width(arrays_ - 1));
  const auto count_bits = static_cast<std::uint32_t>(std::bit_width(arrays_));
  first_.emplace(pipeline, out, "queue_first",
                 MatchSpec{.key_bits = arrays_ + turn_bits + count_bits,
                           .entries = std::uint64_t{arrays_} * arrays_ * (arrays_ + 1) / 2,
                           .data_bits = 8},
                 answers);
  for (std::uint32_t k = 0; k < arrays_; ++k) {
    for (std::uint32_t turn = 0; turn < arrays_; ++turn) {
      for (std::uint32_t count = k + 1; count <= arrays_; ++count) {
        const std::uint64_t bit_of_k = std::uint64_t{1} << (turn + k) % arrays_;
        const std::uint64_t rest = ((std::uint64_t{1} << (turn_bits + count_bits)) - 1) << arrays_;
        first_->append(key(0, turn, count) | bit_of_k, rest | bit_of_k, k);
      }
    }
  }
  select_.emplace(pipeline, out, "queue_select", dataplane::ActionSpec{}, Needs{uses(*first_)});
}

std::uint64_t PsnRing::key(std::uint64_t larger, std::uint32_t turn, std::uint32_t count) const {
  const auto turn_bits = static_cast<std::uint32_t>(std::bit_width(arrays_ - 1));
  return larger | std::uint64_t{turn} << arrays_ | std::uint64_t{count} << (arrays_ + turn_bits);
}

void PsnRing::put(const dataplane::PassKind auto& pass, std::uint32_t qp, Psn psn) {
  const std::uint16_t position = next_tail_.run(pass, qp);
  const std::uint32_t array = position % arrays_;
  writes_[array]->test(pass, 1, array);
  arrays_of_psns_[array]->set.run(pass, cell(qp, position), short_psn(psn));
}

PsnRing::Look PsnRing::look(const dataplane::PassKind auto& pass, std::uint32_t qp,
                            std::optional<std::uint16_t> from, Psn expected) {
  const std::uint16_t tail = read_tail_.run(pass, qp);
  std::uint16_t start = from ? *from : head_.read.run(pass, qp);
  auto span = static_cast<std::uint16_t>(tail - start);
  if (!fits_.test(pass, span)) {  // full, or overwritten
    clamp_.run(pass, [&] {
      span = static_cast<std::uint16_t>(arrays_ * depth_);
      start = static_cast<std::uint16_t>(tail - span);
    });
  }
  const std::uint32_t count = std::min<std::uint32_t>(span, arrays_);
  std::uint64_t larger = 0;
  std::uint16_t entries[max_arrays];
  for (std::uint32_t k = 0; k < arrays_; ++k) {
    const auto position = static_cast<std::uint16_t>(start + k);
    const std::uint32_t array = position % arrays_;
    const auto [entry, is_after] =
        arrays_of_psns_[array]->look_at.run(pass, cell(qp, position), short_psn(expected));
    entries[k] = entry;
    if (is_after) larger |= std::uint64_t{1} << array;
  }
  const std::uint32_t* first = first_->lookup(pass, key(larger, start % arrays_, count));
  if (first == nullptr) return {{}, static_cast<std::uint16_t>(start + count), span <= arrays_};
  return {entries[*first], static_cast<std::uint16_t>(start + *first + 1), false};
}

void PsnRing::take(const dataplane::PassKind auto& pass, std::uint32_t qp, std::uint16_t head) {
  head_.set.run(pass, qp, head);
}

template void PsnRing::put(const dataplane::Pass&, std::uint32_t, Psn);
template void PsnRing::put(const dataplane::TrustedPass&, std::uint32_t, Psn);
template PsnRing::Look PsnRing::look(const dataplane::Pass&, std::uint32_t,
                                     std::optional<std::uint16_t>, Psn);
template PsnRing::Look PsnRing::look(const dataplane::TrustedPass&, std::uint32_t,
                                     std::optional<std::uint16_t>, Psn);
template void PsnRing::take(const dataplane::Pass&, std::uint32_t, std::uint16_t);
template void PsnRing::take(const dataplane::TrustedPass&, std::uint32_t, std::uint16_t);

}  // namespace horae::programs::themis_queue
