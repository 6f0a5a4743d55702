// The largest value of a parameter with which everything fits: found by trying.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/size/search.hpp"
#include "trial.hpp"

namespace horae::size {

namespace {

/// Whether `text` is what `pattern` says: * is any text, ? any sign.
bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    return matches(pattern.substr(1), text) || (!text.empty() && matches(pattern, text.substr(1)));
  }
  return !text.empty() && (pattern.front() == '?' || pattern.front() == text.front()) &&
         matches(pattern.substr(1), text.substr(1));
}

/// The key with its object's name in place of its number: "register[seen].entries".
std::string named(const Adjustable& a) {
  const auto close = a.key.rfind(']');
  const auto open = a.key.rfind('[', close);
  if (a.object.empty() || close == std::string::npos || open == std::string::npos) return a.key;
  return a.key.substr(0, open + 1) + a.object + a.key.substr(close);
}

/// What a key or pattern means: all of it vary together.
std::vector<Adjustable> chosen(const SizeRequest& request, const std::string& key) {
  const auto all = adjustables(request);
  std::vector<Adjustable> out;
  for (const auto& a : all) {
    if (matches(key, a.key) || matches(key, named(a))) out.push_back(a);
  }
  if (!out.empty()) return out;
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

}  // namespace

Limit find_limit(const SizeRequest& request, const std::string& key) {
  const auto all = chosen(request, key);
  const auto with_all = [&](std::int64_t value) {
    SizeRequest changed = request;
    for (const auto& a : all) changed = with(std::move(changed), a.key, value);
    return changed;
  };
  std::int64_t least = all.front().least, most = all.front().most, now = all.front().value;
  bool same = true;
  for (const auto& a : all) {
    least = std::max(least, a.least);
    most = std::min(most, a.most);
    same &= a.value == now;
  }
  // From the present value when it fits (others below it may not: sizes of what must fit in),
  // else from the least.
  std::int64_t good = 0, bad = least;
  if (same && fits(request)) {
    good = now;
    bad = std::min(std::max(now * 2, least), most + 1);
  }
  while (bad <= most && fits(with_all(bad))) {
    good = bad;
    bad = bad == most ? most + 1 : std::min(bad * 2, most);
  }
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits(with_all(middle)) ? good : bad) = middle;
  }
  Limit limit{good, "none", "", "the largest value tried"};
  if (bad > most) return limit;
  SizeRequest more = with_all(bad);
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
  // What no stage has more or less of (parser, header vector, an ALU's parts) cannot be relieved.
  const bool of_stages = dataplane::find_resource(limit.binding).has_value();
  if (!relieving.empty())
    limit.binding = relieving;
  else if (of_stages || limit.binding == "none")
    limit.binding = "stages";
  return limit;
}

}  // namespace horae::size
