#include "horae/cli/ranks_guard.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/workload/nic_fit.hpp"

namespace horae::cli {
namespace {

int exit_code_of(const std::exception& e) {
  if (dynamic_cast<const InputError*>(&e) != nullptr) return results::exit_bad_input;
  if (dynamic_cast<const dataplane::DoesNotFit*>(&e) != nullptr ||
      dynamic_cast<const workload::NicDoesNotFit*>(&e) != nullptr)
    return results::exit_does_not_fit;
  return results::exit_failed;
}

void say(unsigned rank, const char* text) {
  fmt::print(stderr, "horae: rank {}: {}\n", rank, text);
}

}  // namespace

int run_guarded(fabric::rank_exchange& ranks, const std::function<int()>& work) {
  // mpirun ends the others as soon as one ends with a code of failure, perhaps before rank 0 has
  // said why. So only rank 0 has the code.
  const bool first = ranks.rank() == 0;
  try {
    const int code = work();
    ranks.all_of(code);  // nobody is left behind that still could fail
    return first ? code : results::exit_done;
  } catch (const fabric::RankFailed& e) {
    if (!first) return results::exit_done;
    say(e.rank, e.what());
    return e.exit_code;
  } catch (const std::exception& e) {
    const int code = exit_code_of(e);
    ranks.fail(code, e.what());
    if (!first) return results::exit_done;
    if (code != results::exit_failed) throw;
    say(0, e.what());
    return code;
  }
}

}  // namespace horae::cli
