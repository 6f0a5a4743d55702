// The largest value of a parameter with which everything fits: found by trying.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
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

/// Parameters that a key or pattern names: all of them vary together.
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

struct Tried {
  std::int64_t value;
  bool fits;
};

/// The value nearest to `value`, from `least` to `most`, that the file's own rules take: of a key
/// that must be a multiple, or a power, of something most are refused. None within 8 on each side:
/// pipelines are 8 at most.
template <class Try>
std::optional<Tried> valid_near(std::int64_t value, std::int64_t least, std::int64_t most,
                                const Try& trial_of) {
  constexpr std::int64_t farthest = 8;
  for (std::int64_t off = 0; off <= farthest; off = off > 0 ? -off : 1 - off) {
    const std::int64_t v = value - off;
    if (v < least || v > most) continue;
    const Trial t = trial_of(v);
    if (t != Trial::refused) return Tried{v, t == Trial::fits};
  }
  return std::nullopt;
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
  std::string object, why_most;
  for (const auto& a : all) {
    least = std::max(least, a.least);
    if (a.most <= most) {
      most = a.most;
      object = a.object;
      why_most = a.why_most;
    }
    same &= a.value == now;
  }
  // From the present value when it fits (others below it may not: sizes of what must fit in),
  // else from the first of those that double from the least.
  const auto trial_of = [&](std::int64_t value) { return trial(with_all(value)); };
  const auto step = [&](std::int64_t value) {
    return value == most ? most + 1 : std::min(std::max(value * 2, least), most);
  };
  std::int64_t good = 0, bad = least;
  if (same && fits(request)) {
    good = now;
    bad = now >= most ? most + 1 : step(now);
  }
  std::int64_t failing = -1;  // the least known that is no rule's and does not fit; -1: none yet
  for (; bad <= most; bad = step(bad)) {
    const auto next = valid_near(bad, bad, most, trial_of);
    if (next) bad = next->value;
    if (next && next->fits) {
      good = bad;
      failing = -1;
      continue;
    }
    if (next && failing < 0) failing = bad;
    if (good > 0) break;
  }
  while (good > 0 && bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    const auto next = valid_near(middle, good + 1, bad - 1, trial_of);
    if (next && next->fits) {
      good = next->value;
    } else {
      bad = next ? next->value : middle;
      if (next) failing = bad;
    }
  }
  Limit limit{good, "none", "", "the largest value tried"};
  if (bad > most && failing < 0)
    return why_most.empty() ? limit : Limit{good, "key_bits", object, why_most};
  SizeRequest more = with_all(failing >= 0 ? failing : bad);
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
  // A limit that no stage has more or less of (parser, header vector, an ALU's parts) cannot be
  // relieved.
  const bool of_stages = dataplane::find_resource(limit.binding).has_value();
  if (!relieving.empty())
    limit.binding = relieving;
  else if (of_stages || limit.binding == "none")
    limit.binding = "stages";
  return limit;
}

}  // namespace horae::size
