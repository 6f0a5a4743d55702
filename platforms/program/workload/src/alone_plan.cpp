#include "horae/workload/alone_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "horae/workload/end_points.hpp"
#include "horae/workload/path_classes.hpp"

namespace horae::workload {
namespace {

// Limits on the cost of a plan: these bound the runs alone to a small share of the run itself, as
// platforms/manual/results.md has it. A run alone costs about as much as 3,000 packets besides its
// own.
constexpr std::size_t few_messages = 64;  ///< are all run, if they have
constexpr std::int64_t few_packets = 300'000;
constexpr std::size_t most_runs = 200;  ///< before checks; with all, hardly more than twice as many
constexpr std::size_t most_samples = 24, most_checks = 8, most_of_class = 200;
constexpr std::size_t most_unlike = 400;
constexpr unsigned most_rounds = 14;
constexpr std::int64_t share_of_packets = 16;  ///< a class is sampled with one in so many packets,
constexpr std::int64_t packets_anyway = 20'000;  ///< and these
/// As a share of the time: what is off by less needs no further size. Slowdowns are printed with
/// four digits.
constexpr double near_enough = 2.5e-5;
/// Likewise of a size and the straight line between those beside it: twice as far apart, and more
/// than what the edges of a chip's clock make of equal messages.
constexpr double straight_enough = 2e-4;

/// The straight line from (x0, y0) to (x1, y1), at `x`.
Picoseconds on_the_line(Bytes x0, Picoseconds y0, Bytes x1, Picoseconds y1, Bytes x) {
  const auto span = static_cast<double>((x1 - x0).count());
  const auto part = static_cast<double>((x - x0).count());
  return y0 + Picoseconds(std::llround(static_cast<double>((y1 - y0).count()) * part / span));
}

/// How far apart two times are, as a share of the second.
double error_of(Picoseconds guess, Picoseconds time) {
  return std::abs(static_cast<double>((guess - time).count())) / static_cast<double>(time.count());
}

}  // namespace

AlonePlan::AlonePlan(const config::PlatformConfig& platform,
                     const std::vector<PlacedMessage>& messages)
    : platform_(platform),
      messages_(messages),
      line_rate_(platform),
      class_of_(messages.size()),
      measured_(messages.size()),
      account_{.messages = messages.size()} {
  std::int64_t all = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) all += packets(i);
  if (messages.size() <= few_messages && all <= few_packets) return;
  const auto runs = [this](std::size_t most) {
    std::size_t sum = 0;
    for (const Class& c : classes_) sum += std::min(most, c.sizes.size());
    return sum;
  };
  sort_into_classes(Detail::paths);
  if (runs(most_samples) > most_runs) sort_into_classes(Detail::lengths);
  std::size_t unlike = 0;
  for (const Class& c : classes_) unlike += c.alike ? 0 : c.members.size();
  each_unlike_ = unlike <= most_unlike;
  most_samples_ = most_samples;
  while (most_samples_ > 2 && runs(most_samples_) > most_runs) --most_samples_;
}

void AlonePlan::sort_into_classes(Detail detail) {
  PathClasses paths(platform_);
  using Key = std::tuple<std::uint32_t, std::string, std::string, int, bool, Verb>;
  std::map<Key, std::uint32_t> numbers;
  classes_.clear();
  for (std::uint32_t i = 0; i < messages_.size(); ++i) {
    const Flow& f = messages_[i].flow;
    const auto way = paths.of(f.from, f.to);
    const Key key{detail == Detail::paths ? way.number : way.links,
                  platform_.devices[f.from].profile,
                  platform_.devices[f.to].profile,
                  f.traffic_class ? *f.traffic_class : -1,
                  f.spray,
                  f.verb};
    const auto [known, added] =
        numbers.try_emplace(key, static_cast<std::uint32_t>(classes_.size()));
    if (added) classes_.emplace_back();
    class_of_[i] = known->second;
    Class& c = classes_[known->second];
    c.members.push_back(i);
    c.packets += packets(i);
    c.alike = c.alike && way.alike;
  }
  for (Class& c : classes_) {
    std::stable_sort(c.members.begin(), c.members.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return size(a) < size(b); });
    for (std::uint32_t i = 0; i < c.members.size(); ++i) {
      if (i == 0 || size(c.members[i]) != size(c.members[i - 1])) c.sizes.push_back(i);
    }
  }
}

std::int64_t AlonePlan::packets(std::size_t message) const {
  return std::max<std::int64_t>(1,
                                packets_of(platform_, messages_[message].flow.from, size(message)));
}

Picoseconds AlonePlan::at_line_rate(std::size_t message) const {
  const Flow& f = messages_[message].flow;
  return line_rate_.at_line_rate(f.from, f.to, f.message, f.verb);
}

std::vector<std::uint32_t> AlonePlan::samples(const Class& c, std::size_t most) const {
  if (!c.alike && each_unlike_ && c.packets <= few_packets) return c.members;
  const std::size_t sizes = c.sizes.size();
  const std::int64_t budget = c.packets / share_of_packets + packets_anyway;
  for (std::size_t n = std::min(most, sizes);; n = std::max<std::size_t>(n / 2, 2)) {
    std::vector<std::uint32_t> out;
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t at = n == 1 ? 0 : j * (sizes - 1) / (n - 1);
      out.push_back(c.members[c.sizes[at]]);
      sum += packets(out.back());
    }
    if (n <= 2 || sum <= budget) return out;
  }
}

std::vector<std::uint32_t> AlonePlan::checks(const Class& c) const {
  std::vector<std::uint32_t> out;
  std::int64_t left = c.packets / share_of_packets + packets_anyway;
  for (std::size_t j = 0; j < most_checks; ++j) {
    // The middles of equal parts, and the last one, which no sample is where there are several.
    const std::size_t at = j + 1 == most_checks
                               ? c.members.size() - 1
                               : (2 * j + 1) * c.members.size() / (2 * (most_checks - 1));
    const std::uint32_t m = c.members[at];
    if (measured_[m] || std::find(out.begin(), out.end(), m) != out.end()) continue;
    left -= packets(m);
    if (left < 0) break;
    out.push_back(m);
  }
  return out;
}

std::optional<std::uint32_t> AlonePlan::between(const Class& c, Bytes low, Bytes high) const {
  const auto above = [&](Bytes bytes) {
    return std::partition_point(c.sizes.begin(), c.sizes.end(),
                                [&](std::uint32_t at) { return size(c.members[at]) <= bytes; });
  };
  const auto first = above(low), last = above(high - 1_B);
  if (first == last) return std::nullopt;
  return c.members[*(first + (last - first) / 2)];
}

std::vector<std::uint32_t> AlonePlan::refinements(const Class& c) const {
  std::vector<std::uint32_t> out;
  for (const Bytes bytes : c.wrong) {
    const auto at = c.beyond.find(bytes);
    std::optional<std::uint32_t> found[2];
    if (at != c.beyond.begin()) found[0] = between(c, std::prev(at)->first, bytes);
    if (std::next(at) != c.beyond.end()) found[1] = between(c, bytes, std::next(at)->first);
    for (const auto& m : found) {
      if (m && std::find(out.begin(), out.end(), *m) == out.end()) out.push_back(*m);
    }
  }
  if (out.size() + c.run > most_of_class)
    out.resize(most_of_class - std::min(most_of_class, c.run));
  return out;
}

std::vector<Bytes> AlonePlan::bends(const Class& c) const {
  std::vector<Bytes> out;
  if (c.beyond.size() < 3) return out;
  for (auto at = std::next(c.beyond.begin()); std::next(at) != c.beyond.end(); ++at) {
    const auto low = std::prev(at), high = std::next(at);
    if (low->second == never || at->second == never || high->second == never) continue;
    const auto guess = on_the_line(low->first, low->second, high->first, high->second, at->first);
    const auto sample = *std::partition_point(c.sizes.begin(), c.sizes.end(), [&](std::uint32_t i) {
      return size(c.members[i]) < at->first;
    });
    const Picoseconds base = at_line_rate(c.members[sample]);
    if (error_of(base + guess, base + at->second) > straight_enough) out.push_back(at->first);
  }
  return out;
}

std::vector<std::size_t> AlonePlan::next() {
  learn();
  if (most_samples_ == 0 && round_ == 0) {
    batch_.resize(messages_.size());
    std::iota(batch_.begin(), batch_.end(), std::size_t{0});
  }
  for (Class& c : classes_) {
    if (c.settled) continue;
    auto chosen = round_ == 0 ? samples(c, most_samples_) : refinements(c);
    if (round_ == 1) {
      for (const std::uint32_t m : checks(c)) {
        if (std::find(chosen.begin(), chosen.end(), m) == chosen.end()) chosen.push_back(m);
      }
    }
    c.settled = chosen.empty() || round_ + 1 == most_rounds || account_.run > 2 * most_runs;
    batch_.insert(batch_.end(), chosen.begin(), chosen.end());
  }
  ++round_;
  return batch_;
}

void AlonePlan::take(std::size_t message, std::optional<Picoseconds> time) {
  measured_[message] = time.value_or(never);
  ++account_.run;
}

/// Evaluates the last batch: first the errors of the computed times, then the times.
void AlonePlan::learn() {
  if (most_samples_ == 0) return batch_.clear();
  for (Class& c : classes_) c.wrong.clear();
  if (round_ > 1) compare();
  for (const std::size_t m : batch_) {
    Class& c = classes_[class_of_[m]];
    ++c.run;
    c.beyond.try_emplace(size(m), *measured_[m] == never ? never : *measured_[m] - at_line_rate(m));
  }
  if (round_ == 1) {
    for (Class& c : classes_) c.wrong = bends(c);
  }
  batch_.clear();
}

/// The last batch with what was computed without it.
void AlonePlan::compare() {
  std::vector<std::pair<std::size_t, double>> off;
  for (const std::size_t m : batch_) classes_[class_of_[m]].error_of_size = 0;
  for (const std::size_t m : batch_) {
    Class& c = classes_[class_of_[m]];
    const auto guess = computed(c, m);
    if (*measured_[m] == never || !guess) continue;
    const double error = error_of(*guess, *measured_[m]);
    ++account_.checked;
    const bool known = c.beyond.contains(size(m));
    double& largest = known ? c.error_at_size : c.error_of_size;
    largest = std::max(largest, error);
    if (!known && error > near_enough) off.emplace_back(m, error);
  }
  // Differences within one size cannot be reduced by further sizes.
  for (const auto& [m, error] : off) {
    Class& c = classes_[class_of_[m]];
    if (error > 2 * c.error_at_size) c.wrong.push_back(size(m));
  }
}

std::optional<Picoseconds> AlonePlan::computed(const Class& c, std::size_t message) const {
  const auto high = c.beyond.lower_bound(size(message));
  if (high == c.beyond.end() || high->second == never) return std::nullopt;
  if (high->first == size(message)) return at_line_rate(message) + high->second;
  if (high == c.beyond.begin()) return std::nullopt;
  const auto low = std::prev(high);
  if (low->second == never) return std::nullopt;
  return at_line_rate(message) +
         on_the_line(low->first, low->second, high->first, high->second, size(message));
}

std::optional<Picoseconds> AlonePlan::time(std::size_t message) const {
  if (!measured_[message]) return computed(classes_[class_of_[message]], message);
  if (*measured_[message] == never) return std::nullopt;
  return measured_[message];
}

AlonePlan::Account AlonePlan::account() const {
  Account out = account_;
  for (const Class& c : classes_)
    out.largest_error = std::max({out.largest_error, c.error_of_size, c.error_at_size});
  return out;
}

}  // namespace horae::workload
