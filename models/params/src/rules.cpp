#include "horae/params/rules.hpp"

namespace horae::detail {

std::string choice_type(const std::vector<std::string>& names) {
  std::string out = "choice: ";
  for (const auto& name : names) out += (&name == &names.front() ? "" : "|") + name;
  return out;
}

}  // namespace horae::detail
