#include "horae/programs/themis/window_bitmap.hpp"

#include "parts.hpp"

namespace horae::programs::themis {

using dataplane::ConditionSpec;
using dataplane::Needs;
using dataplane::RegisterSpec;

namespace {

Needs start_needs(const WindowShape& shape, const dataplane::Object& qp_table,
                  const dataplane::Gateway& is_data, const dataplane::Gateway& is_response) {
  Needs needs = {matches(qp_table), guarded_by(is_response)};
  if (shape.ignore_old) needs.push_back(guarded_by(is_data));
  return needs;
}

}  // namespace

WindowBitmap::Base::Base(dataplane::Pipeline& pipeline, const char* name, const WindowShape& shape,
                         const Needs& needs)
    : array(pipeline, out, name, RegisterSpec{.width = 8, .entries = shape.qps, .reads = {"qp"}},
            needs),
      read(pipeline, array, "read"),
      turn(pipeline, array, "turn") {}

WindowBitmap::WindowBitmap(dataplane::Pipeline& pipeline, const WindowShape& shape,
                           const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
                           const dataplane::Gateway& is_response, const dataplane::Gateway& is_nack)
    : shape_(shape),
      epsn_(pipeline, out, "epsn_array",
            RegisterSpec{.width = 32, .entries = shape.qps, .reads = {"qp"}},
            start_needs(shape, qp_table, is_data, is_response)),
      is_old_(pipeline, epsn_, "is_old"),
      move_start_(pipeline, epsn_, "move"),
      left_first_(pipeline, out, "left_first_half", ConditionSpec{.terms = 2},
                  Needs{matches(epsn_)}),
      left_second_(pipeline, out, "left_second_half", ConditionSpec{.terms = 2},
                   Needs{matches(epsn_)}),
      base_first_(pipeline, "base_first_half", shape,
                  Needs{matches(qp_table), guarded_by(is_data), guarded_by(is_nack),
                        guarded_by(left_first_)}),
      base_second_(pipeline, "base_second_half", shape,
                   Needs{matches(qp_table), guarded_by(is_data), guarded_by(is_nack),
                         guarded_by(left_second_)}),
      // In the window, and the base that says which way to mark.
      marks_one_(pipeline, out, "marks_one", ConditionSpec{.terms = 2},
                 Needs{matches(base_first_.array), matches(base_second_.array)}),
      marks_zero_(pipeline, out, "marks_zero", ConditionSpec{.terms = 2},
                  Needs{matches(base_first_.array), matches(base_second_.array)}),
      bitmap_(pipeline, out, "bitmap_array",
              RegisterSpec{.width = 1,
                           .entries = std::uint64_t{shape.qps} * 2 * shape.window,
                           .pieces = shape.pieces,
                           .reads = {"qp", "psn"}},
              Needs{matches(qp_table), guarded_by(marks_one_), guarded_by(marks_zero_),
                    guarded_by(is_nack)}),
      set_bit_(pipeline, bitmap_, "set"),
      clear_bit_(pipeline, bitmap_, "clear"),
      read_bit_(pipeline, bitmap_, "read"),
      missing_(pipeline, out, "is_missing", ConditionSpec{.bits = 1},
               Needs{matches(bitmap_), matches(base_first_.array), matches(base_second_.array)}) {}

void WindowBitmap::connect(std::uint32_t qp, Psn first) {
  epsn_.write(qp, first.value());
  // The window begins in the half of the first PSN, base zero. When its start leaves that half, all
  // of it must be marked (appendix A): also what lies before the first PSN and never comes.
  const std::uint32_t before_first = first.value() % shape_.window;
  for (std::uint32_t i = 1; i <= before_first; ++i)
    bitmap_.write(bit_index(qp, first - static_cast<std::int32_t>(i)), 1);
}

}  // namespace horae::programs::themis
