// Changes that make a design fit, and the largest value that does: found by trying.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "horae/config/platform.hpp"
#include "horae/core/error.hpp"
#include "horae/flows/read_platform.hpp"
#include "horae/params/document.hpp"
#include "horae/size/size.hpp"

namespace horae::size {
namespace {

SizeRequest with(SizeRequest request, const std::string& key, std::int64_t value) {
  request.overrides.push_back(fmt::format("{}={}", key, value));
  return request;
}

/// Trials that a search may still make. Counted, not timed: the same search on any machine.
using Trials = int;

/// Whether everything fits; a value that the file's own rules refuse does not.
bool fits(const SizeRequest& request) {
  try {
    return all_fit(size_designs(request));
  } catch (const InputError&) {
    return false;
  }
}

/// The value nearest to the present one, on one side of it, with which everything fits.
std::optional<std::int64_t> nearest_fit(const SizeRequest& request, const Adjustable& a, bool up,
                                        Trials& trials) {
  std::int64_t bad = a.value;
  std::optional<std::int64_t> good;
  if (up ? bad >= a.most : bad <= a.least) return std::nullopt;
  while (!good) {
    const std::int64_t next = up ? std::min(bad * 2, a.most) : std::max(bad / 2, a.least);
    if (next == bad || trials-- <= 0) return std::nullopt;
    if (fits(with(request, a.key, next)))
      good = next;
    else
      bad = next;
  }
  // Between a value that does not fit and one that does; the former may be the present one.
  while (std::abs(*good - bad) > 1) {
    const std::int64_t middle = bad + (*good - bad) / 2;
    (fits(with(request, a.key, middle)) ? *good : bad) = middle;
  }
  return good;
}

}  // namespace

std::vector<Adjustable> adjustables(const SizeRequest& request) {
  constexpr std::int64_t largest = std::int64_t{1} << 24;
  std::vector<Adjustable> out;
  const Document document = Document::load(request.file, request.overrides);
  if (!request.objects) {
    const config::PlatformConfig platform = flows::read_platform(document);
    for (const auto& [name, profile] : platform.profiles) {
      const auto* chip = std::get_if<config::TofinoProfile>(&profile);
      if (chip == nullptr) continue;
      const auto config = chip->program->config();
      for (const auto& [key, value] : config.items()) {
        if (value.is_number_integer() && value.get<std::int64_t>() > 0)
          out.push_back({fmt::format("{}.program.{}", name, key), value, 1, largest, ""});
      }
    }
    return out;
  }
  constexpr std::string_view tables[] = {"register", "exact", "ternary", "counter", "meter"};
  const auto collect = [&](const Section& section, const std::string& prefix) {
    for (const auto kind : tables) {
      const auto objects = section.children(kind);
      for (std::size_t i = 0; i < objects.size(); ++i) {
        const auto json = objects[i].to_json();
        const std::string name = json.value("name", "");
        const auto add = [&](const char* key, std::int64_t otherwise, std::int64_t most) {
          const std::int64_t value = json.contains(key) && json[key].is_number_integer()
                                         ? json[key].get<std::int64_t>()
                                         : otherwise;
          if (value > 0)
            out.push_back({fmt::format("{}{}[{}].{}", prefix, kind, i, key), value, 1, most, name});
        };
        add("entries", 0, largest);
        if (kind == "register") add("pieces", 1, 64);
        if (kind == "exact" || kind == "ternary") add("key_bits", 0, 1024);
      }
    }
  };
  const Section root = document.root();
  collect(root, "");
  const auto designs = root.children("design");
  for (std::size_t i = 0; i < designs.size(); ++i)
    collect(designs[i], fmt::format("design[{}].", i));
  return out;
}

std::vector<Remedy> find_remedies(const SizeRequest& request) {
  std::vector<Remedy> out;
  auto all = adjustables(request);
  // Large designs take long to place: fewer trials, and what is refused is tried first.
  std::size_t objects = 1;
  std::set<std::string> refused;
  for (const auto& d : size_designs(request)) {
    objects += d.ledger.objects.size();
    for (const auto& r : d.ledger.refused) refused.insert(r.object.substr(0, r.object.find('[')));
  }
  std::stable_sort(all.begin(), all.end(), [&](const Adjustable& a, const Adjustable& b) {
    return refused.contains(a.object) && !refused.contains(b.object);
  });
  constexpr Trials fewest = 60, most = 600;
  Trials trials = std::clamp(static_cast<Trials>(12000 / objects), fewest, most);
  for (const auto& a : all) {
    for (const bool up : {false, true}) {
      if (up && a.key.ends_with("entries")) continue;  // more never costs less
      if (const auto value = nearest_fit(request, a, up, trials)) out.push_back({{{a, *value}}});
    }
  }
  if (!out.empty()) return out;
  // Two at once: every pair, halved or doubled together.
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      for (int step = 0; step < 4; ++step) {
        const auto moved = [](const Adjustable& a, bool up) {
          return up ? std::min(a.value * 2, a.most) : std::max(a.value / 2, a.least);
        };
        const std::int64_t vi = moved(all[i], (step & 1) != 0), vj = moved(all[j], (step & 2) != 0);
        if (vi == all[i].value || vj == all[j].value) continue;
        if (trials-- <= 0) return out;
        if (fits(with(with(request, all[i].key, vi), all[j].key, vj)))
          out.push_back({{{all[i], vi}, {all[j], vj}}});
      }
    }
  }
  return out;
}

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
