// How answers of a model and of hardware are compared.
#pragma once

#include <fmt/format.h>

#include <string>

#include "horae/policy/ordering/ordering.hpp"

namespace horae::rtl {

template <class T>
void compare_field(std::string& found, const char* name, T model, T rtl) {
  if (found.empty() && model != rtl) {
    found = fmt::format("{} is {} in the model, {} in the RTL", name,
                        static_cast<std::uint32_t>(model), static_cast<std::uint32_t>(rtl));
  }
}

/// The first difference in one line, empty where there is none.
inline std::string answers_differ(const policy::OrderingAnswer& model,
                                  const policy::OrderingAnswer& rtl, bool rejection = true,
                                  bool completed = true) {
  std::string found;
  compare_field(found, "tracking", model.tracking, rtl.tracking);
  if (rejection) compare_field(found, "rejection", model.rejection, rtl.rejection);
  compare_field(found, "advanced", model.advanced, rtl.advanced);
  compare_field(found, "expected", model.expected.value(), rtl.expected.value());
  if (completed) compare_field(found, "completed", model.completed, rtl.completed);
  return found;
}

}  // namespace horae::rtl
