#include "horae/results/exit_code.hpp"

namespace horae::results {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::complete:
      return "complete";
    case Verdict::error:
      return "error";
    case Verdict::timeout:
      return "timeout";
    case Verdict::refused:
      return "refused";
    case Verdict::stuck:
      break;
  }
  return "stuck";
}

}  // namespace horae::results
