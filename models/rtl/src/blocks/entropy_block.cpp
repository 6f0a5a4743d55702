#include "horae/rtl/entropy_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "answers.hpp"
#include "difference.hpp"
#include "horae/core/error.hpp"

namespace horae::rtl {

using policy::EntropyConfig;
using policy::EntropyContext;
using policy::EntropyFeedback;

namespace {

std::string entropy_request(const EntropyInputs& in) {
  const std::string of = fmt::format("connection {} at {} ps", in.connection, in.now);
  if (in.open) return of + ", begins";
  if (in.freeze) return of + ", freeze";
  if (in.feedback)
    return fmt::format("{}, feedback: value {}, signal {}, {} B, rtt {} ps", of, in.value,
                       in.signal, in.delivered, in.rtt);
  return of + ", packet";
}

std::string said(std::uint32_t value, bool frozen) {
  return fmt::format("{}{}", value, frozen ? ", frozen" : "");
}

}  // namespace

EntropyRtl::EntropyRtl(std::shared_ptr<EntropyUnit> unit, std::uint32_t connection,
                       const EntropyConfig& config, const EntropyContext& context)
    : unit_(std::move(unit)),
      values_(config.values),
      random_(context.random),
      bits_(policy::find_entropy_scheme(config.scheme).bits(config, 1)) {
  idle_.request_valid = true;
  idle_.response_ready = true;
  idle_.connection = connection;
  idle_.own = context.own;
  idle_.ordinal = context.ordinal;
  idle_.base_rtt = static_cast<std::uint64_t>(context.base_rtt.count());
  idle_.rto = static_cast<std::uint64_t>(context.rto.count());
  idle_.bdp_packets = context.bdp_packets;
  idle_.trimming = context.trimming;
  if (!unit_->block.opens) return;
  EntropyInputs in = idle_;
  in.open = true;
  serve(in, Picoseconds(0));
}

EntropyOutputs EntropyRtl::serve(EntropyInputs in, Picoseconds now) {
  in.now = static_cast<std::uint64_t>(now.count());
  RandomStream after = random_;
  in.draw = after.below(values_);
  const EntropyOutputs out = unit_->hardware.serve(in);
  if (out.drew) random_ = after;
  if (out.frozen && !frozen_) {
    ++counts_.freezes;
    frozen_since_ = now;
  } else if (!out.frozen && frozen_) {
    counts_.frozen_time += now - frozen_since_;
  }
  frozen_ = out.frozen;
  return out;
}

std::uint16_t EntropyRtl::next(Picoseconds now) {
  const EntropyOutputs out = serve(idle_, now);
  if (out.value >= values_) {
    throw ModelError(fmt::format("RTL '{}': {} is none of {} entropy values", unit_->block.name,
                                 out.value, values_));
  }
  switch (static_cast<EntropyOrigin>(out.origin)) {
    case EntropyOrigin::recycled:
      ++counts_.recycled;
      break;
    case EntropyOrigin::random:
      ++counts_.random;
      break;
    case EntropyOrigin::frozen:
      ++counts_.frozen;
      break;
    case EntropyOrigin::fixed:
      ++counts_.fixed;
      break;
  }
  return static_cast<std::uint16_t>(out.value);
}

void EntropyRtl::feedback(const EntropyFeedback& feedback, Picoseconds now) {
  if (!unit_->block.hears) return;
  EntropyInputs in = idle_;
  in.feedback = true;
  in.value = feedback.value;
  in.signal = static_cast<std::uint32_t>(feedback.signal);
  in.delivered = static_cast<std::uint32_t>(feedback.delivered.count());
  in.rtt = static_cast<std::uint64_t>(feedback.rtt.count());
  in.room = feedback.room;
  serve(in, now);
}

void EntropyRtl::freeze(Picoseconds now) {
  if (!unit_->block.freezes) return;
  EntropyInputs in = idle_;
  in.freeze = true;
  serve(in, now);
}

EntropyLockstep::EntropyLockstep(std::unique_ptr<policy::Entropy> model,
                                 std::unique_ptr<EntropyRtl> rtl, std::string folder,
                                 std::shared_ptr<std::uint64_t> requests)
    : model_(std::move(model)),
      rtl_(std::move(rtl)),
      folder_(std::move(folder)),
      requests_(std::move(requests)) {
  if (rtl_->unit().block.opens) rtl_->unit().model.push_back(said(0, false));
}

// The model has been asked. A ModelError of the hardware is a difference.
template <class Ask>
void EntropyLockstep::ask_rtl(const std::string& what, Ask ask) {
  ++*requests_;
  try {
    ask();
  } catch (const ModelError& e) {
    report(what + ": " + e.what());
  }
  auto& unit = rtl_->unit();
  while (unit.model.size() > unit.hardware.exchanges().size()) unit.model.pop_front();
}

std::uint16_t EntropyLockstep::next(Picoseconds now) {
  const std::uint16_t value = model_->next(now);
  rtl_->unit().model.push_back(said(value, model_->frozen()));
  std::uint16_t rtl = 0;
  const std::string what = fmt::format("packet at {} ps", now.count());
  ask_rtl(what, [&] { rtl = rtl_->next(now); });
  std::string found;
  compare_field(found, "value", value, rtl);
  if (!found.empty()) report(what + ": " + found);
  compare(what);
  return value;
}

void EntropyLockstep::feedback(const EntropyFeedback& feedback, Picoseconds now) {
  model_->feedback(feedback, now);
  if (!rtl_->unit().block.hears) return;
  rtl_->unit().model.push_back(said(0, model_->frozen()));
  const std::string what = fmt::format("feedback of value {}, signal {}, at {} ps", feedback.value,
                                       static_cast<unsigned>(feedback.signal), now.count());
  ask_rtl(what, [&] { rtl_->feedback(feedback, now); });
  compare(what);
}

void EntropyLockstep::freeze(Picoseconds now) {
  model_->freeze(now);
  if (!rtl_->unit().block.freezes) return;
  rtl_->unit().model.push_back(said(0, model_->frozen()));
  const std::string what = fmt::format("freeze at {} ps", now.count());
  ask_rtl(what, [&] { rtl_->freeze(now); });
  compare(what);
}

void EntropyLockstep::compare(const std::string& what) {
  const auto model = model_->counts(), rtl = rtl_->counts();
  std::string found;
  compare_field(found, "frozen", model_->frozen(), rtl_->frozen());
  compare_field(found, "recycled values", model.recycled, rtl.recycled);
  compare_field(found, "random values", model.random, rtl.random);
  compare_field(found, "values while frozen", model.frozen, rtl.frozen);
  compare_field(found, "fixed values", model.fixed, rtl.fixed);
  compare_field(found, "freezes", model.freezes, rtl.freezes);
  if (!found.empty()) report(what + ": " + found);
}

void EntropyLockstep::report(const std::string& difference) const {
  const EntropyUnit& unit = rtl_->unit();
  const std::size_t more =
      unit.model.size() - std::min(unit.model.size(), unit.hardware.exchanges().size());
  report_difference(
      unit.hardware, unit.block.name, *requests_, folder_, difference, entropy_request,
      [](const EntropyOutputs& out) { return said(out.value, out.frozen); },
      [&](std::size_t i) { return unit.model.at(more + i); });
}

}  // namespace horae::rtl
