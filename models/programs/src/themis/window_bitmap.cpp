#include "horae/programs/themis/window_bitmap.hpp"

#include "parts.hpp"

namespace horae::programs::themis {

using dataplane::ConditionKind;
using dataplane::ConditionSpec;
using dataplane::Needs;
using dataplane::Pass;
using dataplane::RegisterSpec;

namespace {

Needs start_needs(const WindowShape& shape, const dataplane::Object& qp_table,
                  const dataplane::Gateway& is_data, const dataplane::Gateway& is_response) {
  Needs needs = {matches(qp_table), guarded_by(is_response)};
  if (shape.ignore_old) needs.push_back(guarded_by(is_data));
  return needs;
}

}  // namespace

WindowBitmap::WindowBitmap(dataplane::Pipeline& pipeline, const WindowShape& shape,
                           const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
                           const dataplane::Gateway& is_response, const dataplane::Gateway& is_nack)
    : shape_(shape),
      epsn_(pipeline, out, "epsn_array",
            RegisterSpec{.width = 32, .entries = shape.qps, .reads = {"qp"}},
            start_needs(shape, qp_table, is_data, is_response)),
      left_first_(pipeline, out, "left_first_half", flags(2), {}, Needs{matches(epsn_)}),
      left_second_(pipeline, out, "left_second_half", flags(2), {}, Needs{matches(epsn_)}),
      base_first_(pipeline, out, "base_first_half",
                  RegisterSpec{.width = 8, .entries = shape.qps, .reads = {"qp"}},
                  Needs{matches(qp_table), guarded_by(is_data), guarded_by(is_nack),
                        guarded_by(left_first_)}),
      base_second_(pipeline, out, "base_second_half",
                   RegisterSpec{.width = 8, .entries = shape.qps, .reads = {"qp"}},
                   Needs{matches(qp_table), guarded_by(is_data), guarded_by(is_nack),
                         guarded_by(left_second_)}),
      // In the window, and the base that says which way to mark.
      marks_one_(pipeline, out, "marks_one", flags(2), {},
                 Needs{matches(base_first_), matches(base_second_)}),
      marks_zero_(pipeline, out, "marks_zero", flags(2), {},
                  Needs{matches(base_first_), matches(base_second_)}),
      bitmap_(pipeline, out, "bitmap_array",
              RegisterSpec{.width = 1,
                           .entries = std::uint64_t{shape.qps} * 2 * shape.window,
                           .pieces = shape.pieces,
                           .reads = {"qp", "psn"}},
              Needs{matches(qp_table), guarded_by(marks_one_), guarded_by(marks_zero_),
                    guarded_by(is_nack)}),
      missing_(pipeline, out, "is_missing",
               ConditionSpec{.kind = ConditionKind::field_eq, .bits = 1}, {},
               Needs{matches(bitmap_), matches(base_first_), matches(base_second_)}) {}

void WindowBitmap::connect(std::uint32_t qp, Psn first) {
  epsn_.write(qp, first.value());
  // The window begins in the half of the first PSN, base zero. When its start leaves that half, all
  // of it must be marked (appendix A): also what lies before the first PSN and never comes.
  const std::uint32_t before_first = first.value() % shape_.window;
  for (std::uint32_t i = 1; i <= before_first; ++i)
    bitmap_.write(bit_index(qp, first - static_cast<std::int32_t>(i)), 1);
}

inline WindowBitmap::Bases WindowBitmap::read_bases(const Pass& pass, std::uint32_t qp) {
  const auto read = [](std::uint8_t base) { return base != 0; };
  const bool first = base_first_.apply(pass, qp, read);
  return {first, base_second_.apply(pass, qp, read)};
}

bool WindowBitmap::mark(const Pass& pass, std::uint32_t qp, Psn psn) {
  const bool old = shape_.ignore_old && epsn_.apply(pass, qp, [&](std::uint32_t start) {
    return psn.before(Psn(start));
  });
  const Bases bases = read_bases(pass, qp);
  const bool base = in_second_half(psn) ? bases.second : bases.first;
  const bool one = marks_one_.test(pass, !old, !base);
  const bool zero = marks_zero_.test(pass, !old, base);
  if (one || zero)
    bitmap_.apply(pass, bit_index(qp, psn), [&](std::uint8_t& b) { b = one ? 1 : 0; });
  return !old;
}

bool WindowBitmap::ask(const Pass& pass, std::uint32_t qp, Psn psn) {
  const Bases bases = move(pass, qp, psn, true);
  const bool base = in_second_half(psn) ? bases.second : bases.first;
  const bool marked =
      bitmap_.apply(pass, bit_index(qp, psn), [](std::uint8_t b) { return b != 0; });
  return missing_.test(pass, marked, base);
}

// The window begins at `start` unless it was further on already. The bases are read for NACKs only.
WindowBitmap::Bases WindowBitmap::move(const Pass& pass, std::uint32_t qp, Psn start, bool nack) {
  const Psn before = epsn_.apply(pass, qp, [&](std::uint32_t& cell) {
    const Psn old(cell);
    if (start.after(old)) cell = start.value();
    return old;
  });
  const bool moved = start.after(before) && in_second_half(start) != in_second_half(before);
  const bool from_second = in_second_half(before);
  const auto turn = [&](dataplane::Register<std::uint8_t>& base, bool flip) {
    if (!flip && !nack) return false;
    return base.apply(pass, qp, [&](std::uint8_t& b) {
      if (flip) b ^= 1;
      return b != 0;
    });
  };
  const bool first = left_first_.test(pass, moved, !from_second);
  const bool second = left_second_.test(pass, moved, from_second);
  return {turn(base_first_, first), turn(base_second_, second)};
}

}  // namespace horae::programs::themis
