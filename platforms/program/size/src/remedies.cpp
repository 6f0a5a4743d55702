// Changes that make a design fit: found by trying.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "horae/results/progress.hpp"
#include "horae/size/search.hpp"
#include "trial.hpp"

namespace horae::size {
namespace {

/// Trials that a search may still make. Counted, not timed: the same search on any machine.
class Trials {
 public:
  Trials(int most, bool progress) : most_(most), left_(most), line_(progress) {}
  /// Whether there is one more, which is taken.
  bool take() {
    if (left_ <= 0) return false;
    line_.update(
        static_cast<double>(most_ - left_) / most_,
        fmt::format("changes that would fit: trial {} of at most {}", most_ - left_ + 1, most_));
    --left_;
    return true;
  }

 private:
  int most_, left_;
  results::Progress line_;
};

/// The value nearest to the present one, on one side of it, with which everything fits.
std::optional<std::int64_t> nearest_fit(const SizeRequest& request, const Adjustable& a, bool up,
                                        Trials& trials) {
  std::int64_t bad = a.value;
  std::optional<std::int64_t> good;
  if (up ? bad >= a.most : bad <= a.least) return std::nullopt;
  while (!good) {
    const std::int64_t next = up ? std::min(bad * 2, a.most) : std::max(bad / 2, a.least);
    if (next == bad || !trials.take()) return std::nullopt;
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

std::vector<Remedy> find_remedies(const SizeRequest& request, bool progress) {
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
  constexpr int fewest = 20, most = 600;
  Trials trials(std::clamp(static_cast<int>(12000 / objects), fewest, most), progress);
  for (const auto& a : all) {
    for (const bool up : {false, true}) {
      // More pieces or partitions may cost less; more of anything else of a list does not.
      if (up && (request.objects || request.p4) && !a.key.ends_with("pieces") &&
          !a.key.ends_with("partitions"))
        continue;
      if (up && a.key.ends_with("entries")) continue;
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
        if (!trials.take()) return out;
        if (fits(with(with(request, all[i].key, vi), all[j].key, vj)))
          out.push_back({{{all[i], vi}, {all[j], vj}}});
      }
    }
  }
  return out;
}

}  // namespace horae::size
