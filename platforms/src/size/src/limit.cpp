// The largest value of a parameter with which everything fits: found by trying.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/size/search.hpp"
#include "trial.hpp"

namespace horae::size {

Limit find_limit(const SizeRequest& request, const std::string& key) {
  const auto all = adjustables(request);
  const auto a =
      std::find_if(all.begin(), all.end(), [&](const Adjustable& x) { return x.key == key; });
  if (a == all.end()) {
    std::vector<std::string> keys;
    for (const auto& x : all) keys.push_back(x.key);
    if (keys.empty()) {
      throw InputError(
          fmt::format("--most {}: {} has no program or object with whole-number "
                      "parameters",
                      key, request.file));
    }
    throw InputError(fmt::format("'{}' is no whole-number parameter of {}{}", key, request.file,
                                 suggestion(key, keys)));
  }
  // From the present value when it fits (others below it may not: sizes of what must fit in),
  // else from the least.
  std::int64_t good = 0, bad = a->least;
  if (fits(request)) {
    good = a->value;
    bad = std::min(std::max(a->value * 2, a->least), a->most + 1);
  }
  while (bad <= a->most && fits(with(request, key, bad))) {
    good = bad;
    bad = bad == a->most ? a->most + 1 : std::min(bad * 2, a->most);
  }
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits(with(request, key, middle)) ? good : bad) = middle;
  }
  Limit limit{good, "none", "", "the largest value tried"};
  if (bad > a->most) return limit;
  SizeRequest more = with(request, key, bad);
  try {
    for (const auto& d : size_designs(more)) {
      for (const auto& r : d.ledger.refused) {
        if (!limit.object.empty() && limit.binding != "stages") continue;
        limit = {good, r.resource, r.object, r.why};
      }
    }
  } catch (const InputError& e) {
    return {good, "rule", "", e.what()};
  }
  std::string relieving;
  for (const auto r : dataplane::all_resources) {
    more.relieved = r;
    if (fits(more)) relieving += (relieving.empty() ? "" : " / ") + std::string(resource_name(r));
  }
  limit.binding = relieving.empty() ? "stages" : relieving;
  return limit;
}

}  // namespace horae::size
